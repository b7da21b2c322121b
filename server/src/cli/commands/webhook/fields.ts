import type { WebhookConfig } from "@botyard/sdk";

/** What is shown of a webhook. */
export function fieldsOf(webhook: WebhookConfig) {
  return {
    url: webhook.url || "none",
    state: stateOf(webhook),
    secret: webhook.has_secret_token ? "set" : "none",
    order: webhook.order,
    "set aside after": webhook.hold_attempts,
    "updates a request": webhook.max_batch,
    "requests at once": webhook.max_in_flight,
    "requests a second": webhook.max_per_second,
    "kinds of events": webhook.event_types?.join(", "),
    headers: webhook.header_names?.join(", "),
    "pauses after": webhook.auto_pause,
    "earlier secret signs until": webhook.previous_secret_until,
    pending: webhook.pending_update_count,
    "last error": webhook.last_delivery_error || undefined,
    "last attempt": webhook.last_attempted_at,
    "last delivery": webhook.last_delivered_at,
    "next retry": webhook.next_retry_at ?? undefined,
  };
}

const PAUSED_BECAUSE = {
  gone: ": its receiver answered 410",
  failing: ": its receiver kept failing",
  platform: " by the platform",
  owner: "",
};

/** Whether it is healthy, and if not, since when and why. */
export function stateOf({
  url,
  paused_at,
  pause_reason,
  failing_since,
  last_delivered_at,
}: Pick<
  WebhookConfig,
  "url" | "paused_at" | "pause_reason" | "failing_since" | "last_delivered_at"
>): string {
  if (url === "") return "not set";
  if (paused_at) return `paused since ${paused_at}${PAUSED_BECAUSE[pause_reason ?? "owner"]}`;
  if (failing_since) return `failing since ${failing_since}`;
  return last_delivered_at ? "healthy" : "not tried yet";
}
