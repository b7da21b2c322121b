import type { Bot } from "./bot.js";

/** Who may attach a bot to their channels: its owner only, or every owner. */
export const VISIBILITIES = ["private", "listed"] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** What the platform decided on a listed bot. */
export const VERDICTS = ["approved", "rejected"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The platform's review of a bot, which holds until the next one. */
export interface Review {
  status: Verdict;
  /** For the bot's owner; empty when nothing was said. */
  note: string;
  /** Milliseconds since the Unix epoch. */
  reviewedAt: number;
}

/** Where a listed bot stands with the platform. */
export const REVIEW_STATES = ["waiting", ...VERDICTS] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** Whether a bot that its owner has listed is offered to others only once the platform has approved it. */
export type ReviewRule = "off" | "required";

/** A bot as any owner may see it. */
export interface BotProfile extends Pick<Bot, "id" | "username" | "displayName" | "description"> {
  /** Whether the owner who asks has attached it to one of their channels. */
  isAttachedByYou: boolean;
}

/** The same of one bot that is looked at by itself. */
export interface FullProfile extends BotProfile {
  /** JSON; left out when the bot has none. */
  commands?: string;
  /** Whether the owner who asks may attach it. */
  isOffered: boolean;
}

/** How many channels a bot may be attached to, and whether other owners' bots have to be approved. */
export interface AttachRules {
  /** Channels of one owner; no bound when left out. */
  perHolder?: number | undefined;
  /** Channels of all owners together; no bound when left out. */
  perBot?: number | undefined;
  review?: ReviewRule | undefined;
}

/** The same for the store. `guest`: the rules were looked at where the bot lives, which is in another cell. */
export interface AttachConditions extends Omit<AttachRules, "review"> {
  review?: ReviewRule | "guest" | undefined;
}
