import { type Static, Type } from "typebox";
import {
  DELIVERY_STATES,
  type DeliveryState,
  POST_CREATED,
  type TrackedUpdate,
} from "../../domain/update.js";
import { component, listOf } from "./component.js";
import { EXTENSION, Time, toRetryTime, toTime, toTimeOrAbsent } from "./scalars.js";

const Payload = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description:
    "`channel.post_created`: body, channel_id, post_id, author_username, and media where the post has any.",
});

const NextRetryAt = Type.Unsafe<string | null>({
  type: ["string", "null"],
  format: "date-time",
  description: "Null when no retry is scheduled.",
});

const LastDeliveryError = Type.String({ description: "Empty when no attempt has failed." });

const updateFields = {
  update_id: Type.Integer({ description: "Counts 1, 2, 3 … per bot, without gaps." }),
  event_type: Type.String({ examples: [POST_CREATED] }),
  payload: Payload,
  created_at: Time,
};

const State = Type.Unsafe<DeliveryState>({
  type: "string",
  enum: [...DELIVERY_STATES],
  description: "Where the delivery stands: not attempted, waiting for a retry, accepted, given up.",
  ...EXTENSION,
});

const deliveryFields = {
  state: State,
  delivered_webhook_at: Type.Optional(Time),
  webhook_attempt_count: Type.Integer(),
  last_attempted_at: Type.Optional(Time),
  last_delivery_error: LastDeliveryError,
  next_retry_at: NextRetryAt,
};

/** The `state` of a history query. */
export const StateFilter = Type.Optional(
  Type.Unsafe<DeliveryState>({
    type: "string",
    enum: [...DELIVERY_STATES],
    description: "Only updates in this state. An extension of Botyard.",
  }),
);

export const BotUpdateBody = component("BotUpdate", Type.Object(updateFields));
export const BotUpdateList = listOf("BotUpdateList", BotUpdateBody);

export const OwnerUpdateBody = component("OwnerUpdate", Type.Object({ ...updateFields, ...deliveryFields }));
export const OwnerUpdateList = listOf("OwnerUpdateList", OwnerUpdateBody);

const { update_id, event_type, created_at } = updateFields;
export const WebhookErrorBody = component(
  "WebhookError",
  Type.Object({ update_id, event_type, created_at, ...deliveryFields }),
);
export const WebhookErrorList = listOf("WebhookErrorList", WebhookErrorBody);

/** An update with its payload and delivery, as the owner's history shows it. */
export function toOwnerUpdateBody(update: TrackedUpdate): Static<typeof OwnerUpdateBody> {
  return {
    ...toWebhookErrorBody(update),
    payload: JSON.parse(update.payload) as Record<string, unknown>,
  };
}

/** An update with its delivery alone, as the error log shows it. */
export function toWebhookErrorBody(update: TrackedUpdate): Static<typeof WebhookErrorBody> {
  return {
    update_id: update.updateId,
    event_type: POST_CREATED,
    created_at: toTime(update.createdAt),
    state: update.state,
    delivered_webhook_at: toTimeOrAbsent(update.deliveredAt),
    webhook_attempt_count: update.attemptCount,
    last_attempted_at: toTimeOrAbsent(update.lastAttemptedAt),
    last_delivery_error: update.lastError,
    next_retry_at: toRetryTime(update.nextRetryAt),
  };
}
