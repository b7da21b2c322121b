import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate as migratePostgres } from "#botyard/store/postgres/schema/migrate.js";
import { ROWS_PER_MOVE } from "#botyard/store/shared/schema/moved-updates.js";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { migrate as migrateSqlite } from "#botyard/store/sqlite/schema/schema.js";
import { engine } from "../support/engines.js";
import { type OldLane, type OldRow, putOldRows, shownBefore, shownNow } from "../support/old-updates.js";
import { run } from "../support/program.js";
import { connectSql, type SqlConnection } from "../support/stored-rows.js";
import { createEmptyHome, type EmptyHome, putFixture } from "../support/upgrade-fixtures.js";

const ENGINE = engine.name === "sqlite" ? "sqlite" : "postgres";
const NOW = 1_800_000_000_000;

/** More rows in all than are moved in one transaction. */
const ROWS_PER_LOG = 1_200;
const TRANSACTIONS = 4;
const MIGRATE_UNTIL_KILLED = fileURLToPath(new URL("migrate-until-killed.mjs", import.meta.url));

describe("the rows of updates become entries and deliveries", () => {
  let home: EmptyHome;
  let sql: SqlConnection;

  beforeEach(async () => {
    home = await createEmptyHome(ENGINE);
    // The last schema whose log was the table updates, without the rows of the fixture.
    await putFixture(home, "with-updates");
    sql = await connectSql(home);
    for (const table of ["updates", "lanes"]) await sql.run(`DELETE FROM ${table}`);
  });
  afterEach(async () => {
    await sql.close();
    await home.remove();
  });

  it("in every state, whatever their lane says about them, and show the same", async () => {
    const { rows, lanes } = anyRows();
    await putOldRows(sql, ENGINE, rows, lanes);
    await migrate(home);
    const expected = rows.map((row) =>
      shownBefore(
        row,
        lanes.find(({ bot }) => bot === row.bot),
      ),
    );
    const states = new Set(expected.map(({ state }) => state));
    expect(states).toEqual(new Set(["pending", "scheduled", "delivered", "failed", "skipped"]));
    expect(await shownNow(sql)).toEqual(expected);
    const counted = (
      await sql.run("SELECT destination_key, skipped_count FROM destinations ORDER BY destination_key")
    ).map((row) => Object.values(row as object).map(Number));
    const skipped = (bot: number) =>
      expected.filter((update) => update.bot === bot && update.state === "skipped").length;
    expect(counted).toEqual(lanes.map(({ bot }) => [bot, skipped(bot)]));
  });

  it("with no row for what was never attempted, and few for what was accepted or skipped at once", async () => {
    const rows = [
      ...logOf(1, 640, (number) => anAccepted(1, number)),
      ...logOf(2, 640, (number) => anUnsent(2, number)),
      ...logOf(3, 640, (number) => ({ ...anUnsent(3, number), state: "skipped" as const })),
    ];
    const lanes = [aLane(1, 641), aLane(2, 1), { ...aLane(3, 641), skipped: 640 }];
    await putOldRows(sql, ENGINE, rows, lanes);
    await migrate(home);
    const counts = (
      await sql.run("SELECT destination_key, count(*) FROM deliveries GROUP BY destination_key ORDER BY 1")
    ).map((row) => Object.values(row as object).map(Number));
    expect(counts).toEqual([
      [1, 10],
      [3, 1],
    ]);
  });

  it.each(["before", "after"])("though the migration is killed %s any commit", async (when) => {
    const rows = logOf(1, TRANSACTIONS * ROWS_PER_MOVE, (number) =>
      number % 7 === 0 ? aScheduled(1, number) : anAccepted(1, number),
    );
    const lane = aLane(1, rows.length + 1);
    const expected = rows.map((row) => shownBefore(row, lane));
    await putOldRows(sql, ENGINE, rows, [lane]);
    const { dataDir, environment } = home;
    let moved = 0;
    for (const commit of [1, 2]) {
      const place = environment.DATABASE_URL ?? dataDir;
      const killed = run(process.execPath, [MIGRATE_UNTIL_KILLED, ENGINE, place, String(commit), when]);
      expect([await killed.exit, killed.stderr()]).toEqual(["SIGKILL", ""]);
      moved += (when === "before" ? commit - 1 : commit) * ROWS_PER_MOVE;
      expect((await shownNow(sql)).length).toBe(moved);
    }
    expect(moved).toBeLessThan(rows.length);
    await migrate(home);
    expect(await shownNow(sql)).toEqual(expected);
  });
});

