import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import { makeAttachedBot, publish, recordOutcomes } from "./store-fixtures.js";

const MINUTE_MS = 60_000;

/**
 * Makes a bot, in the folder of a service that is stopped, whose last minutes had so many attempts that were accepted, the
 * oldest first.
 *
 * @returns the bot's id
 */
export async function makeBusyTimeline(
  dataDir: string,
  url: string,
  delivered: readonly number[],
): Promise<string> {
  const store = await openSqliteStore({ dataDir });
  const { ref, botId, channelId } = await makeAttachedBot(store);
  const now = Date.now();
  await store.putWebhook(ref, { url, sealedSecret: null }, now);
  await publish(store, channelId, 1, now);
  const thisMinute = now - (now % MINUTE_MS);
  const minutes = delivered.map((count, index) => ({
    startsAt: thisMinute - (delivered.length - index) * MINUTE_MS,
    delivered: count,
    retried: 0,
    failed: 0,
    answerTimes: [count],
    oldestMs: 10,
  }));
  const attempts = [{ updateId: 1, failureCount: 0, attemptedAt: now }];
  await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 2, attempts, minutes }]);
  await store.close();
  return botId;
}
