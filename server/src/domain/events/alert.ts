import { AUDIT_ENTRY, WEBHOOK_FAILING, WEBHOOK_PAUSED, WEBHOOK_RECOVERED } from "./event.js";
import { patternsOf } from "./subscription.js";

/** What bots, and the webhook for alerts, of an owner are told of the owner's webhooks. */
export const WEBHOOK_ALERTS = [WEBHOOK_FAILING, WEBHOOK_RECOVERED, WEBHOOK_PAUSED] as const;

/** What they may be told. {@link AUDIT_ENTRY} only when they name it: `*`, and no `event_types` at all, leave it out. */
export const ALERT_KINDS = [...WEBHOOK_ALERTS, AUDIT_ENTRY] as const;

type WebhookAlert = (typeof WEBHOOK_ALERTS)[number];
export type AlertKind = (typeof ALERT_KINDS)[number];

export function isWebhookAlert(kind: string): kind is WebhookAlert {
  return (WEBHOOK_ALERTS as readonly string[]).includes(kind);
}

/** Whether a list of kinds names {@link AUDIT_ENTRY}, by itself or as `alert.*`. */
export function namesAuditEntries(eventTypes: readonly string[]): boolean {
  return patternsOf(AUDIT_ENTRY).some((pattern) => pattern !== "*" && eventTypes.includes(pattern));
}

/** For each kind of alert about webhooks the entries of a subscription that match it. */
export const ALERT_PATTERNS: Readonly<Record<WebhookAlert, string>> = {
  [WEBHOOK_FAILING]: JSON.stringify(patternsOf(WEBHOOK_FAILING)),
  [WEBHOOK_RECOVERED]: JSON.stringify(patternsOf(WEBHOOK_RECOVERED)),
  [WEBHOOK_PAUSED]: JSON.stringify(patternsOf(WEBHOOK_PAUSED)),
};
