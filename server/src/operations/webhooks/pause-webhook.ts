import type { WebhookConfig } from "../../domain/delivery/webhook.js";
import { InvalidInput } from "../../domain/errors.js";
import type { BotRef, Store } from "../../store/store.js";
import { found } from "../found.js";
import { outlastTargets } from "./outlast-targets.js";

/**
 * Stops delivery until {@link resumeWebhook}; updates are still recorded. Once this resolves no instance starts an attempt,
 * even if it missed the hint: by then it has had to read the webhook again. Pausing again changes nothing.
 *
 * @throws InvalidInput when there is no webhook
 * @throws NotFound
 */
export async function pauseWebhook(store: Store, bot: BotRef): Promise<WebhookConfig> {
  const webhook = await setPaused(store, bot, true);
  await outlastTargets(store, bot.botId);
  return webhook;
}

/**
 * Starts delivery again, with the oldest update that was recorded meanwhile. Resuming a webhook that is not paused changes
 * nothing.
 *
 * @throws InvalidInput when there is no webhook
 * @throws NotFound
 */
export function resumeWebhook(store: Store, bot: BotRef): Promise<WebhookConfig> {
  return setPaused(store, bot, false);
}

async function setPaused(store: Store, bot: BotRef, paused: boolean): Promise<WebhookConfig> {
  const before = found(await store.readWebhook(bot), "bot");
  const isPaused = before.pausedAt !== undefined;
  if (before.url !== "" && isPaused === paused) return before;
  const webhook = found(await store.setWebhookPaused(bot, paused, Date.now()), "bot");
  if (webhook === "no webhook") throw new InvalidInput("the bot has no webhook: set one first", "no_webhook");
  return webhook;
}
