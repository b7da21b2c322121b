import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashBotToken } from "#botyard/domain/tokens.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { Store } from "#botyard/store/store.js";
import { type BlackHole, startBlackHole } from "../support/black-hole.js";
import { createPostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, publish } from "../support/store-fixtures.js";

/** Long before the 5 s after which the batch on the silent connection is given up, or the 4 s of one that waits for a lock. */
const SOON_MS = 1_500;
const CONNECTIONS = 10;

describe("calls that share a round trip to the database", () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let hole: BlackHole;
  let store: Store;
  let bot: Awaited<ReturnType<typeof makeAttachedBot>>;

  beforeEach(async () => {
    database = await createPostgresDatabase();
    const url = new URL(database.url);
    hole = await startBlackHole(Number(url.port));
    url.port = String(hole.port);
    store = await openPostgresStore({
      url: url.href,
      poolSize: CONNECTIONS,
      hints: false,
      onConnectionError() {},
    });
    bot = await makeAttachedBot(store);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => store.ping()));
  });

  afterEach(async () => {
    await hole.close();
    await store.close();
    await database.drop();
  });

  const soon = async (work: Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await work;
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  };

  const calls: [string, () => Promise<unknown>][] = [
    ["look-ups of tokens", () => store.authenticateBot(hashBotToken(bot.botId))],
    ["reads of updates", () => store.readUpdates(bot.botId, 0, 10)],
    ["posts", () => publish(store, bot.channelId, 1)],
  ];
  it.each(calls)("do not wait, as %s, for those on a dead connection", async (_, call) => {
    hole.swallowNext();
    const lost = call().then(
      () => "answered",
      () => "failed",
    );
    await eventually("a connection is silent", () => hole.swallowed() === 1);
    for (let round = 0; round < 20; round++) await soon(Promise.all([call(), call(), call()]));
    expect(await lost).toBe("failed");
  });

  it("do not wait for posts of a channel whose bot's lane is locked", async () => {
    const other = await makeAttachedBot(store);
    const intruder = new pg.Client({ connectionString: database.url });
    await intruder.connect();
    await intruder.query(
      "BEGIN; SELECT FROM lanes WHERE bot_key = (SELECT max(bot_key) FROM lanes) FOR UPDATE",
    );
    const locked = publish(store, other.channelId, 1);
    await eventually("it waits", async () => {
      const { rowCount } = await intruder.query("SELECT FROM pg_locks WHERE NOT granted");
      return rowCount !== 0;
    });
    for (let round = 0; round < 20; round++) await soon(publish(store, bot.channelId, 3));
    await intruder.end();
    await locked;
  });
});
