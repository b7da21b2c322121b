import type { BotCondition } from "./bot-state.js";

/** What keeps a bot from receiving by webhook, if anything does: the first that applies. */
export const BOT_HEALTHS = ["disabled", "no_webhook", "paused", "failing", "healthy"] as const;
export type BotHealth = (typeof BOT_HEALTHS)[number];

/** A bot with its state and its last hour, as a list shows it. Times are milliseconds since the Unix epoch. */
export interface BotOverview extends BotCondition {
  attachedChannels: number;
  failedUpdates: number;
  /** When the oldest update that is pending or scheduled was appended. */
  oldestPendingAt?: number;
  /** Attempts accepted in each five minutes of the last hour, oldest first; the last interval is still running. */
  delivered: number[];
  /** Attempts that failed in the same intervals. */
  failedAttempts: number[];
}

const INTERVAL_MS = 300_000;
const INTERVALS = 12;

/** Where the first five minutes of an overview begin. */
export function startOfOverview(now: number): number {
  return (Math.floor(now / INTERVAL_MS) - INTERVALS + 1) * INTERVAL_MS;
}

/** A minute: when it began, and how many attempts were accepted and failed in it. */
export type OverviewMinute = readonly [startsAt: number, delivered: number, failed: number];

/** @param minutes none before `start` */
export function attemptsSince(
  start: number,
  minutes: readonly OverviewMinute[],
): Pick<BotOverview, "delivered" | "failedAttempts"> {
  const delivered = Array.from({ length: INTERVALS }, () => 0);
  const failedAttempts = [...delivered];
  for (const [startsAt, accepted, failed] of minutes) {
    const interval = Math.floor((startsAt - start) / INTERVAL_MS);
    // An instance whose clock is ahead may have written minutes that lie in the future.
    if (interval >= INTERVALS) continue;
    delivered[interval] = (delivered[interval] ?? 0) + accepted;
    failedAttempts[interval] = (failedAttempts[interval] ?? 0) + failed;
  }
  return { delivered, failedAttempts };
}

export function healthOf({ bot, pausedAt, failingSince }: BotOverview): BotHealth {
  if (bot.disabledAt !== undefined) return "disabled";
  if (bot.webhookUrl === undefined) return "no_webhook";
  if (pausedAt !== undefined) return "paused";
  return failingSince === undefined ? "healthy" : "failing";
}
