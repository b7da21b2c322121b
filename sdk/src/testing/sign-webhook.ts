import { SECRET_TOKEN_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../webhooks/headers.js";
import { signatureOf } from "../webhooks/hmac.js";

export interface SignOptions {
  /** The webhook's secret token. */
  secret: string;
  /** The body exactly as it will be sent. */
  body: string | Uint8Array;
  /** When it is signed, in milliseconds since the epoch. Now, unless given. */
  at?: number;
}

/** The headers that the service would send with this body. */
export async function signWebhook({
  secret,
  body,
  at = Date.now(),
}: SignOptions): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  return {
    "Content-Type": "application/json",
    [TIMESTAMP_HEADER]: timestamp,
    [SECRET_TOKEN_HEADER]: secret,
    [SIGNATURE_HEADER]: `sha256=${await signatureOf(secret, timestamp, body)}`,
  };
}
