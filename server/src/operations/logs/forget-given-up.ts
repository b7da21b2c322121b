import { isUsername } from "../../domain/bots/bot.js";
import { NotFound } from "../../domain/errors.js";
import type { Store } from "../../store/store.js";

/**
 * Takes an update that a bot's program gave up from the list, since it is handled.
 *
 * @throws NotFound when it is not in the list
 */
export async function forgetGivenUp(
  store: Store,
  botId: string,
  updateId: number,
  consumer: string,
): Promise<void> {
  if (isUsername(consumer) && (await store.forgetGivenUp(botId, updateId, consumer.toLowerCase()))) return;
  throw new NotFound("update not found: this consumer has not given it up", "update_not_found");
}
