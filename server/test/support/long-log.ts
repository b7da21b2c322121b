import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import { aPost, attach, makeBot, makeChannel, OWNER, recordOutcomes } from "./store-fixtures.js";

const POSTS_PER_CALL = 5_000;

/**
 * Makes a bot with a log of `updates`, the first `failed` of which have failed for good and the others wait behind a webhook that is paused, in the folder of a service that is
 * stopped.
 *
 * @returns the bot's id
 */
export async function makeLongLog(dataDir: string, updates: number, failed: number): Promise<string> {
  const store = await openSqliteStore({ dataDir });
  const ref = await makeBot(store);
  const channelId = await makeChannel(store);
  await attach(store, ref, channelId);
  const now = Date.now();
  for (let first = 1; first <= updates; first += POSTS_PER_CALL) {
    const count = Math.min(POSTS_PER_CALL, updates - first + 1);
    await store.appendPosts(
      Array.from({ length: count }, (_, i) =>
        aPost(channelId, `post ${first + i}.`, { ownerUserId: OWNER }, now),
      ),
    );
  }
  await store.putWebhook(ref, { url: "https://example.com/hook", sealedSecret: null }, now);
  await recordOutcomes(store, [
    {
      destinationId: ref.botId,
      nextFreshId: failed + 1,
      attempts: Array.from({ length: failed }, (_, i) => ({
        updateId: i + 1,
        failureCount: 0,
        attemptedAt: now,
        durationMs: 12,
        failure: { error: "502 Bad Gateway", status: 502, responseBody: "upstream is down" },
      })),
    },
  ]);
  await store.setWebhookPaused(ref, true, now);
  await store.close();
  return ref.botId;
}
