import type { Bot } from "../domain/bot.js";
import { type BotOverview, deliveredSince } from "../domain/overview.js";
import { present } from "./present.js";

/** A bot with its counters, as both engines read it in one row: what the bot has, and what the overview adds. */
export type OverviewRow = Bot & Omit<BotOverview, "bot" | "delivered">;

/** @param minutes pairs of a minute's start and the attempts accepted in it, since `start` */
export function overviewOf(row: object, minutes: readonly [number, number][], start: number): BotOverview {
  const { attachedChannels, pendingUpdates, scheduledRetries, failedUpdates, ...rest } =
    present<OverviewRow>(row);
  const { pausedAt, failingSince, oldestPendingAt, ...bot } = rest;
  return {
    bot,
    attachedChannels,
    pendingUpdates,
    scheduledRetries,
    failedUpdates,
    ...(pausedAt === undefined ? {} : { pausedAt }),
    ...(failingSince === undefined ? {} : { failingSince }),
    ...(oldestPendingAt === undefined ? {} : { oldestPendingAt }),
    delivered: deliveredSince(start, minutes),
  };
}
