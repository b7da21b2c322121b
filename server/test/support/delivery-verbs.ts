import { FRESH_HEALTH } from "#botyard/domain/lane-health.js";
import type { AttemptFailure, BotRef, Store } from "#botyard/store/store.js";
import { NOW } from "./store-fixtures.js";

/** A failed attempt whose next one is due then, or the last one. */
export const failUntil = (nextRetryAt?: number): AttemptFailure => ({
  error: "500 Internal Server Error",
  nextRetryAt,
  durationMs: 7,
  status: 500,
  responseBody: "oops",
});

/**
 * The store's verbs of delivery for one bot, as short as tests need them.
 *
 * @param current the store, which a test may close and open again, and the bot
 */
export function deliveryVerbs(current: () => { store: Store; ref: BotRef; botId: string }) {
  const readDue = async (now: number, afterUpdateId: number, limit: number) => {
    const { store, botId } = current();
    const [read] = await store.readDueUpdates([{ botId, afterUpdateId, limit }], now);
    return read;
  };
  const generation = async () => (await readDue(0, 0, 1))?.generation ?? 0;

  return {
    generation,
    putWebhook(now = NOW) {
      const { store, ref } = current();
      return store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, now);
    },
    async release(now: number, health = FRESH_HEALTH) {
      const { store, botId } = current();
      return store.releaseLanes("here", [{ botId, health, generation: await generation() }], now);
    },
    record(updateId: number, attemptedAt: number, failure?: AttemptFailure, failureCount = 0) {
      const { store, botId } = current();
      const attempts = [{ updateId, failureCount, attemptedAt, failure }];
      return store.recordAttempts([{ botId, nextFreshId: updateId + 1, attempts }]);
    },
    async due(now: number, afterUpdateId = 0) {
      return (await readDue(now, afterUpdateId, 100))?.updates.map(({ updateId }) => updateId);
    },
    stats() {
      const { store, ref } = current();
      return store.readStats(ref);
    },
  };
}
