import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { BotRef, Failover, Store } from "#botyard/store/store.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { claim, makeAttachedBot, NOW, publish } from "../support/store-fixtures.js";
import { runSql } from "../support/stored-rows.js";

const GAP = 1_000_000;

describe("a database that is set back beneath a store", () => {
  let database: TestDatabase;
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  let noticed: Failover[];

  beforeEach(async () => {
    database = await takePostgresDatabase();
    store = await openStore();
    noticed = [];
    store.events.on("failedOver", (failover) => noticed.push(failover));
    ({ ref, botId, channelId } = await makeAttachedBot(store));
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    await publish(store, channelId, 5);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  const openStore = () => openPostgresStore({ url: database.url, poolSize: 4, onConnectionError() {} });
  const sql = (text: string) => runSql({ dataDir: "", environment: { DATABASE_URL: database.url } }, text);
  /** As a promotion does: all connections break, and those that follow are on another timeline. */
  const promoteTo = async (timeline: number) => {
    await sql(`
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET botyard.timeline = ''${timeline}''', current_database()); END $$;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await eventually("it serves again", () =>
      store.ping().then(
        () => true,
        () => false,
      ),
    );
  };
  const numbers = async () => (await store.readUpdates(botId, 0, 100)).map(({ updateId }) => updateId);
  const stats = async () => await store.readStats(ref);

  it("notices it once, and skips numbers once for each log that grows", async () => {
    await promoteTo(4_000);
    await publish(store, channelId, 2);
    await publish(store, channelId, 1);
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, GAP + 6, GAP + 7, GAP + 8]);
    expect(await store.readLogGap(botId)).toEqual({ from: 6, through: GAP + 5 });
    expect(await stats()).toMatchObject({ total: 8, pending: 8 });
    await eventually("it is noticed", () => noticed.length > 0);
    expect(noticed).toEqual([{ fromTimeline: expect.any(Number), toTimeline: 4_000 }]);
    const { botId: laterBot } = await makeAttachedBot(store, "later");
    await publish(store, channelId, 1);
    expect(await store.readLogHead(laterBot)).toBeLessThan(GAP);
  });

  it("counts what was skipped in no lag", async () => {
    await store.moveConsumer(botId, "main", { position: 3, done: [5], rewind: false }, NOW);
    await promoteTo(4_000);
    await publish(store, channelId, 1);
    expect(await store.listConsumers(botId)).toMatchObject([{ lag: 2 }]);
    expect(await stats()).toMatchObject({ slowestConsumerLag: 2 });
    await store.moveConsumer(botId, "main", { position: GAP, done: [], rewind: false }, NOW);
    expect(await store.listConsumers(botId)).toMatchObject([{ lag: 1 }]);
  });

  it("takes nothing from a holder of before, whose lanes are free at once", async () => {
    const [lane] = await claim(store, NOW);
    const { webhookVersion = 0, generation = 0 } = lane ?? {};
    await promoteTo(4_000);
    const attempts = [1, 2, 3].map((updateId) => ({
      updateId,
      failureCount: 0,
      attemptedAt: NOW,
      durationMs: 1,
    }));
    const failed = {
      ...attempts[0],
      updateId: 4,
      failure: { error: "500", status: 500, responseBody: "", nextRetryAt: NOW },
    };
    const before = await sql("SELECT * FROM lanes JOIN destinations ON destination_key = bot_key");
    await store.recordAttempts([{ destinationId: botId, webhookVersion, nextFreshId: 9, attempts }]);
    await store.recordAttempts([
      { destinationId: botId, webhookVersion, nextFreshId: 9, attempts: [...attempts, failed as never] },
    ]);
    await store.recordAttempts([{ destinationId: botId, webhookVersion, nextFreshId: 9, attempts: [] }]);
    expect(await sql("SELECT * FROM lanes JOIN destinations ON destination_key = bot_key")).toEqual(before);
    expect(await sql("SELECT * FROM deliveries")).toEqual([]);
    expect(await store.listFailedAttempts(botId, 4)).toEqual([]);
    expect(await store.renewLeases("here", [botId], 60_000, 250)).toEqual([botId]);
    const [again] = await claim(store, NOW, "there");
    expect(again?.updates.map(({ updateId }) => updateId)).toEqual([1, 2, 3, 4, 5]);
    await store.releaseLanes("here", [{ destinationId: botId, health: FRESH_HEALTH, generation }], NOW);
    expect(await store.renewLeases("there", [botId], 60_000, 250)).toEqual([]);
  });

  it("writes no position beyond the head of a log", async () => {
    const [lane] = await claim(store, NOW);
    const { webhookVersion = 0 } = lane ?? {};
    const attempt = { updateId: 1, failureCount: 0, attemptedAt: NOW, durationMs: 1 };
    await store.recordAttempts([
      { destinationId: botId, webhookVersion, nextFreshId: 99, attempts: [attempt] },
    ]);
    await store.recordAttempts([{ destinationId: botId, webhookVersion, nextFreshId: 99, attempts: [] }]);
    expect(await sql("SELECT next_fresh_number FROM destinations")).toEqual([{ next_fresh_number: "6" }]);
  });

  it("finds out by the newest number when there is no new timeline", async () => {
    await sql(`
      DELETE FROM entries WHERE number > 3; UPDATE lanes SET last_update_id = 3;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await eventually("it is noticed", async () => {
      await store.ping().catch(() => {});
      return noticed.length > 0;
    });
    await publish(store, channelId, 1);
    expect(await numbers()).toEqual([1, 2, 3, GAP + 4]);
    expect(noticed).toHaveLength(1);
  });

  it("goes on when the fail-over has lost the row by which it is noticed", async () => {
    await sql("TRUNCATE incarnation");
    await promoteTo(4_000);
    await publish(store, channelId, 1);
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, GAP + 6]);
    // Bots may be in channels of others: what they publish there has to be found when their owner is erased.
    expect(await sql("SELECT has_away FROM incarnation")).toEqual([{ has_away: true }]);
  });

  it("serves a database that cannot tell its timeline", async () => {
    // One that runs would take the row for lost as soon as it connects once more, and skip numbers.
    await store.close();
    await sql(`
      CREATE FUNCTION public.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''not supported'' USING ERRCODE = ''0A000''; END';
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$;
      TRUNCATE incarnation`);
    store = await openStore();
    await publish(store, channelId, 1);
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
