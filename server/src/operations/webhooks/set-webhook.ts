import { STANDARD_PREFIX, standardKeyOf } from "../../domain/delivery/standard-secret.js";
import {
  isDefaultWebhook,
  parseWebhookUrl,
  type WebhookConfig,
  type WebhookTarget,
} from "../../domain/delivery/webhook.js";
import { checkHeaders, encodeCredentials } from "../../domain/delivery/webhook-credentials.js";
import { refusalOfHost, type WebhookReach } from "../../domain/delivery/webhook-reach.js";
import {
  changesOf,
  type SettingsEdit,
  type WebhookDefaults,
} from "../../domain/delivery/webhook-settings.js";
import { InvalidInput } from "../../domain/errors.js";
import { refuseUnknownTypes } from "../../domain/events/subscription.js";
import { newId } from "../../domain/ids.js";
import { MAX_WEBHOOKS_PER_BOT } from "../../domain/limits.js";
import { capReached } from "../../domain/owners/standing.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { Store, WebhookEdit, WebhookRef } from "../../store/store.js";
import { found } from "../found.js";
import { createKeyedTurns } from "../keyed-turns.js";
import { openCredentials, sealCredentials } from "./credentials.js";
import { type DeliverFrom, parseDeliverFrom, skipFor } from "./deliver-from.js";
import { waitUntilTargetsExpire } from "./wait-until-targets-expire.js";
import { changeInTurn } from "./webhook-turns.js";

export interface WebhookDraft {
  url: string;
  /** Left out: the stored one stays while the URL keeps its origin. Empty: it is removed. */
  secretToken?: string;
  /** Left out: the stored ones stay while the URL keeps its origin. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** What is left out stays as it is stored. */
  settings?: SettingsEdit;
  /**
   * Used when the webhook is newly set or gets another URL. When left out, updates that any consumer has handled are
   * skipped; a new webhook with a name of its own begins with what follows.
   */
  deliverFrom?: string | undefined;
}

/** What a webhook is checked and sealed with. */
export interface WebhookRules {
  secretBox: SecretBox;
  reach: WebhookReach;
  /** What a setting is that is not stored; those of a bot's webhook when left out. */
  defaults?: WebhookDefaults;
  /** The most webhooks that the owner may have, for a new one; no limit when left out. */
  mostOfOwner?: number | undefined;
}

const REFUSALS = {
  address: {
    message: "url must have a public address: loopback, private and link-local ones are refused",
    code: "address_not_allowed",
  },
  host: {
    message: "url must have one of the hosts that this service is configured to deliver to",
    code: "host_not_allowed",
  },
} as const;

/**
 * Sets a bot's webhook; undelivered updates become due immediately, except those that it skips. Setting the same
 * webhook again changes nothing, so a bot may do it at each start. Once this resolves no instance starts an attempt at the
 * webhook before.
 *
 * @throws InvalidInput when webhooks may not go to the URL, a header, a kind of events or `deliverFrom` is not valid, or the bot has too many webhooks
 * @throws NotFound
 */
export async function setWebhook(
  store: Store,
  rules: WebhookRules,
  webhook: WebhookRef,
  draft: WebhookDraft,
): Promise<WebhookConfig> {
  checkDraft(rules, draft);
  const from = draft.deliverFrom === undefined ? undefined : parseDeliverFrom(draft.deliverFrom);
  const { config, replaced } = await inTurnOfOwner(rules, webhook.ownerUserId, () =>
    changeInTurn(webhook.botId, () => storeWebhook(store, rules, webhook, draft, from)),
  );
  if (replaced !== undefined) await waitUntilTargetsExpire(store, { destinationId: replaced });
  return config;
}

/** The calls of an owner whose webhooks are limited, at this instance: each counts what those before have set. */
const inTurns = createKeyedTurns();

function inTurnOfOwner<Result>(
  { mostOfOwner }: WebhookRules,
  ownerUserId: string,
  set: () => Promise<Result>,
): Promise<Result> {
  return mostOfOwner === undefined ? set() : inTurns(ownerUserId, set);
}

/** @throws InvalidInput for what is wrong whatever is stored */
export function checkDraft(
  { reach }: WebhookRules,
  { url, secretToken, headers, settings }: WebhookDraft,
): void {
  checkUrl(url, reach);
  if (secretToken?.startsWith(STANDARD_PREFIX) && !standardKeyOf(secretToken))
    throw new InvalidInput(
      `secret_token begins with ${STANDARD_PREFIX}, so the base64 of 24 to 64 bytes must follow, as Standard Webhooks say`,
      "invalid_secret_token",
    );
  if (headers) checkHeaders(headers);
  if (settings?.eventTypes) refuseUnknownTypes(settings.eventTypes);
}

