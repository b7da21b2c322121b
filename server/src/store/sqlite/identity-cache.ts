import type { BotIdentity } from "../../domain/bot.js";

const MAX_IDENTITIES = 10_000;

/** Remembers which bot a token belongs to. */
export interface IdentityCache {
  find(tokenHash: string): Promise<BotIdentity | undefined>;
  /** Forgets everything; called when any bot has changed. */
  clear(): void;
}

/**
 * Every request of a bot starts with the look-up of its token, and this saves the way to the engine's thread. It is
 * safe because this process alone writes the database, and because the thread answers in order: a look-up that was
 * answered before a change is remembered before that change is answered and clears it.
 */
export function createIdentityCache(
  lookUp: (tokenHash: string) => Promise<BotIdentity | undefined>,
): IdentityCache {
  const identities = new Map<string, BotIdentity>();
  return {
    async find(tokenHash) {
      const known = identities.get(tokenHash);
      if (known) return known;
      const identity = await lookUp(tokenHash);
      if (identity) {
        if (identities.size >= MAX_IDENTITIES) identities.clear();
        identities.set(tokenHash, identity);
      }
      return identity;
    },
    clear: () => identities.clear(),
  };
}
