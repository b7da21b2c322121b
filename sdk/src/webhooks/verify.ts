import type { FeedPage } from "../client/feed.js";
import type { Update } from "../types.js";
import {
  headerOf,
  SECRET_TOKEN_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
  valuesOf,
  type WebhookHeaders,
} from "./headers.js";
import { signatureOf } from "./hmac.js";
import { VerificationError } from "./verification-error.js";

export interface VerifyOptions {
  /** The webhook's secret token; several while it is being changed. */
  secret: string | undefined | readonly (string | undefined)[];
  /** The headers of the request. */
  headers: WebhookHeaders;
  /** The body exactly as received. Parsed and serialised again, it would not be the one that was signed. */
  rawBody: string | Uint8Array | ArrayBuffer;
  /** How far the signature's time may differ from this machine's, either way. 300 unless given. */
  toleranceSeconds?: number;
}

const LOG_TAIL_HEADER = "Botyard-Log-Tail";
const TOLERANCE_SECONDS = 300;
const TIMESTAMP = /^\d{1,12}$/;
const PREFIX = "sha256=";
const decoder = new TextDecoder();

/**
 * Verifies that a webhook request is genuine and fresh: first the secret token, then the signature over the bytes of
 * the body, then its time.
 *
 * @returns the update in the body
 * @throws {VerificationError} when it must not be processed
 * @throws {TypeError} when an argument is wrong, such as a parsed body
 */
export async function verifyWebhook(options: VerifyOptions): Promise<Update> {
  const { updates, isBatch } = await verifyUpdates(options);
  if (isBatch || !updates[0]) throw noUpdate();
  return updates[0];
}

/** The updates of a request: one, or those of a batch in their order. */
export interface VerifiedUpdates {
  updates: Update[];
  /** Whether the webhook has a `max_batch` above 1. Then the answer may name what has failed. */
  isBatch: boolean;
}

/**
 * The same for requests that may be batches.
 *
 * @throws {VerificationError} when it must not be processed
 * @throws {TypeError} when an argument is wrong, such as a parsed body
 */
export async function verifyUpdates(options: VerifyOptions): Promise<VerifiedUpdates> {
  const body = await verifyBody(options);
  const isBatch = Array.isArray(body?.items);
  const updates = (isBatch ? body?.items : [body]) as Update[];
  if (!updates.every(isUpdate)) throw noUpdate();
  return { updates, isBatch };
}

/**
 * The same for the webhook of the platform's feed.
 *
 * @returns a page of the feed. Answer 2xx when all of it is stored; it may come again: check each item by its `id`
 * @throws {VerificationError} when it must not be processed
 * @throws {TypeError} when an argument is wrong, such as a parsed body
 */
export async function verifyFeedPage(options: VerifyOptions): Promise<FeedPage> {
  const page = (await verifyBody(options)) as FeedPage | null | undefined;
  const [oldestKept] = valuesOf(options.headers, LOG_TAIL_HEADER);
  if (Array.isArray(page?.items) && typeof page.cursor === "string")
    return oldestKept === undefined ? page : { ...page, oldestKept };
  throw new VerificationError("no-update", "the request is genuine, but does not contain a page of the feed");
}

/** @returns the body, parsed; undefined when it is no JSON */
async function verifyBody(options: VerifyOptions): Promise<{ items?: unknown } | null | undefined> {
  const rawBody = bodyOf(options.rawBody);
  await verify(options, rawBody);
  return parsed(typeof rawBody === "string" ? rawBody : decoder.decode(rawBody)) as {
    items?: unknown;
  } | null;
}

/**
 * The same without a look into the body: for receivers that keep the bytes or parse them elsewhere.
 *
 * @throws {VerificationError} when it must not be processed
 * @throws {TypeError} when an argument is wrong, such as a parsed body
 */
export async function verifySignature(options: VerifyOptions): Promise<void> {
  const verified = verify(options, bodyOf(options.rawBody));
  if (verified) await verified;
}

/** Synchronous where the runtime computes digests synchronously. */
function verify(
  { secret, headers, toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions,
  rawBody: string | Uint8Array,
): Promise<void> | undefined {
  const known = knownSecret(secretsOf(secret), headerOf(headers, SECRET_TOKEN_HEADER));
  const timestamp = headerOf(headers, TIMESTAMP_HEADER);
  const signature = headerOf(headers, SIGNATURE_HEADER);
  const compare = (digest: string) => {
    if (!signature.startsWith(PREFIX) || !isEqual(signature, digest, PREFIX.length)) {
      throw new VerificationError(
        "wrong-signature",
        "the signature does not match the body: pass the bytes as received, before any parser or decoder",
      );
    }
    checkTime(timestamp, toleranceSeconds);
  };
  const digest = signatureOf(known, timestamp, rawBody);
  if (typeof digest !== "string") return digest.then(compare);
  compare(digest);
  return undefined;
}

/** @throws {TypeError} when there is none */
export function secretsOf(secret: VerifyOptions["secret"]): readonly string[] {
  if (typeof secret === "string" && secret) return [secret];
  const secrets: unknown = secret;
  if (
    Array.isArray(secrets) &&
    secrets.length > 0 &&
    secrets.every((one) => typeof one === "string" && one)
  ) {
    return secrets as string[];
  }
  throw new TypeError("secret must be the webhook's secret_token, or several: is its variable set?");
}

/** Always compares all of them, so that the time it takes does not tell which one matched. */
function knownSecret(secrets: readonly string[], given: string): string {
  let known: string | undefined;
  for (const secret of secrets) if (isEqual(given, secret)) known = secret;
  if (known !== undefined) return known;
  throw new VerificationError(
    "wrong-secret",
    "the secret token is not the one expected here: compare it with the webhook's",
  );
}

/** Compares from `from` on, in the same time wherever the first difference is. The length is not secret. */
function isEqual(given: string, expected: string, from = 0): boolean {
  if (given.length !== from + expected.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) difference |= given.charCodeAt(from + i) ^ expected.charCodeAt(i);
  return difference === 0;
}

function checkTime(timestamp: string, toleranceSeconds: number): void {
  const ageSeconds = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (TIMESTAMP.test(timestamp) && Math.abs(ageSeconds) <= toleranceSeconds) return;
  throw new VerificationError(
    "wrong-time",
    ageSeconds > 0
      ? `signed ${ageSeconds} s ago, and ${toleranceSeconds} s are allowed: a replayed request, or this machine's clock is fast`
      : `signed ${-ageSeconds} s in the future: set the clock of this machine, or of the service's`,
  );
}

function bodyOf(rawBody: string | Uint8Array | ArrayBuffer): string | Uint8Array {
  if (typeof rawBody === "string" || rawBody instanceof Uint8Array) return rawBody;
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError(
    "rawBody must be the body as received, as bytes or text: use no JSON parser on this route (Express: express.raw)",
  );
}

function isUpdate(update: Partial<Update> | null | undefined): boolean {
  return (
    Number.isSafeInteger(update?.update_id) &&
    typeof update?.event_type === "string" &&
    typeof update.payload === "object" &&
    update.payload !== null
  );
}

function noUpdate(): VerificationError {
  return new VerificationError(
    "no-update",
    "the request is genuine, but does not contain an update: is the SDK too old?",
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