/** @returns the webhook as this call has left it, and the id of its destination if it replaced another; undefined when it was changed meanwhile */
async function storeWebhook(
  store: Store,
  rules: WebhookRules,
  ref: WebhookRef,
  draft: WebhookDraft,
  from: DeliverFrom | undefined,
): Promise<{ config: WebhookConfig; replaced: string | undefined } | undefined> {
  const { id = newId(), target, round } = found(await store.readStoredWebhook(ref), "bot");
  if (!target) await refuseBeyond(store, ref.ownerUserId, rules.mostOfOwner);
  const sealed = credentialsToStore(rules.secretBox, id, draft, target);
  const settings = changesOf(draft.settings ?? {}, target?.settings, rules.defaults);
  if (target?.url === draft.url && !sealed && !settings) {
    const config = await store.readWebhook(ref);
    const after = found(await store.readStoredWebhook(ref), "bot");
    return config && after.round === round ? { config, replaced: undefined } : undefined;
  }
  const start = from ?? (isNewlyNamed(ref, target) ? "now" : undefined);
  const skip = target?.url === draft.url ? undefined : await skipFor(store, ref.botId, start);
  const edit: WebhookEdit = {
    id,
    url: draft.url,
    sealedSecret: sealed?.sealedSecret,
    settings: { ...settings, ...sealed?.settings },
    round,
    skip,
  };
  const config = found(await store.putWebhook(ref, edit, Date.now()), "bot");
  if (config === "too many") {
    throw new InvalidInput(
      `the bot has ${MAX_WEBHOOKS_PER_BOT} webhooks, with the one named default: remove one first`,
      "too_many_webhooks",
    );
  }
  return config === "outdated" ? undefined : { config, replaced: target && id };
}

/** Counted before: calls at the same moment, at several instances, may each set the last one. */
async function refuseBeyond(store: Store, ownerUserId: string, most: number | undefined): Promise<void> {
  if (most === undefined || (await store.countWebhooks(ownerUserId, most)) < most) return;
  throw new InvalidInput(capReached({ most, setBy: "platform" }, "webhook"), "too_many_webhooks");
}

/** A webhook that a bot gets besides its first one is not sent all that is kept of the log, unless that is asked for. */
function isNewlyNamed({ name }: WebhookRef, target: WebhookTarget | undefined): boolean {
  return target === undefined && name !== undefined && !isDefaultWebhook(name);
}

/** What is to be stored of the credentials; undefined when they stay as they are. */
function credentialsToStore(
  secretBox: SecretBox,
  destinationId: string,
  { url, secretToken, headers }: WebhookDraft,
  target: WebhookTarget | undefined,
): ReturnType<typeof sealCredentials> | undefined {
  const stored = target?.sealedSecret;
  // A secret is never used for a host that it was not set for, and neither is a header.
  const isSameOrigin = hasSameOrigin(url, target?.url);
  if (stored !== undefined && isSameOrigin && secretToken === undefined && headers === undefined)
    return undefined;
  const before = stored === undefined ? {} : openCredentials(secretBox, stored, destinationId);
  if (!before && isSameOrigin && secretToken === undefined)
    throw new InvalidInput(
      "the stored secret token cannot be decrypted: give secret_token together with headers",
      "secret_unreadable",
    );
  const kept = (isSameOrigin && before) || {};
  const next = {
    ...kept,
    // Whoever sets the secret knows it, so those before it end.
    ...(secretToken !== undefined && { secret: secretToken || undefined, previous: [] }),
    ...(headers && { headers }),
  };
  const isUnchanged = before !== undefined && encodeCredentials(before) === encodeCredentials(next);
  return isUnchanged ? undefined : sealCredentials(secretBox, next, destinationId);
}

function hasSameOrigin(url: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(other) && new URL(url).origin === new URL(other).origin;
}

function checkUrl(text: string, reach: WebhookReach): void {
  const { hostname } = parseWebhookUrl(text);
  const refusal = refusalOfHost(reach, hostname);
  if (!refusal) return;
  const { message, code } = REFUSALS[refusal];
  throw new InvalidInput(message, code);
}
