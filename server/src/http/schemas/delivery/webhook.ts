import { type Static, Type } from "typebox";
import type { SentOnce, WebhookConfig } from "../../../domain/delivery/webhook.js";
import {
  MAX_REPLAY_UPDATES,
  MAX_WEBHOOK_HEADERS,
  MAX_WEBHOOK_HEADERS_BYTES,
} from "../../../domain/limits.js";
import type { NamedWebhook } from "../../../store/store.js";
import { component, enumOf, listOf, ref } from "../document/component.js";
import { EXTENSION, idOf, timeOf, toRetryTime, toTime, toTimeOrAbsent } from "../values/scalars.js";
import { SecretToken, WebhookName, WebhookUrl } from "../values/text.js";
import { SettingsOfConfig, SettingsOfRequest, toSettingsBody } from "./webhook-settings.js";

export const UndeliveredStateName = enumOf(
  "UndeliveredState",
  ["failed", "scheduled"],
  "Failed for good, or waiting for a retry. An extension of Botyard.",
);

const PausedAt = Type.String({
  format: "date-time",
  description: "Present while delivery is paused. An extension of Botyard.",
});

export const PauseReasonName = enumOf(
  "PauseReason",
  ["gone", "failing", "owner", "platform"],
  "Why a webhook is paused: its receiver has answered 410, has failed for as long as `auto_pause` says, or its owner or the platform has paused it. An extension of Botyard.",
);

export const WebhookConfigBody = component(
  "WebhookConfig",
  Type.Object(
    {
      url: Type.String({ description: "Where updates are sent; empty when no webhook is configured." }),
      has_secret_token: Type.Boolean({
        description: "Whether a secret token is set. The secret itself is never returned.",
      }),
      last_attempted_at: Type.Optional(timeOf("When the last attempt began; left out before the first.")),
      last_delivered_at: Type.Optional(
        timeOf("When the last update was accepted; left out before the first."),
      ),
      last_delivery_error: Type.String({
        description: "Why the last attempt failed; empty after a success.",
      }),
      next_retry_at: Type.Unsafe<string | null>({
        type: ["string", "null"],
        format: "date-time",
        description: "When the next retry is due; null when none is scheduled.",
      }),
      failing_since: Type.Optional(
        Type.String({
          format: "date-time",
          description:
            "Since when every attempt has failed; left out when the last one was accepted or none was made.",
          ...EXTENSION,
        }),
      ),
      pending_update_count: Type.Integer({
        description: "Undelivered updates, those waiting for a retry included.",
      }),
      paused_at: Type.Optional(PausedAt),
      pause_reason: Type.Optional(ref(PauseReasonName)),
      ...SettingsOfConfig,
      header_names: Type.Optional(
        Type.Array(Type.String({ description: "As it was given." }), {
          description:
            "The names of the headers that are set with `headers`; left out when there are none. The values are never returned.",
          ...EXTENSION,
        }),
      ),
      previous_secret_until: Type.Optional(
        Type.String({
          format: "date-time",
          description:
            "Until when a secret token that was replaced by `rotateWebhookSecret` still signs; left out when none does.",
          ...EXTENSION,
        }),
      ),
    },
    { description: "A bot's webhook and how its receiver has been answering." },
  ),
);

export const NamedWebhookConfigBody = component(
  "NamedWebhookConfig",
  Type.Object(
    { name: WebhookName, ...WebhookConfigBody.properties },
    {
      description:
        "One of a bot's webhooks and how its receiver has been answering. An extension of Botyard.",
    },
  ),
);

export const WebhookList = listOf(
  "WebhookList",
  NamedWebhookConfigBody,
  "The webhooks of a bot. An extension of Botyard.",
);

export const WebhookTestResultBody = component(
  "WebhookTestResult",
  Type.Object(
    {
      delivered: Type.Boolean({ description: "Whether the receiver accepted it." }),
      status: Type.Optional(
        Type.Integer({ description: "The status of the receiver's answer; left out when it gave none." }),
      ),
      error: Type.String({ description: "As in `last_delivery_error`; empty when it was delivered." }),
      duration_ms: Type.Integer({ description: "From the start of the attempt to the end of the answer." }),
      response_body: Type.String({ description: "At most the first 1 KiB of the answer, as text." }),
      recovery_started: Type.Optional(
        Type.Boolean({
          description:
            "True when the receiver was only probed after failures, and this test event has started deliveries again at once; else left out.",
        }),
      ),
    },
    {
      description:
        "What the receiver answered to a test event, or to an update that was sent again. An extension of Botyard.",
    },
  ),
);

const DeliverFrom = Type.String({
  description:
    'Which undelivered updates a webhook is sent that is newly set or gets another URL: `"backlog"`, all of them; `"now"`, those recorded from now on; the digits of a number, `"42"`, those from that `update_id` on; `"consumer:NAME"`, those that this consumer of the bot has not handled. Left out: those that no consumer has handled; for a new webhook with another name than `default`, those from now on. The others are skipped: they stay in the log, count as skipped, and are never sent. Without effect while the URL stays the same. An extension of Botyard.',
  examples: ["backlog"],
});

