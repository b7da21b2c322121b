import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Checks whether a token is one of the configured ones, in constant time: the digests of all of them, which have equal
 * length, are compared.
 */
export function createTokenCheck(tokens: readonly string[]): (token: string) => boolean {
  if (tokens.length === 0) return () => false;
  const expected = tokens.map(digest);
  return (token) => {
    const given = digest(token);
    return expected.map((one) => timingSafeEqual(one, given)).includes(true);
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
