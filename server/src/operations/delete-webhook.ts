import { NotFound } from "../domain/errors.js";
import type { BotRef, Store } from "../store/store.js";

/**
 * Stops webhook delivery at once and forgets the URL and the secret. Nothing happens where none was set.
 *
 * @throws NotFound
 */
export async function deleteWebhook(store: Store, bot: BotRef): Promise<void> {
  if (!(await store.deleteWebhook(bot, Date.now()))) throw new NotFound("bot not found");
}
