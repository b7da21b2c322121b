import type { Bot } from "./bot.js";

/**
 * How a bot gets its updates, and whether that works: the first that applies. Without a webhook: `polling` while a consumer of
 * it polls, `unread` when none has for {@link UNREAD_AFTER_MS}, `no_webhook` when it never had one that did.
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
  /** By its webhook; absent before the first attempt. */
  lastAttemptedAt?: number;
  /** Why the last attempt failed; empty after a success. */
  lastError: string;
  /** By any of its consumers; absent when none ever polled. */
  lastPolledAt?: number;
  /** What the consumer that is furthest behind has not handled; absent without consumers. */
  slowestConsumerLag?: number;
}

export interface BotState {
  name: BotStateName;
  /** Since when, where that is known; of `polling` and `unread`, when it was last polled. */
  since?: number;
  /** Why every attempt fails. */
  error?: string;
  /** Updates that wait to be sent by webhook; 0 without one, since then nothing is sent. */
  waiting: number;
  /** Only without a webhook: updates that a consumer has not handled; without one, all that nobody is known to have read. */
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
