import type { ConsumerPosition } from "../domain/consumer.js";
import { InvalidInput, Unauthenticated } from "../domain/errors.js";
import { MAX_CONSUMERS_PER_BOT } from "../domain/limits.js";
import type { Store } from "../store/store.js";

export const TOO_MANY_CONSUMERS = `the bot has ${MAX_CONSUMERS_PER_BOT} consumers, the most that one may have: delete one first`;
export const BOT_GONE = "the bot token is not valid: the bot was deleted";

/**
 * The position of a bot's consumer; a consumer that does not exist is created.
 *
 * @throws InvalidInput when the bot has too many
 * @throws Unauthenticated when the bot was deleted meanwhile
 */
export async function openConsumer(store: Store, botId: string, name: string): Promise<ConsumerPosition> {
  const consumer =
    (await store.findConsumer(botId, name)) ?? (await store.openConsumer(botId, name, Date.now()));
  if (!consumer) throw new Unauthenticated(BOT_GONE);
  if (consumer === "too many") throw new InvalidInput(TOO_MANY_CONSUMERS, "too_many_consumers");
  return consumer;
}
