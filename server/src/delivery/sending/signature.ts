import { createHmac } from "node:crypto";

const TIMESTAMP_HEADER = "X-Service-Bot-Api-Timestamp";
const SECRET_TOKEN_HEADER = "X-Service-Bot-Api-Secret-Token";
const SIGNATURE_HEADER = "X-Service-Bot-Api-Signature";

/**
 * The signing headers of one webhook request, as alternating names and values. Each attempt is signed anew, so that a
 * receiver may refuse old timestamps and still accept a retry.
 *
 * @param body the request body exactly as it is sent
 * @param secret the webhook's secret token; without one only the timestamp is sent
 * @param now milliseconds since the epoch; the header carries whole seconds
 */
export function signingHeaders(body: string, secret: string | undefined, now: number): string[] {
  const timestamp = String(Math.floor(now / 1000));
  if (secret === undefined) return [TIMESTAMP_HEADER, timestamp];
  return [
    TIMESTAMP_HEADER,
    timestamp,
    SECRET_TOKEN_HEADER,
    secret,
    SIGNATURE_HEADER,
    `sha256=${signatureOf(timestamp, body, secret)}`,
  ];
}

/** HMAC-SHA256 over `<timestamp>.<body>` in lower-case hex. */
function signatureOf(timestamp: string, body: string, secret: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}
