import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import { aPost, attach, makeBot, makeChannel, OWNER, recordOutcomes } from "./store-fixtures.js";

const HOUR_MS = 3_600_000;

/**
 * Makes a bot with a log of errors, in the folder of a service that is stopped: two updates gave up on a closed connection, two
 * that were refused wait for a retry, and all later ones were refused first and are delivered since.
 *
 * @returns the bot's id
 */
export async function makeErrorLog(dataDir: string, url: string, mended: number): Promise<string> {
  const store = await openSqliteStore({ dataDir });
  const ref = await makeBot(store);
  const channelId = await makeChannel(store);
  await attach(store, ref, channelId);
  const now = Date.now();
  await store.appendPosts(
    Array.from({ length: mended + 4 }, (_, i) =>
      aPost(channelId, `post ${i + 1}`, { ownerUserId: OWNER }, now),
    ),
  );
  await store.putWebhook(ref, { url, sealedSecret: null }, now);
  const attempt = { failureCount: 0, attemptedAt: now - 60_000, durationMs: 12 };
  const closed = { error: "connection closed without an answer" };
  const refused = { error: "502 Bad Gateway", status: 502, nextRetryAt: now + HOUR_MS };
  const slips = Array.from({ length: mended }, (_, i) => [
    { ...attempt, updateId: i + 5, attemptedAt: now - 30_000, failure: refused },
    { ...attempt, updateId: i + 5, attemptedAt: now - 20_000, failureCount: 1 },
  ]);
  await recordOutcomes(store, [
    {
      destinationId: ref.botId,
      nextFreshId: mended + 5,
      attempts: [
        { ...attempt, updateId: 1, failure: closed },
        { ...attempt, updateId: 2, failure: closed },
        { ...attempt, updateId: 3, failure: refused },
        { ...attempt, updateId: 4, failure: refused },
        ...slips.flat(),
      ],
    },
  ]);
  await store.close();
  return ref.botId;
}
