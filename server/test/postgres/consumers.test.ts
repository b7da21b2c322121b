import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createUpdatePolls } from "#botyard/polling/update-polls.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { FEED, type Store } from "#botyard/store/store.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, makeChannel, NOW, publish } from "../support/store-fixtures.js";

describe("consumers of two instances on one database", () => {
  let database: TestDatabase;
  let here: Store;
  let there: Store;
  let botId: string;
  let channelId: string;

  beforeEach(async () => {
    database = await takePostgresDatabase();
    const open = () => openPostgresStore({ url: database.url, poolSize: 3, onConnectionError() {} });
    here = await open();
    there = await open();
    ({ botId, channelId } = await makeAttachedBot(here));
  });
  afterEach(async () => {
    await Promise.all([here.close(), there.close()]);
    await database.drop();
  });

  it("wake the poll of the one when the other appends", async () => {
    await publish(here, channelId, 3);
    await here.moveConsumer(botId, "main", { position: 1, done: [3], rewind: false }, NOW);
    const polls = createUpdatePolls(there, 10);
    const next = async () => {
      const from = () => there.readConsumed(botId, "main", 10);
      const updates = await polls.poll(botId, { from, limit: 10, timeoutMs: 30_000 });
      return updates.map(({ updateId }) => updateId);
    };
    expect(await next()).toEqual([2]);
    await here.moveConsumer(botId, "main", { position: 2, done: [], rewind: false }, NOW);
    const startedAt = performance.now();
    const waiting = next();
    await eventually("the poll waits", () => polls.waiting === 1);
    await publish(here, channelId, 1);
    expect(await waiting).toEqual([4]);
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    polls.close();
  });

  it("wake the poll of the one when the other rewinds", async () => {
    await publish(here, channelId, 3);
    await here.moveConsumer(botId, "main", { position: 3, done: [], rewind: false }, NOW);
    const polls = createUpdatePolls(there, 10);
    // Longer than a test may take.
    const waiting = polls.poll(botId, {
      from: () => there.readConsumed(botId, "main", 10),
      limit: 10,
      timeoutMs: 300_000,
    });
    await eventually("the poll waits", () => polls.waiting === 1);
    await here.moveConsumer(botId, "main", { position: 1, done: [2], rewind: true }, NOW);
    expect((await waiting).map(({ updateId }) => updateId)).toEqual([3]);
    polls.close();
  });

  it("keep the later of two moves, made at once on both", async () => {
    await publish(here, channelId, 40);
    const numbers = Array.from({ length: 40 }, (_, i) => ((i * 17) % 40) + 1);
    await Promise.all(
      numbers.map((number, i) =>
        (i % 2 ? here : there).moveConsumer(
          botId,
          "main",
          { position: number, done: [], rewind: false },
          NOW,
        ),
      ),
    );
    expect(await here.findConsumer(botId, "main")).toEqual({ position: 40, done: [] });
    expect(await there.listConsumers(botId)).toHaveLength(1);
  });

  it("of the feed move in all of its partitions or in none, one move after the other", async () => {
    await here.switchFeed(true);
    for (let n = 0; n < 60; n += 1) await makeChannel(here, `owner-${n}`);
    const { feedId = "", heads = [] } = (await here.readFeed([], 1)) ?? {};
    const [first, second] = heads.flatMap((head, partition) => (head > 1 ? [partition] : []));
    const moveTo = (store: Store, inFirst: number, inSecond: number, rewind = false) => {
      const numbers = new Map([
        [first, inFirst],
        [second, inSecond],
      ]);
      const positions = heads.map((_, partition) => numbers.get(partition) ?? 0);
      return store.moveConsumer(FEED, "main", { feedId, positions, rewind }, NOW);
    };
    for (let round = 0; round < 20; round += 1) {
      await moveTo(here, 0, 0, true);
      // Each is ahead of the other in one partition.
      const moves = await Promise.all([moveTo(here, 2, 1), moveTo(there, 1, 2)]);
      const done = moves.flatMap((one) => (one && "positions" in one ? [one.positions] : []));
      expect(done).toEqual([(await here.findConsumer(FEED, "main"))?.positions]);
    }
  });

  it("of a bot that is deleted meanwhile are gone too", async () => {
    const made = await makeAttachedBot(here);
    const move = { position: 0, done: [], rewind: false };
    const [isDeleted] = await Promise.all([
      here.deleteBot(made.ref),
      ...Array.from({ length: 8 }, (_, i) => there.moveConsumer(made.botId, `c${i}`, move, NOW)),
    ]);
    expect(isDeleted).toBe(true);
    expect(await here.listConsumers(made.botId)).toEqual([]);
    expect(await here.surveyLanes(0, 100, NOW)).not.toHaveProperty("slowestConsumerLag");
  });
});
