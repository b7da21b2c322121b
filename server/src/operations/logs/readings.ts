import type { Bot } from "../../domain/bots/bot.js";
import { type Reading, readingOf } from "../../domain/events/consumer.js";
import type { TrackedUpdate } from "../../domain/events/update.js";
import type { Store } from "../../store/store.js";

/**
 * Returns a function that tells whether the bot's consumers had handled an update when this was called. It returns
 * undefined for updates that a webhook delivers or has delivered.
 */
export async function readReadings(
  store: Store,
  bot: Bot,
): Promise<(update: TrackedUpdate) => Reading | undefined> {
  if (bot.webhookUrl !== undefined) return () => undefined;
  const consumers = await store.listConsumers(bot.id);
  return ({ updateId, state }) =>
    state === "delivered" || state === "failed" ? undefined : readingOf(updateId, consumers);
}
