import type { BotIdentity } from "../../domain/bots/bot.js";

const MAX_TOKENS = 10_000;

/** Which bots tokens belonged to when they were last looked up. */
export interface KnownTokens {
  find(tokenHash: string): BotIdentity | undefined;
  /** Keeps the result of a look-up; undefined forgets the token. */
  keep(tokenHash: string, identity: BotIdentity | undefined): void;
  /** Forgets everything. */
  clear(): void;
}

export function rememberTokens(): KnownTokens {
  const identities = new Map<string, BotIdentity>();
  return {
    find: (tokenHash) => identities.get(tokenHash),
    keep(tokenHash, identity) {
      if (!identity) {
        identities.delete(tokenHash);
        return;
      }
      if (identities.size >= MAX_TOKENS) identities.clear();
      identities.set(tokenHash, identity);
    },
    clear: () => identities.clear(),
  };
}
