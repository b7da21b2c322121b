import type { WebhookConfig } from "../../domain/delivery/webhook.js";
import { InvalidInput, NotFound } from "../../domain/errors.js";
import { ALERT_KINDS } from "../../domain/events/alert.js";
import { isSent } from "../../domain/events/subscription.js";
import { newId } from "../../domain/ids.js";
import type { AuditContext, Audited, Store, WebhookLogKind, WebhookRef } from "../../store/store.js";
import { checkDraft, setWebhook, type WebhookDraft, type WebhookRules } from "./set-webhook.js";
import { waitUntilTargetsExpire } from "./wait-until-targets-expire.js";

const NOT_SET: WebhookConfig = { url: "", hasSecretToken: false, lastError: "", pendingUpdates: 0 };

/** A webhook that is no bot's, and whose it is. */
export interface LogWebhookRef extends Audited {
  kind: WebhookLogKind;
  ownerUserId: string;
}

/** The webhook; its `url` is empty when none is set. */
export async function readLogWebhook(
  store: Store,
  { kind, ownerUserId }: LogWebhookRef,
): Promise<WebhookConfig> {
  const botId = await store.findWebhookLog(kind, ownerUserId);
  return (botId && (await store.readWebhook({ botId, ownerUserId }))) || NOT_SET;
}

/**
 * Sets it. Of alerts, what happened before is not told.
 *
 * @throws InvalidInput
 */
export async function setLogWebhook(
  store: Store,
  rules: WebhookRules,
  log: LogWebhookRef,
  draft: WebhookDraft,
): Promise<WebhookConfig> {
  const { kind, ownerUserId } = log;
  // A log that nothing is sent from would be left behind.
  checkDraft(rules, draft);
  const { eventTypes = [] } = draft.settings ?? {};
  if (kind === "alerts" && eventTypes && !ALERT_KINDS.some((alert) => isSent(alert, eventTypes)))
    throw new InvalidInput(
      `event_types has none of what is told here: ${ALERT_KINDS.join(", ")}`,
      "unknown_event_type",
    );
  for (;;) {
    const botId = await store.openWebhookLog(kind, ownerUserId, newId());
    try {
      return await setWebhook(store, rules, { ownerUserId, botId, audit: auditOf(log) }, draft);
    } catch (error) {
      // It was removed at the same time, before the URL was set: it is made once more.
      if (!(error instanceof NotFound)) throw error;
    }
  }
}

/** Removes it with what its log still had to send; bots are told of alerts all the same. Once this resolves no lane starts an attempt there. */
export async function deleteLogWebhook(store: Store, log: LogWebhookRef): Promise<void> {
  const { kind, ownerUserId } = log;
  const botId = await store.findWebhookLog(kind, ownerUserId);
  if (botId !== undefined) {
    const ref: WebhookRef = { ownerUserId, botId, audit: auditOf(log) };
    await store.deleteWebhook(ref, Date.now());
    await waitUntilTargetsExpire(store, { destinationId: botId });
  }
  await store.removeWebhookLog(kind, ownerUserId);
}

/** Nobody knows these webhooks by an id. */
function auditOf({ kind, ownerUserId, audit }: LogWebhookRef): AuditContext | undefined {
  if (!audit) return undefined;
  if (kind === "feed") return { ...audit, target: { type: "feed_webhook", id: kind } };
  return { ...audit, target: { type: "alerts", id: ownerUserId } };
}
