import type { Bot } from "./bot.js";

/** What keeps a bot from receiving by webhook, if anything does: the first that applies. */
export const BOT_HEALTHS = ["disabled", "no_webhook", "paused", "failing", "healthy"] as const;
export type BotHealth = (typeof BOT_HEALTHS)[number];

/** How a bot is doing, in a line of a list. Times are milliseconds since the Unix epoch. */
export interface BotOverview {
  bot: Bot;
  attachedChannels: number;
  /** Without those that wait for a retry. */
  pendingUpdates: number;
  scheduledRetries: number;
  failedUpdates: number;
  pausedAt?: number;
  failingSince?: number;
  /** When the oldest update that is pending or scheduled was appended. */
  oldestPendingAt?: number;
  /** Attempts accepted in each five minutes of the last hour, oldest first; the last is in progress. */
  delivered: number[];
}

const INTERVAL_MS = 300_000;
const INTERVALS = 12;

/** Where the first five minutes of an overview begin. */
export function startOfOverview(now: number): number {
  return (Math.floor(now / INTERVAL_MS) - INTERVALS + 1) * INTERVAL_MS;
}

/** @param minutes when a minute, none before `start`, began, and how many attempts were accepted in it */
export function deliveredSince(start: number, minutes: readonly (readonly [number, number])[]): number[] {
  const delivered = Array.from({ length: INTERVALS }, () => 0);
  for (const [startsAt, count] of minutes) {
    const interval = Math.floor((startsAt - start) / INTERVAL_MS);
    // An instance whose clock is ahead may have written minutes of the future.
    if (interval < INTERVALS) delivered[interval] = (delivered[interval] ?? 0) + count;
  }
  return delivered;
}

export function healthOf({ bot, pausedAt, failingSince }: BotOverview): BotHealth {
  if (bot.disabledAt !== undefined) return "disabled";
  if (bot.webhookUrl === undefined) return "no_webhook";
  if (pausedAt !== undefined) return "paused";
  return failingSince === undefined ? "healthy" : "failing";
}
