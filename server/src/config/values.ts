import { createPublicKey } from "node:crypto";
import type { OwnerTrust } from "../domain/bots/owner-trust.js";
import { parseDatabaseUrl } from "../domain/database-url.js";
import type { RetrySchedule } from "../domain/delivery/retry-schedule.js";
import { parseDuration } from "../domain/duration.js";
import { ConfigError } from "./config-error.js";
import { unusable } from "./environment.js";
import { type Environment, variableRules } from "./schema.js";

const MIN_OWNER_SECRET_BYTES = 32;
const SECRET_KEY_BYTES = 32;
/** No bot token, and no list of two platform tokens, matches this. */
const PLATFORM_TOKEN = /^(?!bot_)[\x21-\x2b\x2d-\x7e]{32,256}$/;
const MAX_RETRY_STEPS = 50;
const MAX_DRAIN_DELAY_MS = 300_000;
const MAX_RETRY_WAIT_MS = 7 * 86_400_000;

/** What owner tokens are verified with; undefined when nothing is configured. More than one way at once is an error. */
export function ownerTrust(environment: Environment): OwnerTrust | undefined {
  const { OWNER_JWT_SECRET, OWNER_JWT_PUBLIC_KEY, OWNER_JWKS_URL } = environment;
  const set = Object.entries({ OWNER_JWT_SECRET, OWNER_JWT_PUBLIC_KEY, OWNER_JWKS_URL })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (set.length > 1) {
    throw new ConfigError(`${set.join(" and ")} cannot be set together: owner tokens are trusted in one way`);
  }
  if (OWNER_JWT_SECRET !== undefined) return { kind: "secret", secret: ownerSecret(OWNER_JWT_SECRET) };
  if (OWNER_JWT_PUBLIC_KEY !== undefined) return { kind: "publicKey", pem: publicKey(OWNER_JWT_PUBLIC_KEY) };
  if (OWNER_JWKS_URL !== undefined) return { kind: "jwks", url: jwksUrl(OWNER_JWKS_URL) };
  return undefined;
}

/** The PostgreSQL database of `DATABASE_URL`; undefined when it is not set. */
export function sharedDatabase(environment: Environment) {
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema, DATABASE_POOL_SIZE: poolSize, CELLS } = environment;
  if (url === undefined) return undefined;
  const parsed = parseDatabaseUrl(url);
  if (!parsed) throw unusable("DATABASE_URL", url);
  const name = parsed.name + (schema === undefined ? "" : `, schema ${schema}`);
  const cells = CELLS?.split(",").map((cell) => cell.trim());
  return Object.freeze({ url, name, schema, poolSize, ...(cells && { cells }) });
}

/** A warning about `DATABASE_SCHEMA` without `DATABASE_URL`. */
export function unusedSchema({ DATABASE_URL, DATABASE_SCHEMA }: Environment): string[] {
  return DATABASE_SCHEMA !== undefined && DATABASE_URL === undefined
    ? ["DATABASE_SCHEMA has no effect without DATABASE_URL"]
    : [];
}

/** A warning about keys that each instance would generate for itself, although all instances need the same. */
export function unsharedKeys(environment: Environment): string[] {
  if (environment.DATABASE_URL === undefined) return [];
  const missing = [
    ...(environment.SECRET_KEY === undefined ? ["SECRET_KEY"] : []),
    ...(ownerTrust(environment) ? [] : ["OWNER_JWT_SECRET"]),
  ].join(" and ");
  if (missing === "") return [];
  return [
    `instances that share DATABASE_URL must be given the same ${missing}; this one uses its own of DATA_DIR`,
  ];
}

/**
 * The keys of `SECRET_KEY`, 32 bytes each; undefined when it is not set.
 *
 * @param from where the text comes from, for the error
 */
export function secretKeys(text: string | undefined, from = "SECRET_KEY"): readonly Buffer[] | undefined {
  if (text === undefined) return undefined;
  return Object.freeze(text.split(",").map((key) => secretKey(key.trim(), from)));
}

/** The tokens of `PLATFORM_TOKEN`. */
export function platformTokens(text: string | undefined): readonly string[] {
  const tokens = text === undefined ? [] : text.split(",").map((token) => token.trim());
  if (!tokens.every((token) => PLATFORM_TOKEN.test(token))) throw unusable("PLATFORM_TOKEN", text);
  return Object.freeze(tokens);
}

/** @throws ConfigError when nobody could read it */
export function platformFeed({
  PLATFORM_FEED: feed,
  PLATFORM_FEED_AUDIT: hasAudit,
  PLATFORM_TOKEN: token,
}: Environment): { isOn: boolean; hasAudit: boolean } | undefined {
  if (feed && token === undefined) {
    throw new ConfigError(
      "PLATFORM_FEED=true needs PLATFORM_TOKEN, with which the feed is read: set it, or remove PLATFORM_FEED",
    );
  }
  if (hasAudit && !feed)
    throw new ConfigError(
      "PLATFORM_FEED_AUDIT=true needs the feed: set PLATFORM_FEED=true, or remove PLATFORM_FEED_AUDIT",
    );
  return feed === undefined ? undefined : { isOn: feed, hasAudit };
}

/** The waits of a text such as `1s,5s,30s`. */
export function retrySchedule(text: string): RetrySchedule {
  const waitsMs = text.split(",").map(durationOrNaN);
  if (waitsMs.length > MAX_RETRY_STEPS || !waitsMs.every((waitMs) => waitMs <= MAX_RETRY_WAIT_MS)) {
    throw unusable("WEBHOOK_RETRY_SCHEDULE", text);
  }
  return Object.freeze(waitsMs);
}

/** `DRAIN_DELAY` in milliseconds. */
export function drainDelayMs(text: string): number {
  const delayMs = durationOrNaN(text);
  if (!(delayMs <= MAX_DRAIN_DELAY_MS)) throw unusable("DRAIN_DELAY", text);
  return delayMs;
}

/**
 * Days that posts are kept; undefined when they are kept for ever. Never fewer than the days of updates, which refer to
 * them.
 */
export function postRetentionDays(environment: Environment): number | undefined {
  const { POST_RETENTION_DAYS: days, RETENTION_DAYS: updateDays } = environment;
  if (days !== undefined && days < updateDays) {
    throw new ConfigError(
      `POST_RETENTION_DAYS (${days}) cannot be less than RETENTION_DAYS (${updateDays}): updates show their posts. Raise the first or lower the second`,
    );
  }
  return days;
}

function ownerSecret(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length >= MIN_OWNER_SECRET_BYTES) return bytes;
  throw new ConfigError(
    `OWNER_JWT_SECRET must be at least ${MIN_OWNER_SECRET_BYTES} bytes long; it has ${bytes.length}`,
  );
}

/** Many ways to set an environment variable do not allow line breaks, so `\n` stands for one. */
function publicKey(text: string): string {
  const pem = text.replaceAll("\\n", "\n");
  try {
    createPublicKey(pem);
  } catch {
    throw unusable("OWNER_JWT_PUBLIC_KEY", text);
  }
  return pem;
}

function jwksUrl(text: string): URL {
  if (!URL.canParse(text)) throw unusable("OWNER_JWKS_URL", text);
  return new URL(text);
}

function secretKey(text: string, from: string): Buffer {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  const bytes = Buffer.from(text, "base64");
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text) && bytes.length === SECRET_KEY_BYTES) return bytes;
  throw new ConfigError(`${from} must be ${variableRules.SECRET_KEY.expects}`);
}

/** The milliseconds of a duration; NaN when the text is none. */
export function durationOrNaN(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    return Number.NaN;
  }
}
