import { hash, randomBytes } from "node:crypto";

/** The prefix by which secret scanners recognise a leaked bot token. */
const PREFIX = "bot_";
const RANDOM_BYTES = 32;
const SHAPE = /^bot_[A-Za-z0-9_-]{43}$/;

/** A new bot token: the prefix and 256 random bits. It is shown once; only its hash is stored. */
export function newBotToken(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
}

/** Whether a credential has the form of a bot token; otherwise it need not be looked up. */
export function looksLikeBotToken(credential: string): boolean {
  return SHAPE.test(credential);
}

/**
 * SHA-256 of a bot token, as 64 hex digits: what is stored and looked up. A fast hash is enough for 256 random bits,
 * and looking up a hash leaks nothing useful through timing.
 */
export function hashBotToken(token: string): string {
  return hash("sha256", token);
}
