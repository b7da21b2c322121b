import type { Bot } from "../../../domain/bots/bot.js";
import { attemptsSince, type BotOverview, type OverviewMinute } from "../../../domain/bots/overview.js";
import { omitNulls } from "../omit-nulls.js";

/** A bot with its counters in one row of either engine: the bot's fields and those that the overview adds. */
export type OverviewRow = Bot & Omit<BotOverview, "bot" | "delivered" | "failedAttempts">;

/** @param minutes since `start` */
export function overviewOf(row: object, minutes: readonly OverviewMinute[], start: number): BotOverview {
  const { attachedChannels, pendingUpdates, scheduledRetries, failedUpdates, lastError, ...rest } =
    omitNulls<OverviewRow>(row);
  const {
    pausedAt,
    failingSince,
    lastAttemptedAt,
    lastPolledAt,
    slowestConsumerLag,
    oldestPendingAt,
    ...bot
  } = rest;
  return {
    bot,
    attachedChannels,
    pendingUpdates,
    scheduledRetries,
    failedUpdates,
    lastError,
    ...(pausedAt === undefined ? {} : { pausedAt }),
    ...(failingSince === undefined ? {} : { failingSince }),
    ...(lastAttemptedAt === undefined ? {} : { lastAttemptedAt }),
    ...(lastPolledAt === undefined ? {} : { lastPolledAt }),
    ...(slowestConsumerLag === undefined ? {} : { slowestConsumerLag }),
    ...(oldestPendingAt === undefined ? {} : { oldestPendingAt }),
    ...attemptsSince(start, minutes),
  };
}
