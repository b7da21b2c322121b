import { createHash, timingSafeEqual } from "node:crypto";
import { InvalidInput } from "../../domain/errors.js";
import { isUserId, MAX_USER_ID_CHARS } from "../../domain/user-id.js";

/** The header that names the owner a platform acts as. */
export const OWNER_HEADER = "botyard-owner";

/** Whether a token is one of the platform's. Takes the same time for every guess, and tells nothing about the tokens. */
export function createPlatformTokens(tokens: readonly string[]): (token: string) => boolean {
  const expected = tokens.map(digest);
  return (token) => {
    if (expected.length === 0) return false;
    const given = digest(token);
    return expected.filter((one) => timingSafeEqual(one, given)).length > 0;
  };
}

/**
 * The user id in a `Botyard-Owner` header.
 *
 * @throws InvalidInput when it is no user id
 */
export function ownerNamedBy(header: string): string {
  const userId = decoded(header);
  if (userId !== undefined && isUserId(userId)) return userId;
  throw new InvalidInput(
    `Botyard-Owner must be one user id of 1 to ${MAX_USER_ID_CHARS} characters without control characters, percent-encoded`,
    "invalid_owner_header",
  );
}

/** A header that was sent twice arrives as both values with a comma between them, and other bytes as if they were Latin-1. */
const ENCODED = /^[\x20-\x2b\x2d-\x7e]*$/;

function decoded(text: string): string | undefined {
  if (!ENCODED.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Digests have one length, which comparing in constant time needs. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
