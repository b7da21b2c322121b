import { parseWebhookUrl, type WebhookConfig, type WebhookTarget } from "../../domain/delivery/webhook.js";
import { refusalOfHost, type WebhookReach } from "../../domain/delivery/webhook-reach.js";
import { InvalidInput } from "../../domain/errors.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { BotRef, Store, WebhookEdit } from "../../store/store.js";
import { found } from "../found.js";
import { createKeyedTurns } from "../keyed-turns.js";
import { type DeliverFrom, parseDeliverFrom, skipFor } from "./deliver-from.js";
import { outlastTargets } from "./outlast-targets.js";

export interface WebhookDraft {
  url: string;
  /** Left out: the stored one stays while the URL keeps its origin. Empty: it is removed. */
  secretToken?: string;
  /** The most updates of one request. Left out: the stored one stays, and is 1 at first. */
  maxBatch?: number | undefined;
  /**
   * Used when the webhook is newly set or gets another URL. When left out, updates that any consumer has handled are
   * skipped.
   */
  deliverFrom?: string | undefined;
}

/** What a webhook is checked and sealed with. */
export interface WebhookRules {
  secretBox: SecretBox;
  reach: WebhookReach;
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
 * A try fails only when another instance changes the same webhook between our read and our write; here the calls for one bot
 * take turns. So each failure is a success of the other instance, and this many in a row do not happen.
 */
const MAX_TRIES = 100;

/** By bot, for all calls of the process. */
const inTurn = createKeyedTurns();

/**
 * Sets a bot's webhook; undelivered updates become due immediately, except those that it skips. Setting the same
 * webhook again changes nothing, so a bot may do it at each start. Once this resolves no instance starts an attempt at the
 * webhook before.
 *
 * @throws InvalidInput when webhooks may not go to the URL, or `deliverFrom` is not valid
 * @throws NotFound
 */
export async function setWebhook(
  store: Store,
  rules: WebhookRules,
  bot: BotRef,
  draft: WebhookDraft,
): Promise<WebhookConfig> {
  checkUrl(draft.url, rules.reach);
  const from = draft.deliverFrom === undefined ? undefined : parseDeliverFrom(draft.deliverFrom);
  const { config, isReplaced } = await inTurn(bot.botId, () => storeWebhook(store, rules, bot, draft, from));
  if (isReplaced) await outlastTargets(store, bot.botId);
  return config;
}

/** @returns the webhook as this call has left it, and whether that replaced another */
async function storeWebhook(
  store: Store,
  rules: WebhookRules,
  bot: BotRef,
  draft: WebhookDraft,
  from: DeliverFrom | undefined,
): Promise<{ config: WebhookConfig; isReplaced: boolean }> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { target, version } = found(await store.readStoredWebhook(bot), "bot");
    const sealedSecret = secretToStore(rules.secretBox, bot.botId, draft, target);
    const { maxBatch = target?.maxBatch ?? 1 } = draft;
    const isSameBatch = maxBatch === (target?.maxBatch ?? 1);
    if (target?.url === draft.url && sealedSecret === undefined && isSameBatch) {
      const config = found(await store.readWebhook(bot), "bot");
      const hasSecretToken = target.sealedSecret !== undefined;
      if (
        config.url === draft.url &&
        config.hasSecretToken === hasSecretToken &&
        (config.maxBatch ?? 1) === maxBatch
      )
        return { config, isReplaced: false };
      continue;
    }
    const skip = target?.url === draft.url ? undefined : await skipFor(store, bot.botId, from);
    // A secret that was given is stored with its URL, though it is the stored one: another call may be changing that.
    const isKept = draft.secretToken !== undefined && sealedSecret === undefined;
    const secret = isKept ? (target?.sealedSecret ?? null) : sealedSecret;
    const edit: WebhookEdit = {
      url: draft.url,
      sealedSecret: secret,
      maxBatch: draft.maxBatch,
      version,
      skip,
    };
    const config = found(await store.putWebhook(bot, edit, Date.now()), "bot");
    if (config !== "outdated") return { config, isReplaced: target !== undefined };
  }
  throw new InvalidInput(
    "the webhook is being set by others at the same time: try again",
    "webhook_conflict",
  );
}

/** The sealed secret to store, null to remove the stored one, undefined when that stays as it is. */
function secretToStore(
  secretBox: SecretBox,
  botId: string,
  { url, secretToken }: WebhookDraft,
  target: WebhookTarget | undefined,
): string | null | undefined {
  const stored = target?.sealedSecret;
  if (secretToken === undefined) {
    // A secret is never used for a host that it was not set for.
    return stored === undefined || hasSameOrigin(url, target?.url) ? undefined : null;
  }
  if (secretToken === "") return stored === undefined ? undefined : null;
  if (stored !== undefined && openedSecret(secretBox, stored, botId) === secretToken) return undefined;
  return secretBox.seal(secretToken, botId);
}

function hasSameOrigin(url: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(other) && new URL(url).origin === new URL(other).origin;
}

/** The secret; undefined when none of the keys opens it. */
function openedSecret(secretBox: SecretBox, sealed: string, botId: string): string | undefined {
  try {
    return secretBox.open(sealed, botId);
  } catch {
    return undefined;
  }
}

function checkUrl(text: string, reach: WebhookReach): void {
  const { hostname } = parseWebhookUrl(text);
  const refusal = refusalOfHost(reach, hostname);
  if (!refusal) return;
  const { message, code } = REFUSALS[refusal];
  throw new InvalidInput(message, code);
}
