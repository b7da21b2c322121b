import { describe, expect, it } from "vitest";
import { SCHEMA } from "#botyard/store/postgres/schema/schema.js";
import type { SchemaStep } from "#botyard/store/postgres/schema/schema-step.js";
import { missingSteps } from "#botyard/store/shared/schema/schema-steps.js";
import { faultsOf } from "../support/schema-rules.js";

/** Decisions 0028 and 0030 say why these are. */
const OFFLINE_STEPS = new Set([48, 49, 50, 55, 62, 64]);

describe("a step of the schema", () => {
  it("runs beside live traffic, except those that are known not to", () => {
    const all = missingSteps(SCHEMA.earliest, SCHEMA);
    const faults = all.filter(({ schema }) => !OFFLINE_STEPS.has(schema)).map(({ step }) => faultsOf(step));
    expect(faults.length).toBe(all.length - OFFLINE_STEPS.size);
    expect(faults).toEqual(faults.map(() => []));
  });

  const allowed: SchemaStep[] = [
    { change: "ALTER TABLE lanes ADD COLUMN a bigint;" },
    {
      change:
        "-- Why; so.\nALTER TABLE lanes ADD COLUMN a bigint NOT NULL DEFAULT 0, ADD COLUMN b text DEFAULT 'a,b;c';",
    },
    { change: "ALTER TABLE lanes ADD COLUMN a integer[] NOT NULL DEFAULT '{}'::integer[];" },
    { change: "ALTER TABLE lanes ALTER COLUMN a DROP NOT NULL, DROP COLUMN b;" },
    {
      change:
        "CREATE TABLE t (a bigint PRIMARY KEY, b text NOT NULL) WITH (fillfactor = 70); CREATE INDEX t_b ON t (b);",
    },
    {
      change:
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM t; RETURN NULL; END $$; CREATE TRIGGER g AFTER UPDATE ON lanes FOR EACH STATEMENT EXECUTE FUNCTION f();",
    },
    { createIndex: "lanes_a", on: "lanes (a) WHERE a IS NOT NULL" },
    { dropIndex: "lanes_a" },
    {
      backfill: `UPDATE lanes SET a = 1 WHERE bot_key IN (
        SELECT bot_key FROM lanes WHERE a = 0 ORDER BY bot_key LIMIT 1000 FOR UPDATE)`,
    },
  ];
  it.each(allowed)("may be $change$createIndex$dropIndex$backfill", (step) => {
    expect(faultsOf(step)).toEqual([]);
  });

  const refused: [SchemaStep | string, RegExp][] = [
    ["ALTER TABLE lanes ADD COLUMN a bigint;", /cannot run beside the release before/],
    [{ change: "CREATE INDEX lanes_a ON lanes (a);" }, /builds an index under a lock/],
    [{ change: "CREATE INDEX CONCURRENTLY lanes_a ON lanes (a);" }, /not known to be harmless/],
    [{ change: "DROP INDEX lanes_due;" }, /not known/],
    [{ change: "ALTER TABLE lanes ALTER COLUMN a SET NOT NULL;" }, /SET NOT NULL/],
    [{ change: "ALTER TABLE lanes ALTER COLUMN a TYPE text;" }, /TYPE text/],
    [
      { change: "ALTER TABLE lanes ADD COLUMN a bigint DEFAULT extract(epoch FROM clock_timestamp());" },
      /clock_timestamp/,
    ],
    [{ change: "ALTER TABLE lanes ADD COLUMN a uuid DEFAULT gen_random_uuid();" }, /gen_random_uuid/],
    [{ change: "ALTER TABLE lanes ADD COLUMN a bigserial;" }, /bigserial/],
    [{ change: "ALTER TABLE lanes ADD COLUMN a bigint NOT NULL;" }, /NOT NULL/],
    [{ change: "ALTER TABLE lanes ADD COLUMN a bigint GENERATED ALWAYS AS IDENTITY;" }, /GENERATED/],
    [{ change: "ALTER TABLE lanes ADD COLUMN a bigint CHECK (a > 0);" }, /CHECK/],
    [{ change: "ALTER TABLE lanes ADD CONSTRAINT c CHECK (a > 0);" }, /CHECK/],
    [{ change: "ALTER TABLE lanes ADD COLUMN a bigint, ALTER COLUMN b SET NOT NULL;" }, /b SET NOT NULL/],
    [
      { change: "ALTER TABLE lanes ADD COLUMN a bigint; ALTER TABLE bots ADD COLUMN a bigint;" },
      /several tables/,
    ],
    [
      {
        change:
          "ALTER TABLE bots ADD COLUMN a bigint; CREATE TRIGGER g AFTER UPDATE ON lanes FOR EACH ROW EXECUTE FUNCTION f();",
      },
      /several tables/,
    ],
    [{ change: "ALTER TABLE lanes RENAME COLUMN a TO b;" }, /RENAME/],
    [{ change: "CREATE TABLE t (a bigint REFERENCES bots);" }, /refers to/],
    [{ change: "CREATE TABLE t AS SELECT * FROM updates;" }, /not known/],
    [{ change: "UPDATE lanes SET a = 1;" }, /not known/],
    [{ change: "ALTER TABLE lanes ADD COLUMN a bigint" }, /lacks its ;/],
    [{ backfill: "UPDATE lanes SET a = 1" }, /without a bound/],
    [
      { backfill: "UPDATE t SET a = 1 WHERE k IN (SELECT k FROM t WHERE a = 0 LIMIT 50000)" },
      /more than 1000/,
    ],
    [{ backfill: "DELETE FROM t WHERE k IN (SELECT k FROM t LIMIT 10); DELETE FROM t" }, /one statement/],
    [{ createIndex: "a b", on: "lanes (a)" }, /no index/],
    [{ createIndex: "a", on: "lanes" }, /no index/],
  ];
  it.each(refused)("may not be %o", (step, reason) => {
    expect(faultsOf(step).join()).toMatch(reason);
  });
});
