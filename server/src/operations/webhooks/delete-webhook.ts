import type { Store, WebhookRef } from "../../store/store.js";
import { found, foundWebhook } from "../found.js";
import { waitUntilTargetsExpire } from "./wait-until-targets-expire.js";

/**
 * Stops webhook delivery and forgets the URL and the secret. Once this resolves no instance starts an attempt there. Does
 * nothing when none is set. One that is not the bot's first is removed with its history.
 *
 * @throws NotFound
 */
export async function deleteWebhook(store: Store, ref: WebhookRef): Promise<void> {
  const { id: known, target } = found(await store.readStoredWebhook(ref), "bot");
  const id = foundWebhook(known, ref);
  if (target) {
    await store.deleteWebhook(ref, Date.now());
    await waitUntilTargetsExpire(store, { destinationId: id });
  }
  await store.removeDestination(ref);
}