export const Headers = Type.Record(Type.String(), Type.String(), {
  description: `Headers that each request carries beside ours, such as \`Authorization\`: at most ${MAX_WEBHOOK_HEADERS}, and ${MAX_WEBHOOK_HEADERS_BYTES / 1024} KiB of names and values. Values are visible ASCII and are stored like the secret: encrypted, and never returned. Not \`Host\`, \`Content-…\`, those of a connection, or what the service sets itself. \`{}\` removes them. Left out: they stay as they are, unless the URL's origin changes: then they are removed. An extension of Botyard.`,
  examples: [{ Authorization: "Bearer 4f1c" }],
});

export const SecretOverlap = Type.Optional(
  Type.String({
    description: "For how long the secret before still signs: a duration up to `24h`. `0s`: not at all.",
    default: "24h",
    examples: ["1h"],
  }),
);

export const RotatedSecretBody = component(
  "RotatedSecret",
  Type.Object(
    {
      secret_token: Type.String({
        description:
          "The new secret, `whsec_` and base64: of the form of Standard Webhooks. It is shown only here.",
      }),
      previous_until: Type.Optional(timeOf("Until when those before still sign; left out when none does.")),
    },
    { description: "A new secret token of a webhook. An extension of Botyard." },
  ),
);

export const PutWebhookRequest = component(
  "PutWebhookRequest",
  Type.Object(
    {
      url: WebhookUrl,
      secret_token: Type.Optional(SecretToken),
      deliver_from: Type.Optional(DeliverFrom),
      ...SettingsOfRequest,
      headers: Type.Optional(Headers),
    },
    // Without a secret: sent as it is, it leaves the one that is set.
    { description: "Where to send a bot's updates.", examples: [{ url: "https://example.com/hook" }] },
  ),
);

export const PutAlertsRequest = component(
  "PutAlertsRequest",
  Type.Object(
    {
      url: WebhookUrl,
      secret_token: Type.Optional(SecretToken),
      ...SettingsOfRequest,
      headers: Type.Optional(Headers),
    },
    {
      description: "Where to tell of your webhooks. An extension of Botyard.",
      examples: [{ url: "https://example.com/alerts" }],
    },
  ),
);

export const ReplayRequest = component(
  "ReplayRequest",
  Type.Object(
    {
      update_ids: Type.Optional(
        Type.Array(
          Type.Integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "The `update_id` of an update.",
          }),
          {
            minItems: 1,
            maxItems: MAX_REPLAY_UPDATES,
            uniqueItems: true,
            description:
              "Only these are requeued, as far as they have failed or wait for a retry. Not together with `limit`.",
          },
        ),
      ),
    },
    {
      description: "Which updates to requeue. May be left out. An extension of Botyard.",
      examples: [{ update_ids: [41, 42] }],
    },
  ),
);

export const ReplayResultBody = component(
  "ReplayResult",
  Type.Object(
    {
      bot_id: idOf("The bot."),
      requeued: Type.Integer({ description: "Failed updates put back in the delivery queue." }),
      max_window: Type.Integer({ description: "The most one call can requeue." }),
    },
    { description: "How many failed updates were put back in the delivery queue." },
  ),
);

/** The answer to a removal. */
export const DeleteStatusBody = component(
  "DeleteStatus",
  Type.Object(
    { status: Type.String({ description: "What was done.", examples: ["deleted"] }) },
    { description: "The answer to a removal." },
  ),
);

export function toWebhookConfigBody(config: WebhookConfig): Static<typeof WebhookConfigBody> {
  return {
    url: config.url,
    has_secret_token: config.hasSecretToken,
    last_attempted_at: toTimeOrAbsent(config.lastAttemptedAt),
    last_delivered_at: toTimeOrAbsent(config.lastDeliveredAt),
    last_delivery_error: config.lastError,
    next_retry_at: toRetryTime(config.nextRetryAt),
    failing_since: toTimeOrAbsent(config.failingSince),
    pending_update_count: config.pendingUpdates,
    paused_at: toTimeOrAbsent(config.pausedAt),
    ...(config.pauseReason && { pause_reason: config.pauseReason }),
    ...toSettingsBody(config.settings),
    ...(config.headerNames && { header_names: [...config.headerNames] }),
    ...(config.previousSecretUntil !== undefined &&
      config.previousSecretUntil > Date.now() && {
        previous_secret_until: toTime(config.previousSecretUntil),
      }),
  };
}

export function toNamedWebhookConfigBody({
  name,
  config,
}: NamedWebhook): Static<typeof NamedWebhookConfigBody> {
  return { name, ...toWebhookConfigBody(config) };
}

export function toWebhookTestResultBody(sent: SentOnce): Static<typeof WebhookTestResultBody> {
  const { accepted, status, error, durationMs, responseBody, hasEndedRest } = sent;
  return {
    delivered: accepted,
    ...(status === undefined ? {} : { status }),
    error,
    duration_ms: durationMs,
    response_body: responseBody,
    ...(hasEndedRest && { recovery_started: true }),
  };
}

export function toReplayResultBody(botId: string, requeued: number): Static<typeof ReplayResultBody> {
  return { bot_id: botId, requeued, max_window: MAX_REPLAY_UPDATES };
}
