import type { WebhookConfig } from "../../domain/delivery/webhook.js";
import { NotFound } from "../../domain/errors.js";
import { newId } from "../../domain/ids.js";
import type { OwnerActor, Store, WebhookRef } from "../../store/store.js";
import { outlastTargets } from "./outlast-targets.js";
import { checkDraft, setWebhook, type WebhookDraft, type WebhookRules } from "./set-webhook.js";

const NOT_SET: WebhookConfig = { url: "", hasSecretToken: false, lastError: "", pendingUpdates: 0 };

/** The webhook that hears of all webhooks of an owner's bots; its `url` is empty when none is set. */
export async function readAlerts(store: Store, { ownerUserId }: OwnerActor): Promise<WebhookConfig> {
  const botId = await store.findWebhookLog("alerts", ownerUserId);
  return (botId && (await store.readWebhook({ botId, ownerUserId }))) || NOT_SET;
}

/**
 * Sets it. What happened before is not told.
 *
 * @throws InvalidInput
 */
export async function setAlerts(
  store: Store,
  rules: WebhookRules,
  actor: OwnerActor,
  draft: WebhookDraft,
): Promise<WebhookConfig> {
  // A log that nothing is sent from would be left behind.
  checkDraft(rules, draft);
  for (;;) {
    const botId = await store.openWebhookLog("alerts", actor.ownerUserId, newId());
    try {
      return await setWebhook(store, rules, { ...actor, botId }, draft);
    } catch (error) {
      // It was removed at the same time, before the URL was set: it is made once more.
      if (!(error instanceof NotFound)) throw error;
    }
  }
}

/** Removes it with what was still to be sent there; bots are told all the same. Once this resolves no instance starts an attempt there. */
export async function deleteAlerts(store: Store, actor: OwnerActor): Promise<void> {
  const botId = await store.findWebhookLog("alerts", actor.ownerUserId);
  if (botId !== undefined) {
    const ref: WebhookRef = { ...actor, botId };
    await store.deleteWebhook(ref, Date.now());
    await outlastTargets(store, botId);
  }
  await store.removeWebhookLog("alerts", actor.ownerUserId);
}
