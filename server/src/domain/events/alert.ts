import { WEBHOOK_FAILING, WEBHOOK_PAUSED, WEBHOOK_RECOVERED } from "./event.js";
import { patternsOf } from "./subscription.js";

/** What bots, and the webhook for alerts, of an owner are told of the owner's webhooks. */
export const ALERT_KINDS = [WEBHOOK_FAILING, WEBHOOK_RECOVERED, WEBHOOK_PAUSED] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

export function isAlert(kind: string): kind is AlertKind {
  return (ALERT_KINDS as readonly string[]).includes(kind);
}

/** For each kind the entries of a subscription that match it. */
export const ALERT_PATTERNS: Readonly<Record<AlertKind, string>> = {
  [WEBHOOK_FAILING]: JSON.stringify(patternsOf(WEBHOOK_FAILING)),
  [WEBHOOK_RECOVERED]: JSON.stringify(patternsOf(WEBHOOK_RECOVERED)),
  [WEBHOOK_PAUSED]: JSON.stringify(patternsOf(WEBHOOK_PAUSED)),
};
