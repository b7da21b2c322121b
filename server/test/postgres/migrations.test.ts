import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "#botyard/store/postgres/schema/migrate.js";
import { SCHEMA } from "#botyard/store/postgres/schema/schema.js";
import type { SchemaStep } from "#botyard/store/postgres/schema/schema-step.js";
import { newestSchema } from "#botyard/store/shared/schema/schema-steps.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { aPost, claim, makeAttachedBot, NOW, OWNER, publish } from "../support/store-fixtures.js";
import { OWN_DATABASE } from "../support/waiting-statements.js";

const BOTS = 40;
const POSTS = 50;
/** In which the service of a table whose change waits for a lock goes on: a wait of 200 ms, and what queued behind it. */
const MAX_APPEND_MS = 2_000;

/** Typical changes of a release: a column, a backfill, an index in place of another one, a table. */
const COLUMN: SchemaStep = {
  change: "ALTER TABLE entries ADD COLUMN shade text, ADD COLUMN weight bigint NOT NULL DEFAULT 7;",
};
/** The lane is read by statements that name no columns. */
const LANE_COLUMN: SchemaStep = { change: "ALTER TABLE lanes ADD COLUMN shade text;" };
const BACKFILL: SchemaStep = {
  backfill: `
    UPDATE entries SET shade = 'grey' WHERE (log_key, number) IN (
      SELECT log_key, number FROM entries WHERE shade IS NULL LIMIT 100)`,
};
const INDEX: SchemaStep = { createIndex: "entries_by_shade", on: "entries (log_key, shade, number)" };
const NEXT: SchemaStep[] = [
  COLUMN,
  LANE_COLUMN,
  {
    change:
      "CREATE TABLE shades (shade text PRIMARY KEY); CREATE INDEX shades_by_length ON shades (length(shade));",
  },
  INDEX,
  { dropIndex: "deliveries_skipped" },
];

