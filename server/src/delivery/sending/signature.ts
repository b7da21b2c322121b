import { createHmac } from "node:crypto";

const TIMESTAMP_HEADER = "X-Service-Bot-Api-Timestamp";
const SECRET_TOKEN_HEADER = "X-Service-Bot-Api-Secret-Token";
const SIGNATURE_HEADER = "X-Service-Bot-Api-Signature";

const STANDARD_SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const MIN_STANDARD_KEY_BYTES = 24;
const MAX_STANDARD_KEY_BYTES = 64;

/**
 * The signing headers of one webhook request, as alternating names and values. Each attempt is signed anew, so that a
 * receiver may refuse old timestamps and still accept a retry.
 *
 * @param body the request body exactly as it is sent
 * @param secret the webhook's secret token; without one only the timestamp is sent
 * @param now milliseconds since the epoch; the header carries whole seconds
 * @param messageId the same for each attempt of an update, and without a dot; sent when the secret is one of Standard Webhooks
 */
export function signingHeaders(
  body: string,
  secret: string | undefined,
  now: number,
  messageId?: string,
): string[] {
  const timestamp = String(Math.floor(now / 1000));
  if (secret === undefined) return [TIMESTAMP_HEADER, timestamp];
  const headers = [
    TIMESTAMP_HEADER,
    timestamp,
    SECRET_TOKEN_HEADER,
    secret,
    SIGNATURE_HEADER,
    `sha256=${signatureOf(timestamp, body, secret)}`,
  ];
  const key = standardKeyOf(secret);
  return key && messageId !== undefined
    ? [...headers, ...standardHeaders(body, key, timestamp, messageId)]
    : headers;
}

/** The key of a secret whose form says that its receiver verifies by Standard Webhooks. */
function standardKeyOf(secret: string): Buffer | undefined {
  const [, encoded] = STANDARD_SECRET.exec(secret) ?? [];
  if (encoded === undefined) return undefined;
  const key = Buffer.from(encoded, "base64");
  return key.length >= MIN_STANDARD_KEY_BYTES && key.length <= MAX_STANDARD_KEY_BYTES ? key : undefined;
}

/** As https://www.standardwebhooks.com specifies them. */
function standardHeaders(body: string, key: Buffer, timestamp: string, messageId: string): string[] {
  const signature = createHmac("sha256", key).update(`${messageId}.${timestamp}.${body}`).digest("base64");
  return ["webhook-id", messageId, "webhook-timestamp", timestamp, "webhook-signature", `v1,${signature}`];
}

/** HMAC-SHA256 over `<timestamp>.<body>` in lower-case hex. */
function signatureOf(timestamp: string, body: string, secret: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}
