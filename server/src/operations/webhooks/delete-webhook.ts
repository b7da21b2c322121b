import type { BotRef, Store } from "../../store/store.js";
import { found } from "../found.js";
import { outlastTargets } from "./outlast-targets.js";

/**
 * Stops webhook delivery and forgets the URL and the secret. Once this resolves no instance starts an attempt there. Does
 * nothing when none is set.
 *
 * @throws NotFound
 */
export async function deleteWebhook(store: Store, bot: BotRef): Promise<void> {
  const { target } = found(await store.readStoredWebhook(bot), "bot");
  if (!target) return;
  await store.deleteWebhook(bot, Date.now());
  await outlastTargets(store, bot.botId);
}
