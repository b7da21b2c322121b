import { encodeTestEvent, type SendOnce, type SentOnce } from "../../domain/delivery/webhook.js";
import { InvalidInput } from "../../domain/errors.js";
import type { Store, WebhookRef } from "../../store/store.js";
import { found, foundWebhook } from "../found.js";
import { checkSendable } from "./check-sendable.js";

/**
 * Sends a test event to a bot's webhook, also while it is paused or its owner has disabled the bot. Nothing is recorded.
 * When the receiver accepts it and was only probed, deliveries begin again at once.
 *
 * @param admit called once there is a webhook to send to
 * @returns undefined when `admit` does not allow it
 * @throws InvalidInput when there is no webhook, or the platform has taken the bot out of service
 * @throws NotFound
 */
export async function testWebhook(
  store: Store,
  sendOnce: SendOnce,
  ref: WebhookRef,
  admit: () => boolean,
): Promise<SentOnce | undefined> {
  await checkSendable(store, ref);
  const { id: known, target, version } = found(await store.readStoredWebhook(ref), "bot");
  const id = foundWebhook(known, ref);
  if (!target) throw new InvalidInput("the bot has no webhook: set one first", "no_webhook");
  if (!admit()) return undefined;
  const sent = await sendOnce(id, target, encodeTestEvent(ref.botId, ref.ownerUserId, Date.now()));
  return { ...sent, hasEndedRest: sent.accepted && (await store.endRest(ref, version, Date.now())) };
}