describe("a migration of the schema", () => {
  let home: StoreHome;
  let url: string;
  let store: Store;
  let database: pg.Client;

  beforeEach(async () => {
    home = await engine.createHome();
    url = home.environment.DATABASE_URL ?? "";
    store = await home.open();
    database = new pg.Client({ connectionString: url });
    await database.connect();
  });

  afterEach(async () => {
    await database.end();
    await store.close();
    await home.remove();
  });

  const migrateTo = (...steps: SchemaStep[]) => migrate(url, { laterSteps: steps });
  const value = async (sql: string): Promise<unknown> =>
    Object.values((await database.query(sql)).rows[0])[0];
  const stepsDone = async () =>
    Number(await value("SELECT max(step) FROM botyard_schema")) - newestSchema(SCHEMA);

  /** Posts, reads and claims one after the other until stopped. */
  const startTraffic = (bots: readonly { botId: string; channelId: string }[]) => {
    let isStopped = false;
    let slowestMs = 0;
    let stored = 0;
    const working = Promise.all(
      bots.slice(0, 4).map(async ({ botId, channelId }) => {
        while (!isStopped) {
          const startedAt = performance.now();
          const posts = [aPost(channelId, "meanwhile", { ownerUserId: OWNER })];
          expect(await store.appendPosts(posts)).toEqual([true]);
          slowestMs = Math.max(slowestMs, performance.now() - startedAt);
          stored += 1;
          await store.readUpdates(botId, 0, 10);
          await claim(store, NOW);
        }
      }),
    );
    return {
      stored: () => stored,
      async stop() {
        isStopped = true;
        await working;
        return { stored, slowestMs };
      },
    };
  };

  it("runs while posts continue and an instance of the release before serves", async () => {
    const bots = await Promise.all(Array.from({ length: BOTS }, () => makeAttachedBot(store)));
    for (const { ref } of bots)
      await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    for (const { channelId } of bots) await publish(store, channelId, POSTS);
    const beside = [...NEXT, BACKFILL];
    const traffic = startTraffic(bots);
    await eventually("posts flow", () => traffic.stored() > 0);
    await migrateTo(...beside);
    expect(await value(`SELECT count(*) FROM entries WHERE shade IS NULL AND number <= ${POSTS}`)).toBe("0");
    const before = traffic.stored();
    await eventually("posts flow on", () => traffic.stored() > before + 10);
    const { stored, slowestMs } = await traffic.stop();
    expect(slowestMs).toBeLessThan(MAX_APPEND_MS);
    // Rows that others wrote after the backfill are left to a later one.
    await migrateTo(...beside, BACKFILL);
    expect(await value("SELECT count(*) FROM entries")).toBe(String(BOTS * POSTS + stored));
    expect(await value("SELECT count(*) FROM entries WHERE shade = 'grey' AND weight = 7")).toBe(
      String(BOTS * POSTS + stored),
    );
    expect(
      await value("SELECT indisvalid FROM pg_index WHERE indexrelid = 'entries_by_shade'::regclass"),
    ).toBe(true);
    expect(await value("SELECT to_regclass('deliveries_skipped')")).toBeNull();
  });

  it("waits briefly for a lock, lets others proceed, and tries again", async () => {
    const bot = await makeAttachedBot(store);
    await database.query("BEGIN; SELECT count(*) FROM entries");
    const migrated = migrateTo(COLUMN);
    const traffic = startTraffic([bot]);
    await eventually("the migration waits", async () => {
      const { rows } = await waitingForEntries();
      return rows.length > 0;
    });
    const before = traffic.stored();
    await eventually("posts flow", () => traffic.stored() > before + 20);
    await database.query("COMMIT");
    await migrated;
    const { slowestMs } = await traffic.stop();
    expect(slowestMs).toBeLessThan(MAX_APPEND_MS);
    expect(await stepsDone()).toBe(1);
  });

  const waitingForEntries = () =>
    database.query(
      `SELECT FROM pg_locks WHERE relation = 'entries'::regclass AND database = ${OWN_DATABASE} AND NOT granted`,
    );

  it("continues after a kill, halfway through a backfill or with an index half built", async () => {
    const bot = await makeAttachedBot(store);
    await publish(store, bot.channelId, 250);
    await migrateTo(COLUMN);
    await database.query(`
      UPDATE entries SET shade = 'grey' WHERE number <= 100;
      INSERT INTO entries (log_key, number, event_key) VALUES (0, 1, 0)`);
    // An interrupted build leaves an invalid index.
    await database
      .query("CREATE UNIQUE INDEX CONCURRENTLY entries_by_shade ON entries (weight)")
      .catch(() => {});
    expect(
      await value("SELECT indisvalid FROM pg_index WHERE indexrelid = 'entries_by_shade'::regclass"),
    ).toBe(false);
    await migrateTo(COLUMN, BACKFILL, INDEX);
    expect(await value("SELECT count(*) FROM entries WHERE shade = 'grey'")).toBe("251");
    expect(
      await value("SELECT indisvalid FROM pg_index WHERE indexrelid = 'entries_by_shade'::regclass"),
    ).toBe(true);
    expect(await value("SELECT pg_get_indexdef('entries_by_shade'::regclass)")).toContain(
      "(log_key, shade, number)",
    );
    expect(await stepsDone()).toBe(3);
    await migrateTo(COLUMN, BACKFILL, INDEX);
    expect(await stepsDone()).toBe(3);
  });

  it("is run by one of several instances that start at the same time", async () => {
    await Promise.all(Array.from({ length: 5 }, () => migrateTo(...NEXT, BACKFILL)));
    expect(await stepsDone()).toBe(NEXT.length + 1);
  });

  it("names the holder of the lock in one line when it waits too long", async () => {
    const hanging = new pg.Client({ connectionString: url, application_name: "the hanging one" });
    await hanging.connect();
    await hanging.query("SELECT pg_advisory_lock(7232904431)");
    const pid = Number((await hanging.query("SELECT pg_backend_pid() AS pid")).rows[0].pid);
    const refusal = migrate(url, { laterSteps: [COLUMN], lockTimeoutMs: 300 });
    await expect(refusal).rejects.toThrow(
      new RegExp(
        `^another session brings the database to a new schema and is not done after 0.3 s: pid ${pid}, application "the hanging one", connected since 20\\d\\d-[^\\n]+Z, idle$`,
      ),
    );
    // An instance with nothing to change does not wait for it.
    await migrate(url, { lockTimeoutMs: 300 });
    await hanging.end();
  });
});
