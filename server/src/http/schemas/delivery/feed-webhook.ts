import { type Static, Type } from "typebox";
import type { WebhookConfig } from "../../../domain/delivery/webhook.js";
import { MAX_WEBHOOK_BATCH } from "../../../domain/limits.js";
import { pageSizeOf } from "../../../operations/webhooks/feed-webhook.js";
import { component } from "../document/component.js";
import { countOf } from "../values/scalars.js";
import { SecretToken, WebhookUrl } from "../values/text.js";
import { Headers, toWebhookConfigBody, WebhookConfigBody } from "./webhook.js";

export const PutFeedWebhookRequest = component(
  "PutFeedWebhookRequest",
  Type.Object(
    {
      url: WebhookUrl,
      secret_token: Type.Optional(SecretToken),
      max_batch: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_WEBHOOK_BATCH,
          description: `The most items of one request. Left out: it stays as it is, ${MAX_WEBHOOK_BATCH} at first.`,
          examples: [MAX_WEBHOOK_BATCH],
        }),
      ),
      headers: Type.Optional(Headers),
    },
    {
      description: "Where to send the feed. An extension of Botyard.",
      examples: [{ url: "https://example.com/feed" }],
    },
  ),
);

const { url, has_secret_token, header_names, last_attempted_at, last_delivered_at, ...rest } =
  WebhookConfigBody.properties;

export const FeedWebhookConfigBody = component(
  "FeedWebhookConfig",
  Type.Object(
    {
      url: { ...url, description: "Where the feed is sent; empty when no webhook is set." },
      has_secret_token,
      header_names,
      max_batch: Type.Integer({ description: "The most items of one request." }),
      last_attempted_at,
      last_delivered_at,
      last_delivery_error: rest.last_delivery_error,
      failing_since: rest.failing_since,
      pending_item_count: countOf("Items of the feed that it has not accepted yet."),
    },
    {
      description:
        "The webhook of the platform's feed and how its receiver has been answering. An extension of Botyard.",
    },
  ),
);

export function toFeedWebhookConfigBody(config: WebhookConfig): Static<typeof FeedWebhookConfigBody> {
  const body = toWebhookConfigBody(config);
  return {
    url: body.url,
    has_secret_token: body.has_secret_token,
    ...(body.header_names && { header_names: body.header_names }),
    max_batch: pageSizeOf(config),
    last_attempted_at: body.last_attempted_at,
    last_delivered_at: body.last_delivered_at,
    last_delivery_error: body.last_delivery_error,
    failing_since: body.failing_since,
    pending_item_count: body.pending_update_count,
  };
}
