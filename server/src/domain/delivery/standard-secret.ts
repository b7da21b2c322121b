export const STANDARD_PREFIX = "whsec_";
const STANDARD_SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/** The key of a secret whose form says that its receiver verifies by Standard Webhooks. */
export function standardKeyOf(secret: string): Buffer | undefined {
  const [, encoded] = STANDARD_SECRET.exec(secret) ?? [];
  if (encoded === undefined) return undefined;
  const key = Buffer.from(encoded, "base64");
  return key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : undefined;
}
