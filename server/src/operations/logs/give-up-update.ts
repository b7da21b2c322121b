import { isUsername } from "../../domain/bots/bot.js";
import type { Store } from "../../store/store.js";
import { found } from "../found.js";

/**
 * Lists an update as given up by a bot's program, for the owner to see and to hand in again.
 *
 * @throws NotFound without such an update, and for a name that no consumer can have
 */
export async function giveUpUpdate(
  store: Store,
  botId: string,
  updateId: number,
  consumer: string,
  error: string,
): Promise<void> {
  const isListed =
    isUsername(consumer) &&
    (await store.giveUpUpdate(botId, updateId, consumer.toLowerCase(), error, Date.now()));
  found(isListed || undefined, "update");
}
