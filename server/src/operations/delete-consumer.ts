import { USERNAME_PATTERN } from "../domain/bot.js";
import { NotFound } from "../domain/errors.js";
import type { Store } from "../store/store.js";

const NAME = new RegExp(USERNAME_PATTERN);

/**
 * Forgets a bot's consumer; its log stays as it is.
 *
 * @throws NotFound
 */
export async function deleteConsumer(store: Store, botId: string, name: string): Promise<void> {
  if (!NAME.test(name) || !(await store.deleteConsumer(botId, name)))
    throw new NotFound("consumer not found", "consumer_not_found");
}
