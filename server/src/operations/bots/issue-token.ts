import { hashBotToken, newBotToken } from "../../domain/bots/tokens.js";

/** A bot token in plain text: only the answer that issues it has it. */
export interface IssuedToken {
  token: string;
  createdAt: number;
}

/** A new token, and its hash, which is what the store keeps. */
export function issueToken(): { token: IssuedToken; tokenHash: string } {
  const token = newBotToken();
  return { token: { token, createdAt: Date.now() }, tokenHash: hashBotToken(token) };
}
