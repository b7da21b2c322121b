import type { SendOnce, SentOnce } from "../../domain/delivery/webhook.js";
import { InvalidInput } from "../../domain/errors.js";
import { encodeUpdate } from "../../domain/events/update.js";
import type { Store, WebhookRef } from "../../store/store.js";
import { found, foundWebhook } from "../found.js";
import { findUpdate } from "../logs/find-update.js";
import { checkSendable } from "./check-sendable.js";

/**
 * Sends an update that was delivered to the bot's webhook once more, also while that is paused or its owner has disabled the bot.
 * It stays delivered whatever the receiver answers, and nothing is recorded.
 *
 * @param admit called when the update and the webhook were found
 * @returns undefined when `admit` does not allow it
 * @throws InvalidInput when it is not delivered, there is no webhook, or the platform has taken the bot out of service
 * @throws NotFound
 */
export async function sendUpdateAgain(
  store: Store,
  sendOnce: SendOnce,
  ref: WebhookRef,
  updateId: number,
  admit: () => boolean,
): Promise<SentOnce | undefined> {
  await checkSendable(store, ref);
  const { id: known, target } = found(await store.readStoredWebhook(ref), "bot");
  const id = foundWebhook(known, ref);
  const update = found(await findUpdate(store, id, updateId), "update");
  if (update.state !== "delivered") {
    throw new InvalidInput(
      `update ${updateId} is ${update.state}: only what was delivered is sent again; replay what failed or waits for a retry`,
      "not_delivered",
    );
  }
  if (!target) throw new InvalidInput("the bot has no webhook: set one first", "no_webhook");
  if (!admit()) return undefined;
  return await sendOnce(id, target, encodeUpdate(update), updateId);
}
