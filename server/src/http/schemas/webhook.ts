import { type Static, Type } from "typebox";
import { MAX_REPLAY_UPDATES } from "../../domain/limits.js";
import type { WebhookConfig, WebhookTest } from "../../domain/webhook.js";
import { component } from "./component.js";
import { EXTENSION, Time, toRetryTime, toTimeOrAbsent } from "./scalars.js";
import { SecretToken, WebhookUrl } from "./text.js";

const PausedAt = Type.String({
  format: "date-time",
  description: "Present while delivery is paused. An extension of Botyard.",
});

export const WebhookConfigBody = component(
  "WebhookConfig",
  Type.Object({
    url: Type.String({ description: "Empty when no webhook is configured." }),
    has_secret_token: Type.Boolean({ description: "The secret itself is never returned." }),
    last_attempted_at: Type.Optional(Time),
    last_delivered_at: Type.Optional(Time),
    last_delivery_error: Type.String({
      description: "Why the last attempt failed; empty after a success.",
    }),
    next_retry_at: Type.Unsafe<string | null>({
      type: ["string", "null"],
      format: "date-time",
      description: "Null when no retry is scheduled.",
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
  }),
);

export const WebhookTestResultBody = component(
  "WebhookTestResult",
  Type.Object({
    delivered: Type.Boolean({ description: "Whether the receiver accepted the event." }),
    status: Type.Optional(Type.Integer({ description: "The receiver's; left out when it gave no answer." })),
    error: Type.String({ description: "As in `last_delivery_error`; empty when it was delivered." }),
    duration_ms: Type.Integer({ description: "From the start of the attempt to the end of the answer." }),
    response_body: Type.String({ description: "At most the first 1 KiB of the answer, as text." }),
  }),
);

export const PutWebhookRequest = component(
  "PutWebhookRequest",
  Type.Object({ url: WebhookUrl, secret_token: Type.Optional(SecretToken) }),
);

export const ReplayRequest = component(
  "ReplayRequest",
  Type.Object(
    {
      update_ids: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
          minItems: 1,
          maxItems: MAX_REPLAY_UPDATES,
          uniqueItems: true,
          description:
            "Only these are requeued, as far as they have failed or wait for a retry. Not together with `limit`.",
        }),
      ),
    },
    { description: "May be left out. An extension of Botyard." },
  ),
);

export const ReplayResultBody = component(
  "ReplayResult",
  Type.Object({
    bot_id: Type.String(),
    requeued: Type.Integer({ description: "Failed updates put back in the delivery queue." }),
    max_window: Type.Integer({ description: "The most one call can requeue." }),
  }),
);

/** The answer to a removal. */
export const DeleteStatusBody = component(
  "DeleteStatus",
  Type.Object({ status: Type.String({ examples: ["deleted"] }) }),
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
  };
}

export function toWebhookTestResultBody(test: WebhookTest): Static<typeof WebhookTestResultBody> {
  const { accepted, status, error, durationMs, responseBody } = test;
  return {
    delivered: accepted,
    ...(status === undefined ? {} : { status }),
    error,
    duration_ms: durationMs,
    response_body: responseBody,
  };
}

export function toReplayResultBody(botId: string, requeued: number): Static<typeof ReplayResultBody> {
  return { bot_id: botId, requeued, max_window: MAX_REPLAY_UPDATES };
}
