import { hashBotToken, newBotToken } from "../domain/tokens.js";

/** A bot token in clear: it is in the answer that made it and nowhere else. */
export interface IssuedToken {
  token: string;
  createdAt: number;
}

/** A new token, and the hash by which the store will know it. */
export function issueToken(): { token: IssuedToken; tokenHash: string } {
  const token = newBotToken();
  return { token: { token, createdAt: Date.now() }, tokenHash: hashBotToken(token) };
}
