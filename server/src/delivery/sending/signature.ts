import { createHmac } from "node:crypto";
import { standardKeyOf } from "../../domain/delivery/standard-secret.js";
import type { PreviousSecret } from "../../domain/delivery/webhook-credentials.js";

const TIMESTAMP_HEADER = "X-Service-Bot-Api-Timestamp";
const SECRET_TOKEN_HEADER = "X-Service-Bot-Api-Secret-Token";
const SIGNATURE_HEADER = "X-Service-Bot-Api-Signature";

/** The secret token of a webhook, and those that it has replaced and that sign too as long as they last, the latest first. */
export interface SigningSecrets {
  secret?: string;
  previousSecrets?: readonly PreviousSecret[];
}

/**
 * The signing headers of one webhook request, as alternating names and values. Each attempt is signed anew, so that a
 * receiver may refuse old timestamps and still accept a retry.
 *
 * @param body the request body exactly as it is sent
 * @param secrets the webhook's secret token, without which only the timestamp is sent, and those that it has replaced. As long as
 * one of these lasts, the receiver may know only that one, so our own headers, which have room for one, are made with it
 * @param now milliseconds since the epoch; the header carries whole seconds
 * @param messageId the same for each attempt of an update, and without a dot; sent when the secret is one of Standard Webhooks
 */
export function signingHeaders(
  body: string,
  { secret, previousSecrets = [] }: SigningSecrets,
  now: number,
  messageId?: string,
): string[] {
  const timestamp = String(Math.floor(now / 1000));
  if (secret === undefined) return [TIMESTAMP_HEADER, timestamp];
  const previous = previousSecrets.filter(({ until }) => until > now).map((each) => each.secret);
  const known = previous.at(-1) ?? secret;
  const headers = [
    TIMESTAMP_HEADER,
    timestamp,
    SECRET_TOKEN_HEADER,
    known,
    SIGNATURE_HEADER,
    `sha256=${signatureOf(timestamp, body, known)}`,
  ];
  if (messageId === undefined) return headers;
  const keys = [secret, ...previous].flatMap((each) => standardKeyOf(each) ?? []);
  return keys.length > 0 ? [...headers, ...standardHeaders(body, keys, timestamp, messageId)] : headers;
}

/** As https://www.standardwebhooks.com specifies them. */
function standardHeaders(
  body: string,
  keys: readonly Buffer[],
  timestamp: string,
  messageId: string,
): string[] {
  const signed = `${messageId}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  return ["webhook-id", messageId, "webhook-timestamp", timestamp, "webhook-signature", signatures.join(" ")];
}

/** HMAC-SHA256 over `<timestamp>.<body>` in lower-case hex. */
function signatureOf(timestamp: string, body: string, secret: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}
