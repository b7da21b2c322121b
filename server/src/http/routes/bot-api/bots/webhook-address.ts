import { type Static, type TObject, type TSchema, Type } from "typebox";
import { Check } from "typebox/schema";
import { isDefaultWebhook, type WebhookConfig } from "../../../../domain/delivery/webhook.js";
import { found } from "../../../../operations/found.js";
import type { Store, WebhookRef } from "../../../../store/store.js";
import {
  NamedWebhookConfigBody,
  toNamedWebhookConfigBody,
  toWebhookConfigBody,
  WebhookConfigBody,
} from "../../../schemas/delivery/webhook.js";
import { answer } from "../../../schemas/document/component.js";
import { WebhookName } from "../../../schemas/values/text.js";
import { extension } from "../../../surface.js";
import { type BotPath, botRef, type OwnerRequest } from "../../refs.js";

/** What the schema of an operation says, as far as it depends on the address. */
interface Described {
  operationId: string;
  summary: string;
  description: string;
  params: TObject;
}

/** What is said otherwise of an operation by name. */
interface ByName {
  description?: string;
  name?: TSchema;
}

/**
 * Where the operations of a webhook are. The webhook of the contract has addresses of its own; all of a bot's webhooks, it
 * among them, have theirs by their names. What an operation takes and answers is the same at both.
 */
export interface WebhookAddress {
  /** The path of the webhook. */
  webhook: string;
  /** The path of what its deliveries are read below. */
  history: string;
  /** The schema of an answer that is a webhook. */
  answerOf(description: string): ReturnType<typeof answer<typeof WebhookConfigBody>>;
  /** @param operationId by name */
  contract<Schema extends Described>(schema: Schema, operationId: string, byName?: ByName): Schema;
  /** The same for an operation that is an extension at either address. */
  extension<Schema extends Described>(schema: Schema, operationId: string): Schema;
  toConfigBody(
    store: Store,
    webhook: WebhookRef,
    config: WebhookConfig,
  ): Static<typeof WebhookConfigBody> | Promise<Static<typeof WebhookConfigBody>>;
}

const DEFAULT_ADDRESS: WebhookAddress = {
  webhook: "/v1/bot-api/bots/:id/webhook",
  history: "/v1/bot-api/bots/:id",
  answerOf: (description) => answer(WebhookConfigBody, description),
  contract: (schema) => schema,
  extension,
  toConfigBody: (_store, _webhook, config) => toWebhookConfigBody(config),
};

const NAMED_ADDRESS: WebhookAddress = {
  webhook: "/v1/bot-api/bots/:id/webhooks/:name",
  history: "/v1/bot-api/bots/:id/webhooks/:name",
  answerOf: (description) => answer(NamedWebhookConfigBody, description),
  contract: byName,
  extension: byName,
  toConfigBody: async (store, webhook, config) =>
    toNamedWebhookConfigBody({ name: await nameOf(store, webhook), config }),
};

export const WEBHOOK_ADDRESSES = [DEFAULT_ADDRESS, NAMED_ADDRESS];

/** A text that cannot be a webhook's name is simply not found. */
const AnyName = Type.String({ description: "The webhook's name, whatever its case." });

function byName<Schema extends Described>(
  schema: Schema,
  operationId: string,
  { name = AnyName, ...others }: ByName = {},
): Schema {
  return extension({
    ...schema,
    ...others,
    operationId,
    summary: `By the webhook's name: ${schema.summary.charAt(0).toLowerCase()}${schema.summary.slice(1)}`,
    params: Type.Object({ ...schema.params.properties, name }),
  });
}

/** The name as it was given when the webhook was first set. */
async function nameOf(store: Store, webhook: WebhookRef): Promise<string> {
  const { name = "" } = webhook;
  const lowerCase = name.toLowerCase();
  if (isDefaultWebhook(name)) return lowerCase;
  const webhooks = (await store.listWebhooks(webhook)) ?? [];
  return webhooks.find((one) => one.name.toLowerCase() === lowerCase)?.name ?? name;
}

/**
 * The webhook in a path, if the caller owns its bot.
 *
 * @throws NotFound when the text in the place of the name cannot be one
 */
export function webhookRef(
  request: OwnerRequest & { params: Static<typeof BotPath> & { name?: string } },
): WebhookRef {
  const { name } = request.params;
  if (name === undefined) return botRef(request);
  return { ...botRef(request), name: found(Check(WebhookName, name) ? name : undefined, "webhook") };
}
