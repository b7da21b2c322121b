import type { ConsumedRead, Store } from "../../store/store.js";
import { openConsumer } from "./open-consumer.js";

/**
 * Reads the updates after a consumer's position; a consumer that does not exist is created.
 *
 * @throws InvalidInput when the bot has too many
 * @throws Unauthenticated when the bot was deleted meanwhile
 */
export async function readConsumed(
  store: Store,
  botId: string,
  name: string,
  limit: number,
): Promise<ConsumedRead> {
  const read = await store.readConsumed(botId, name, limit);
  if (read) return read;
  const { position, done } = await openConsumer(store, botId, name);
  return { position, done, updates: await store.readUpdates(botId, position, limit) };
}
