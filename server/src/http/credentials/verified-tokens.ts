/** A cache of verified tokens, so that a signature is checked once and not on every request. */
export interface VerifiedTokens<Identity> {
  find(token: string, now: number): Identity | undefined;
  /** @param expiresAt milliseconds since the epoch; the token is forgotten then, or sooner */
  keep(token: string, identity: Identity, expiresAt: number, now: number): void;
}

const MAX_TOKENS = 1_000;
/** Longer ones are verified every time, so that the cache stays below a few megabytes. */
const MAX_TOKEN_CHARS = 2_048;
/** For this long a token goes on working whose key was removed from a key set, beside the time until that is noticed. */
const MAX_AGE_MS = 30_000;

/** Keyed by the whole token, signature included: a token that differs in one character is another token. */
export function createVerifiedTokens<Identity>(): VerifiedTokens<Identity> {
  const entries = new Map<string, { identity: Identity; until: number }>();
  return {
    find(token, now) {
      const entry = entries.get(token);
      if (!entry) return undefined;
      if (now < entry.until) return entry.identity;
      entries.delete(token);
      return undefined;
    },
    keep(token, identity, expiresAt, now) {
      if (token.length > MAX_TOKEN_CHARS) return;
      entries.set(token, { identity, until: Math.min(expiresAt, now + MAX_AGE_MS) });
      if (entries.size > MAX_TOKENS) entries.delete(entries.keys().next().value as string);
    },
  };
}
