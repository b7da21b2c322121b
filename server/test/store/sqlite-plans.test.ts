import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "#botyard/store/sqlite/binding.js";
import { createEngine } from "#botyard/store/sqlite/engine.js";
import { migrate } from "#botyard/store/sqlite/schema/schema.js";

let folder: string;
let db: Database;
const statements = new Set<string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "botyard-plans-"));
  db = await openDatabase(join(folder, "plans.db"), 0);
  migrate(db);
  createEngine({
    exec: (sql) => db.exec(sql),
    prepare(sql) {
      statements.add(sql.trim());
      return db.prepare(sql);
    },
    close: () => db.close(),
  });
});

afterAll(async () => {
  db.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * `held` is as short as the list of lanes that are being sent, `looked` as a step of counting, `r` as that of a lane's rounds, and `sqlite_sequence` has a row for each
 * table that counts its keys; a virtual table is a list that came as a parameter, or the
 * subscription of one bot.
 */
const MAY_BE_SCANNED =
  /^SCAN held\b|^SCAN looked$|^SCAN r$|^SCAN sqlite_sequence$|^SCAN \w+ (?:EXISTS )?VIRTUAL TABLE|^SCAN \d+-ROW|^SCAN CONSTANT ROW/;
/** Walks a table or an index in order of its key, and stops at its LIMIT. */
const IS_BOUNDED_WALK = /lanes_due|COVERING INDEX destinations_further$|^SCAN alerts$/;

function planOf(sql: string): string[] {
  return (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail);
}

it("has no statement that scans a table that grows", () => {
  const queries = [...statements].filter((sql) => /^(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
  expect(queries.length).toBeGreaterThan(40);
  const scans = queries.flatMap((sql) =>
    planOf(sql)
      .filter((step) => step.startsWith("SCAN") && !MAY_BE_SCANNED.test(step) && !IS_BOUNDED_WALK.test(step))
      .map((step) => `${step} in: ${sql}`),
  );
  expect(scans).toEqual([]);
});

it("would notice a scan", () => {
  expect(planOf("SELECT * FROM deliveries WHERE state = 2")[0]).toMatch(/^SCAN/);
});

it.each([
  ["deliveries_by_failure", "d.last_failed_at IS NOT NULL AND (d"],
  ["deliveries_waiting (destination_key=? AND round>? AND round<?)", "d.round >= ? AND d.round < ?"],
  ["deliveries_waiting (destination_key=? AND round>? AND round<?)", "round BETWEEN"],
  ["deliveries_waiting (destination_key=? AND round>? AND round<?)", "min(round)"],
  ["deliveries_waiting (destination_key=? AND round=? AND first_number<?)", "d.round = ?3"],
  [
    "deliveries_waiting (destination_key=? AND round=? AND first_number<?)",
    "round = ? AND first_number <= ?",
  ],
  ["deliveries_waiting (destination_key=? AND round=?)", "d.round = dest.round\n    WHERE"],
  ["deliveries_waiting (destination_key=? AND round<?)", "round < ? ORDER"],
  ["deliveries_waiting (destination_key=? AND round<?)", "d.round < dest.round) THEN"],
  ["deliveries_due (destination_key=? AND round=? AND due_at<?)", "d.due_at <= ?"],
  ["deliveries_due (destination_key=? AND round=?)", "min(d.due_at)"],
  ["deliveries_due (destination_key=? AND round=?)", "round = ? ORDER BY due_at"],
  ["deliveries_failed", "state = 3 ORDER"],
  ["deliveries_failed (destination_key=? AND first_number<?)", "d.state = 3 AND d.first_number < ?2"],
  ["deliveries_skipped (destination_key=? AND first_number<?)", "state = 4 AND first_number < ?"],
  ["events_by_subject", "event_key < ? ORDER BY event_key DESC"],
  ["timeline_minutes", "starts_at % 3600000 <> 0"],
  ["timeline_hours", "starts_at % 3600000 = 0"],
  ["lanes_due", "l.due_at <="],
  ["audit_by_owner_and_operation", "owner_user_id || ' ' || operation ="],
])("uses the index %s where %s", (index, condition) => {
  const using = [...statements].filter((sql) => sql.includes(condition));
  expect(using.length).toBeGreaterThan(0);
  for (const sql of using) expect(planOf(sql).join("\n")).toContain(index);
});

/** Groups a thousand rows at most. */
const ADDS_UP_A_STEP = /LIMIT \+\?2\) looked\s+GROUP BY/;

it("reads no list through a sort", () => {
  const sorting = [...statements].filter(
    (sql) =>
      sql.startsWith("SELECT") &&
      !ADDS_UP_A_STEP.test(sql) &&
      planOf(sql).some((step) => step.includes("TEMP B-TREE")),
  );
  expect(sorting).toEqual([]);
});

type Watched = Database & { setAuthorizer(onStep: (() => number) | null): void };

/** The SQLite of some Node versions cannot be watched. */
const canBeWatched = "setAuthorizer" in (await openDatabase(":memory:", 0));

it.runIf(canBeWatched)("plans no statement again at a call", () => {
  let planned = 0;
  (db as Watched).setAuthorizer(() => {
    planned += 1;
    return 0;
  });
  const isPlannedAnew = (sql: string): boolean => {
    const statement = db.prepare(`EXPLAIN ${sql}`);
    const parameters = [...sql.matchAll(/\?(\d*)/g)].map(([, number]) => Number(number));
    const count = Math.max(...parameters, parameters.filter((number) => number === 0).length, 0);
    const call = (value: number) => statement.all(...Array<number>(count).fill(value));
    call(1);
    planned = 0;
    call(2);
    return planned > 0;
  };
  const queries = [...statements].filter((sql) => /^(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
  expect(isPlannedAnew("SELECT * FROM lanes WHERE bot_key > ? LIMIT ?")).toBe(true);
  expect(queries.filter(isPlannedAnew)).toEqual([]);
  (db as Watched).setAuthorizer(null);
});
