import type { Config } from "../../config.js";
import { parseDuration } from "../../domain/duration.js";
import { InvalidInput } from "../../domain/errors.js";
import { signOwnerToken } from "../../process/sign-owner-token.js";
import { UsageError } from "../errors.js";
import { say } from "../output/print.js";

const MAX_TTL_MS = 3650 * 86_400_000;

/** Signs an owner token with the service's own secret, from the options of a command. */
export async function signedOwnerToken(
  config: Config,
  { user, ttl, name }: { user: string; ttl: string; name?: string },
): Promise<{ token: string; expiresAt: string }> {
  const expiresAtMs = Date.now() + ttlMs(ttl);
  if (!/^[^\p{Cc}]{1,255}$/u.test(user)) {
    throw new UsageError("--user must have 1 to 255 characters, none of them a control character");
  }
  const signed = await signOwnerToken(config, user, expiresAtMs, name);
  if (!signed) {
    const variable = config.ownerTokens.trust?.kind === "jwks" ? "OWNER_JWKS_URL" : "OWNER_JWT_PUBLIC_KEY";
    throw new UsageError(
      `this service trusts ${variable} and does not have the private key: get owner tokens from your identity provider`,
    );
  }
  if (signed.madeSecret) {
    say(
      `created a new secret, ${signed.madeSecret}: the service accepts this token when it runs with the same DATA_DIR`,
    );
  }
  return { token: signed.token, expiresAt: new Date(expiresAtMs).toISOString() };
}

function ttlMs(text: string): number {
  try {
    const ms = parseDuration(text);
    if (ms >= 1000 && ms <= MAX_TTL_MS) return ms;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
  }
  throw new UsageError(`--ttl must be a duration from 1s to 3650d, such as 12h or 30d, not "${text}"`);
}