async function migrate({ dataDir, environment }: EmptyHome): Promise<void> {
  const url = environment.DATABASE_URL;
  if (url !== undefined) {
    await migratePostgres(url);
    return;
  }
  const db = await openDatabase(join(dataDir, "botyard.db"), 1_000);
  migrateSqlite(db);
  db.close();
}

function aLane(bot: number, nextFresh: number): OldLane {
  const nothing = { requeueFrom: null, requeueBelow: null, skipFrom: null, skipBelow: null };
  return { bot, nextFresh, ...nothing, skipped: 0 };
}

const logOf = <Row>(_bot: number, rows: number, make: (number: number) => Row): Row[] =>
  Array.from({ length: rows }, (_, index) => make(index + 1));

function anUnsent(bot: number, number: number): OldRow {
  const never = { dueAt: null, attemptedAt: null, deliveredAt: null, failedAt: null, error: null };
  return { bot, number, state: "pending", attempts: 0, failures: 0, ...never };
}

function anAccepted(bot: number, number: number): OldRow {
  const attemptedAt = NOW + number * 3 - (number % 5) * 4;
  const deliveredAt = attemptedAt + (number % 11);
  return { ...anUnsent(bot, number), state: "delivered", attempts: 1, attemptedAt, deliveredAt };
}

function aFailure(bot: number, number: number): OldRow {
  const attempts = 1 + (number % 3);
  const last = { attemptedAt: NOW + number, failedAt: NOW + number + 20, error: `50${number % 5} Oh` };
  return { ...anUnsent(bot, number), state: "failed", attempts, failures: attempts, ...last };
}

function aScheduled(bot: number, number: number): OldRow {
  return { ...aFailure(bot, number), state: "scheduled", dueAt: NOW + 60_000 + number };
}

/** Pending after an attempt. */
function aRequeued(bot: number, number: number, dueAt: 0 | -1 = 0): OldRow {
  return { ...aFailure(bot, number), state: "pending", failures: 0, dueAt };
}

function aDeliveredAgain(bot: number, number: number): OldRow {
  const deliveredAt = NOW + number + 40;
  return { ...aFailure(bot, number), state: "delivered", attempts: 4, attemptedAt: NOW + 30, deliveredAt };
}

/** In a log with `next_fresh_id`: all kinds of rows below it, and above it what was sent out of order. */
function anyRow(bot: number, number: number, nextFresh: number): OldRow {
  const kind = (number * 7_919 + bot * 104_729) % 23;
  if (number >= nextFresh && kind > 3) return anUnsent(bot, number);
  if (kind < 9) return anAccepted(bot, number);
  if (kind < 12) return aScheduled(bot, number);
  if (kind < 14) return aFailure(bot, number);
  if (kind < 16) return aDeliveredAgain(bot, number);
  if (kind < 18) return { ...anUnsent(bot, number), state: "skipped" };
  if (kind < 19) return { ...aFailure(bot, number), state: "skipped", failures: 0 };
  if (kind < 20) return { ...anAccepted(bot, number), attempts: 2 };
  return aRequeued(bot, number);
}

function anyRows(): { rows: OldRow[]; lanes: OldLane[] } {
  const nextFresh = ROWS_PER_LOG - 100;
  const skipsFrom = nextFresh - 300;
  const ofKeys = [1, 2, 3, 4, 5].flatMap((bot) =>
    logOf(bot, ROWS_PER_LOG, (number) => {
      if (bot !== 4) return anyRow(bot, number, nextFresh);
      // Replayed ones are not skipped with the others.
      if (number % 50 === 0 && number < nextFresh) return aRequeued(bot, number, -1);
      return number >= skipsFrom && number < nextFresh
        ? anUnsent(bot, number)
        : anyRow(bot, number, nextFresh);
    }),
  );
  // Numbers that were skipped after a loss of data.
  const rows = ofKeys.filter(({ bot, number }) => bot !== 2 || number < 400 || number > 500);
  const lanes: OldLane[] = [
    aLane(1, nextFresh),
    aLane(2, nextFresh),
    { ...aLane(3, nextFresh), requeueFrom: 300, requeueBelow: 700 },
    {
      ...aLane(4, nextFresh),
      requeueFrom: 200,
      requeueBelow: skipsFrom,
      skipFrom: skipsFrom,
      skipBelow: nextFresh,
    },
  ].map((lane) => ({
    ...lane,
    skipped: rows.filter(({ bot, state }) => bot === lane.bot && state === "skipped").length,
  }));
  // 5 is a bot that was deleted: its log is still to be removed, its lane is gone.
  return { rows, lanes };
}
