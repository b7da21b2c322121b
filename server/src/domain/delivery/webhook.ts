import { createHash } from "node:crypto";
import { domainToUnicode } from "node:url";
import { InvalidInput } from "../errors.js";
import { MAX_WEBHOOK_URL_CHARS } from "../limits.js";
import type { WebhookSettings } from "./webhook-settings.js";

/** The name of the webhook of the contract, which every bot has, with or without a URL. */
export const DEFAULT_WEBHOOK = "default";

/** Whether a name, which is compared without case, is that of the webhook of the contract. */
export function isDefaultWebhook(name: string): boolean {
  return name.toLowerCase() === DEFAULT_WEBHOOK;
}

/** The webhook of a bot and its health. `url` is empty when none is set. */
export interface WebhookConfig {
  url: string;
  hasSecretToken: boolean;
  /** Of the owner's own headers; absent when there are none. */
  headerNames?: readonly string[];
  /** Until when a secret that was replaced still signs; absent when none does. */
  previousSecretUntil?: number;
  lastAttemptedAt?: number;
  lastDeliveredAt?: number;
  /** Why the last attempt failed; empty after a success. */
  lastError: string;
  nextRetryAt?: number;
  /** Since when every attempt has failed; absent when the last one did not, or none was made. */
  failingSince?: number;
  pendingUpdates: number;
  /** Absent when it is not paused. */
  pausedAt?: number;
  /** Also absent when an earlier version has paused it. */
  pauseReason?: PauseReason;
  /** Absent when all are the defaults. */
  settings?: WebhookSettings;
}

/**
 * Why a webhook is paused: its receiver has answered 410, or has failed for as long as `auto_pause` says; else who has paused
 * it.
 */
export type PauseReason = "gone" | "failing" | "owner" | "platform";

/** Where, with which credentials and how updates are sent. The credentials are sealed (`secret-box.ts`). */
export interface WebhookTarget {
  url: string;
  sealedSecret?: string;
  /** Absent when all are the defaults. */
  settings?: WebhookSettings;
}

/** A bot's webhook as it is stored. */
export interface StoredWebhook {
  /** Of the destination: its credentials are sealed for it. Absent when there is none of this name. */
  id?: string;
  /** Absent when none is set. */
  target?: WebhookTarget;
  /** Rises whenever the webhook gets another URL or is removed. */
  version: number;
  /** Rises whenever anything of it is set. */
  round: number;
}

/** The outcome of a test event, or of an update that was sent again. */
export interface SentOnce {
  accepted: boolean;
  /** Absent when the receiver gave no answer. */
  status?: number | undefined;
  /** As in `lastError`; empty when it was accepted. */
  error: string;
  durationMs: number;
  /** The beginning of the answer's body; empty when it had none. */
  responseBody: string;
  /** What a refusal asked for with `Retry-After`. */
  retryAfterMs?: number | undefined;
  /** It has ended the rest of a receiver that was only probed. */
  hasEndedRest?: boolean;
}

/**
 * Sends an update once, immediately, signed like a delivery.
 *
 * @param text the update as JSON text
 * @param updateId the number of an update that was delivered before, which the request says; left out for a test event
 */
export type SendOnce = (
  destinationId: string,
  target: WebhookTarget,
  text: string,
  updateId?: number,
) => Promise<SentOnce>;

/** A request with a page of the feed. */
export interface PageRequest {
  body: string;
  /** What Standard Webhooks call the id of the message. */
  messageId: string;
  /** What follows the receiver's position has expired: the cursor before the oldest event that is kept. */
  tail: string | undefined;
}

/** Sends a page of the feed. Undefined when the signal has cut it off. */
export type SendPage = (
  destinationId: string,
  target: WebhookTarget,
  request: PageRequest,
  signal: AbortSignal,
) => Promise<SentOnce | undefined>;

/**
 * What Standard Webhooks call the id of a message: the same for each attempt of an update at one webhook, of that only, and
 * without a dot. Receivers leave out what they have seen, so each test event has its own.
 */
export const messageIdOf = (destinationId: string, updateId: number): string =>
  `${destinationId}_${updateId}`;
/**
 * The same of a batch: that of its first update with how many there are, and where they don't follow each other, a digest of the
 * numbers. Two batches that begin alike may differ in the rest, and a receiver would leave out the second.
 */
export function messageIdOfBatch(destinationId: string, updateIds: readonly [number, ...number[]]): string {
  const [first] = updateIds;
  const id = `${messageIdOf(destinationId, first)}_${updateIds.length}`;
  const isRun = updateIds.every((updateId, index) => updateId === first + index);
  return isRun ? id : `${id}_${createHash("sha256").update(updateIds.join()).digest("hex").slice(0, 16)}`;
}
export const messageIdOfTest = (destinationId: string, now: number): string => `${destinationId}_test_${now}`;

/**
 * The body of a test event: like an update's, but with number 0, which no update has.
 *
 * @param sentBy user id of the owner who asked for it
 */
export function encodeTestEvent(botId: string, sentBy: string, now: number): string {
  return JSON.stringify({
    update_id: 0,
    event_type: "webhook.test",
    payload: { bot_id: botId, sent_by: sentBy },
    created_at: new Date(now).toISOString(),
  });
}

/** Visible ASCII: the secret token travels in a header. */
export const SECRET_TOKEN_PATTERN = "^[!-~]*$";

/**
 * Checks a webhook's URL: absolute, http or https, no user info, no fragment, and nothing that a URL parser would
 * silently remove. The text is stored as it was given, so that owners read what they have set.
 *
 * @throws InvalidInput naming what is wrong with it
 */
export function parseWebhookUrl(text: string): URL {
  if (text.length > MAX_WEBHOOK_URL_CHARS) {
    throw new InvalidInput(`url must be at most ${MAX_WEBHOOK_URL_CHARS} characters long`, "invalid_url");
  }
  if (/[\s\p{Cc}]/u.test(text))
    throw new InvalidInput("url must not have white space or control characters in it", "invalid_url");
  // A URL parser would take http:example.com and http:///example.com for http://example.com.
  if (!URL.canParse(text) || /^https?:(?!\/\/[^/\\])/i.test(text)) {
    throw new InvalidInput("url must be an absolute URL such as https://example.com/hook", "invalid_url");
  }
  const url = new URL(text);
  if (!isDecodable(url.hostname)) {
    throw new InvalidInput(
      "url must be an absolute URL: a part of its host begins with xn-- and is no Punycode",
      "invalid_url",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new InvalidInput("url must start with https:// or http://", "invalid_url");
  }
  // The parser drops empty user info.
  if (url.username || url.password || /^[^/?#]*[/\\]+[^/\\?#]*@/.test(text)) {
    throw new InvalidInput(
      "url must not carry a user name or password; use secret_token instead",
      "invalid_url",
    );
  }
  if (text.includes("#")) throw new InvalidInput("url must not have a fragment (#…)", "invalid_url");
  return url;
}

/** From Node 24 on, the URL parser accepts labels that begin with `xn--` and decode to nothing. */
function isDecodable(hostname: string): boolean {
  if (!hostname.includes("xn--")) return true;
  const unicode = domainToUnicode(hostname);
  return unicode !== "" && !/(^|\.)xn--/.test(unicode);
}
