import pg from "pg";
import { describe, expect, it } from "vitest";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { startBlackHole } from "../support/black-hole.js";
import { takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, publish } from "../support/store-fixtures.js";

/** Long before the 5 s after which the batch on the silent connection is given up, or the 4 s of one that waits for a lock. */
const SOON_MS = 1_500;
const CONNECTIONS = 10;

/** A store behind a black hole, of a test's own: the tests wait beside each other for 5 s until lost batches are given up. */
async function createWorld(atEnd: (remove: () => Promise<void>) => void) {
  const database = await takePostgresDatabase();
  const url = new URL(database.url);
  const hole = await startBlackHole(Number(url.port));
  url.port = String(hole.port);
  const store = await openPostgresStore({
    url: url.href,
    poolSize: CONNECTIONS,
    hints: false,
    onConnectionError() {},
  });
  atEnd(async () => {
    await hole.close();
    await store.close();
    await database.drop();
  });
  const bot = await makeAttachedBot(store);
  // One connection is open by now, since nothing was asked beside something else: the next call uses it.
  return { database, hole, store, bot };
}

async function soon(work: Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work;
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
}

type World = Awaited<ReturnType<typeof createWorld>>;
const calls: [string, (world: World) => Promise<unknown>][] = [
  ["look-ups of tokens", ({ store, bot }) => store.authenticateBot(hashBotToken(bot.botId))],
  ["reads of updates", ({ store, bot }) => store.readUpdates(bot.botId, 0, 10)],
  ["posts", ({ store, bot }) => publish(store, bot.channelId, 1)],
];

describe.concurrent("calls that share a round trip to the database", () => {
  it.for(calls)(
    "do not wait, as %s, for those on a dead connection",
    async ([, callIn], { onTestFinished }) => {
      const world = await createWorld(onTestFinished);
      const call = () => callIn(world);
      world.hole.swallowNext();
      const lost = call().then(
        () => "answered",
        () => "failed",
      );
      await eventually("a connection is silent", () => world.hole.swallowed() === 1);
      for (let round = 0; round < 20; round++) await soon(Promise.all([call(), call(), call()]));
      expect(await lost).toBe("failed");
    },
  );

  it("do not wait for posts of a channel whose bot's lane is locked", async ({ onTestFinished }) => {
    const { database, store, bot } = await createWorld(onTestFinished);
    const other = await makeAttachedBot(store);
    const intruder = new pg.Client({ connectionString: database.url });
    await intruder.connect();
    await intruder.query(
      "BEGIN; SELECT FROM lanes WHERE bot_key = (SELECT max(bot_key) FROM lanes) FOR UPDATE",
    );
    const locked = publish(store, other.channelId, 1);
    await eventually("it waits", async () => {
      const { rowCount } = await intruder.query(
        "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))",
      );
      return rowCount !== 0;
    });
    for (let round = 0; round < 20; round++) await soon(publish(store, bot.channelId, 3));
    await intruder.end();
    await locked;
  });
});
