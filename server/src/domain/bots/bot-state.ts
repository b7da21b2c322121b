import type { Bot } from "./bot.js";

/**
 * How a bot receives its updates, and whether that works: the first state that applies. Without a webhook a bot is
 * `polling` while one of its consumers polls, `unread` when none has polled for {@link UNREAD_AFTER_MS}, and
 * `no_webhook` when none ever polled.
 */
export const BOT_STATES = [
  "disabled",
  "paused",
  "failing",
  "untried",
  "healthy",
  "polling",
  "unread",
  "no_webhook",
] as const;
export type BotStateName = (typeof BOT_STATES)[number];

/** A consumer that polls asks at least twice a minute; this leaves room for a restart. */
const UNREAD_AFTER_MS = 5 * 60_000;

/** What decides a bot's state. Times are milliseconds since the Unix epoch. */
export interface BotCondition {
  bot: Bot;
  pendingUpdates: number;
  scheduledRetries: number;
  pausedAt?: number;
  failingSince?: number;
  /** When its webhook was last attempted; absent before the first attempt. */
  lastAttemptedAt?: number;
  /** Why the last attempt failed; empty after a success. */
  lastError: string;
  /** When one of its consumers last polled; absent when none ever did. */
  lastPolledAt?: number;
  /** Updates that the consumer furthest behind has not handled; absent without consumers. */
  slowestConsumerLag?: number;
}

export interface BotState {
  name: BotStateName;
  /** When the state began, if that is known; for `polling` and `unread`, the time of the last poll. */
  since?: number;
  /** Why every attempt fails. */
  error?: string;
  /** Updates that wait to be sent by webhook; 0 without a webhook. */
  waiting: number;
  /**
   * Only without a webhook: updates that the consumer furthest behind has not handled; without consumers, all that were
   * never delivered.
   */
  unread?: number;
}

export function stateOf(condition: BotCondition, now: number): BotState {
  const { bot, pausedAt, failingSince, lastError, lastPolledAt } = condition;
  const hasWebhook = bot.webhookUrl !== undefined;
  const undelivered = condition.pendingUpdates + condition.scheduledRetries;
  const counts = hasWebhook
    ? { waiting: undelivered }
    : { waiting: 0, unread: condition.slowestConsumerLag ?? undelivered };
  if (bot.disabledAt !== undefined) return { name: "disabled", since: bot.disabledAt, ...counts };
  if (!hasWebhook) return { ...readingState(lastPolledAt, now), ...counts };
  if (pausedAt !== undefined) return { name: "paused", since: pausedAt, ...counts };
  if (failingSince !== undefined) {
    return { name: "failing", since: failingSince, ...(lastError ? { error: lastError } : {}), ...counts };
  }
  return { name: condition.lastAttemptedAt === undefined ? "untried" : "healthy", ...counts };
}

function readingState(lastPolledAt: number | undefined, now: number): Pick<BotState, "name" | "since"> {
  if (lastPolledAt === undefined) return { name: "no_webhook" };
  return { name: now - lastPolledAt < UNREAD_AFTER_MS ? "polling" : "unread", since: lastPolledAt };
}
