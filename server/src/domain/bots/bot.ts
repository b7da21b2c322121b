import type { Disabler } from "./disabled-by.js";

/** A bot as its owner sees it. Times are milliseconds since the Unix epoch. */
export interface Bot {
  id: string;
  botUserId: string;
  ownerUserId: string;
  username: string;
  displayName: string;
  description: string;
  webhookUrl?: string;
  /** The owner's own data about it: the JSON text of an object. */
  metadata?: string;
  createdAt: number;
  updatedAt: number;
  disabledAt?: number;
  /** Left out of a private bot. */
  visibility?: "listed";
  /** What the platform decided on it last, if anything: see listing.ts. */
  reviewStatus?: "approved" | "rejected";
  reviewNote?: string;
  reviewedAt?: number;
  /** Absent while it is enabled, and when an earlier version disabled it. */
  disabledBy?: Disabler;
}

/** The bot that a token belongs to, read on every bot request. */
export interface BotIdentity {
  id: string;
  botUserId: string;
  ownerUserId: string;
  username: string;
  displayName: string;
}

/** Letters, digits, `_ . -`, starting with a letter or digit. Unique in the whole service, whatever the case. */
export const USERNAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.-]*$";
const USERNAME = new RegExp(USERNAME_PATTERN);

/** Whether a text has the form of a username, which slugs and the names of consumers have too. */
export function isUsername(text: string): boolean {
  return USERNAME.test(text);
}
