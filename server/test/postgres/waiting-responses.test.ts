import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, it } from "vitest";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { readAll, switchFeedOn } from "../support/feed-world.js";
import { aNotice, makeAttachedBot } from "../support/store-fixtures.js";

/** Long before the 4 s after which a statement that waits for a lock is cancelled. */
const SOON_MS = 1_500;
const CONNECTIONS = 10;
const RESPONSES = 3 * CONNECTIONS;

/** Responses in channels of one owner append to one log of the feed: on a busy machine each waits for the commit of others. */
it("leaves connections to reads while many responses wait for the feed", async ({ onTestFinished }) => {
  const database = await takePostgresDatabase();
  const { url } = database;
  const store = await openPostgresStore({
    url,
    poolSize: CONNECTIONS,
    hints: false,
    onConnectionError() {},
  });
  const intruder = new pg.Client({ connectionString: url });
  onTestFinished(async () => {
    await intruder.end();
    await store.close();
    await database.drop();
  });
  await switchFeedOn(store);
  const { ref, channelId } = await makeAttachedBot(store);
  const interactionIds = Array.from({ length: RESPONSES }, () => randomUUID());
  for (const id of interactionIds) {
    const event = { ...aNotice("interaction.created"), id };
    expect(await store.appendInteraction({ ...ref, channelId, event })).toBe(true);
  }

  await intruder.connect();
  await intruder.query("BEGIN; SELECT FROM lanes WHERE bot_key >= (SELECT first_key FROM feed) FOR UPDATE");
  const responses = interactionIds.map((interactionId) =>
    store.appendResponse({
      interactionId,
      channelId,
      botId: ref.botId,
      event: aNotice("interaction.responded"),
      idempotencyKey: undefined,
    }),
  );
  await eventually("one waits", async () => {
    const { rowCount } = await intruder.query(
      "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))",
    );
    return rowCount !== 0;
  });
  const startedAt = performance.now();
  for (let round = 0; round < 20; round += 1) await store.readUpdates(ref.botId, 0, 10);
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);

  await intruder.query("COMMIT");
  expect(await Promise.all(responses)).toEqual(interactionIds.map(() => true));
  const told = (await readAll(store)).filter(({ eventType }) => eventType === "interaction.responded");
  expect(told).toHaveLength(RESPONSES);
});
