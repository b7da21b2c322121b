import type { BotRef, Store } from "../store/store.js";
import { found } from "./found.js";

/**
 * Stops webhook delivery at once and forgets the URL and the secret. Does nothing when none is set.
 *
 * @throws NotFound
 */
export async function deleteWebhook(store: Store, bot: BotRef): Promise<void> {
  const { target } = found(await store.readStoredWebhook(bot), "bot");
  if (target) await store.deleteWebhook(bot, Date.now());
}
