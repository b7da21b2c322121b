import type { WebhookConfig } from "../../domain/delivery/webhook.js";
import { InvalidInput } from "../../domain/errors.js";
import type { Store, WebhookRef } from "../../store/store.js";
import { foundWebhook } from "../found.js";
import { waitUntilTargetsExpire } from "./wait-until-targets-expire.js";

/**
 * Stops delivery until {@link resumeWebhook}; updates are still recorded. Once this resolves no instance starts an attempt,
 * even if it missed the hint: by then it has had to read the webhook again. Pausing again changes nothing.
 *
 * @throws InvalidInput when there is no webhook
 * @throws NotFound
 */
export async function pauseWebhook(store: Store, ref: WebhookRef): Promise<WebhookConfig> {
  const webhook = await setPaused(store, ref, true);
  const destinationId = foundWebhook(await store.findDestination(ref), ref);
  await waitUntilTargetsExpire(store, { destinationId });
  return webhook;
}

/**
 * Starts delivery again, with the oldest update that was recorded meanwhile. Resuming a webhook that is not paused changes
 * nothing.
 *
 * @throws InvalidInput when there is no webhook
 * @throws NotFound
 */
export function resumeWebhook(store: Store, ref: WebhookRef): Promise<WebhookConfig> {
  return setPaused(store, ref, false);
}

async function setPaused(store: Store, ref: WebhookRef, paused: boolean): Promise<WebhookConfig> {
  const before = foundWebhook(await store.readWebhook(ref), ref);
  const isPaused = before.pausedAt !== undefined;
  if (before.url !== "" && isPaused === paused) return before;
  const webhook = foundWebhook(await store.setWebhookPaused(ref, paused, Date.now()), ref);
  if (webhook === "no webhook") throw new InvalidInput("the bot has no webhook: set one first", "no_webhook");
  return webhook;
}
