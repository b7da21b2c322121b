import { type Static, Type } from "typebox";
import { READINGS, type Reading } from "../../../domain/events/consumer.js";
import { POST_CREATED } from "../../../domain/events/event.js";
import { DELIVERY_STATES, type TrackedUpdate } from "../../../domain/events/update.js";
import { component, enumOf, itemsOf, listOf, ref, refWith } from "../document/component.js";
import { EXTENSION, timeOf, toRetryTime, toTime, toTimeOrAbsent } from "../values/scalars.js";

/** Stored as text and sent unchanged; `event-payloads.ts` describes the payload of each kind of event. */
const Payload = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "What happened, by `event_type`.",
});

const NextRetryAt = Type.Unsafe<string | null>({
  type: ["string", "null"],
  format: "date-time",
  description: "When the next retry is due; null when none is scheduled.",
});

const LastDeliveryError = Type.String({
  description: "Why the last failed attempt failed; empty when none has failed.",
  examples: ["502 Bad Gateway"],
});

const updateFields = {
  update_id: Type.Integer({ description: "Counts 1, 2, 3 … per bot, without gaps.", examples: [42] }),
  event_type: Type.String({ description: "The kind of event.", examples: [POST_CREATED] }),
  payload: Payload,
  created_at: timeOf("When the update was recorded."),
};

export const DeliveryStateName = enumOf(
  "DeliveryState",
  DELIVERY_STATES,
  "Where the delivery stands: not attempted, waiting for a retry, accepted, given up, skipped when a webhook was set or because it is not of its `event_types`. An extension of Botyard.",
);

export const ReadingName = enumOf(
  "Reading",
  READINGS,
  "Whether all consumers of the bot have handled an update. `unknown` while it has none: polls without a consumer's name leave no trace. An extension of Botyard.",
);

const deliveryFields = {
  channel_id: Type.Optional(
    Type.String({
      description: "The channel that it happened in; left out when there is none, or it is gone.",
      examples: ["0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41"],
      ...EXTENSION,
    }),
  ),
  state: ref(DeliveryStateName),
  delivered_webhook_at: Type.Optional(timeOf("When the receiver accepted it; left out until then.")),
  webhook_attempt_count: Type.Integer({ description: "Attempts to deliver it, all replays included." }),
  last_attempted_at: Type.Optional(timeOf("When the last attempt began; left out before the first.")),
  last_delivery_error: LastDeliveryError,
  next_retry_at: NextRetryAt,
};

/** For an update that no webhook delivers. */
export const ReadingBody = Type.Optional(
  refWith(ReadingName, {
    description:
      "Only without a webhook, of what was neither delivered nor given up. An extension of Botyard.",
  }),
);

/** The `state` of a history query. */
export const StateFilter = Type.Optional(
  refWith(DeliveryStateName, { description: "Only updates in this state. An extension of Botyard." }),
);

export const BotUpdateBody = component(
  "BotUpdate",
  Type.Object(updateFields, { description: "An update as its bot sees it." }),
);
export const BotUpdateList = listOf("BotUpdateList", BotUpdateBody, "Updates of one bot.");

export const OwnerUpdateBody = component(
  "OwnerUpdate",
  Type.Object(
    { ...updateFields, ...deliveryFields, reading: ReadingBody },
    { description: "An update with the state of its delivery, as the bot's owner sees it." },
  ),
);
export const OwnerUpdateList = component(
  "OwnerUpdateList",
  Type.Object(
    {
      items: itemsOf(OwnerUpdateBody),
      stopped_at: Type.Optional(
        Type.Integer({
          description:
            "Only of a search that has not looked at everything: the `before` with which to go on. It may be there without items.",
          ...EXTENSION,
        }),
      ),
    },
    { description: "Updates of one bot with the state of their delivery." },
  ),
);

const { update_id, event_type, created_at } = updateFields;
export const WebhookErrorBody = component(
  "WebhookError",
  Type.Object(
    { update_id, event_type, created_at, ...deliveryFields },
    { description: "An update whose delivery failed at least once, without its payload." },
  ),
);
export const WebhookErrorList = listOf(
  "WebhookErrorList",
  WebhookErrorBody,
  "Updates whose delivery failed.",
);

/** An update with its payload and delivery, as the owner's history shows it. */
export function toOwnerUpdateBody(update: TrackedUpdate, reading?: Reading): Static<typeof OwnerUpdateBody> {
  return {
    ...toWebhookErrorBody(update),
    reading,
    payload: JSON.parse(update.payload) as Record<string, unknown>,
  };
}

/** An update with its delivery alone, as the error log shows it. */
export function toWebhookErrorBody(update: TrackedUpdate): Static<typeof WebhookErrorBody> {
  return {
    update_id: update.updateId,
    event_type: update.eventType ?? POST_CREATED,
    created_at: toTime(update.createdAt),
    channel_id: update.channelId,
    state: update.state,
    delivered_webhook_at: toTimeOrAbsent(update.deliveredAt),
    webhook_attempt_count: update.attemptCount,
    last_attempted_at: toTimeOrAbsent(update.lastAttemptedAt),
    last_delivery_error: update.lastError,
    next_retry_at: toRetryTime(update.nextRetryAt),
  };
}
