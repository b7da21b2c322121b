import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";
import { openStore } from "#botyard/open-store.js";
import { engine } from "../support/engines.js";
import { connectSql } from "../support/stored-rows.js";
import { createEmptyHome, type EmptyHome, putFixture } from "../support/upgrade-fixtures.js";

const ENGINE = engine.name === "sqlite" ? "sqlite" : "postgres";

/** SQL of tables and indexes says all about them; an index of a constraint has none. */
const SQLITE_SCHEMA = `
  SELECT type || ' ' || name || ': ' || ifnull(sql, 'of ' || tbl_name) AS described FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite_stat%'`;

/**
 * Columns in their order; a column that was dropped leaves a hole in the numbers, which nobody sees. What a NOT NULL is called is
 * the server's own business: from PostgreSQL 18 on it keeps the name of a column that was renamed.
 */
const POSTGRES_SCHEMA = `
  WITH relations AS (
    SELECT c.oid, c.relname AS name, c.relkind AS kind, c.relpersistence AS persistence, c.reloptions AS options
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace)
  SELECT concat_ws(' ', 'relation', kind, name, persistence, options::text) AS described FROM relations
  UNION ALL
  SELECT concat_ws(' ', 'column', name, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum), a.attname,
    format_type(a.atttypid, a.atttypmod), a.attnotnull, 'identity', a.attidentity, 'default', pg_get_expr(d.adbin, d.adrelid),
    'storage', a.attstorage, a.attcompression, a.attcollation::regcollation)
  FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
  WHERE r.kind <> 'i' AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT concat_ws(' ', 'constraint', name, CASE WHEN o.contype <> 'n' THEN o.conname END, pg_get_constraintdef(o.oid), o.convalidated)
  FROM relations r JOIN pg_constraint o ON o.conrelid = r.oid
  UNION ALL
  SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisprimary)
  FROM relations r JOIN pg_index i ON i.indexrelid = r.oid
  UNION ALL
  SELECT concat_ws(' ', 'sequence', name, s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle)
  FROM relations r JOIN pg_sequence s ON s.seqrelid = r.oid`;

describe("a database that was upgraded", () => {
  let made: EmptyHome;
  let upgraded: EmptyHome;
  beforeEach(async () => {
    made = await createEmptyHome(ENGINE);
    upgraded = await createEmptyHome(ENGINE);
  });
  afterEach(async () => {
    await made.remove();
    await upgraded.remove();
  });

  it("has every table, column, constraint and index of a new one, and no others", async () => {
    await putFixture(upgraded, "with-updates");
    const schema = await openedSchema(made);
    expect(schema.length).toBeGreaterThan(40);
    expect(await openedSchema(upgraded)).toEqual(schema);
  });

  /** A service of the version before that goes on, as it was paused or its connections have another name. */
  it.skipIf(ENGINE === "sqlite")(
    "lets no service of before record outcomes, nor move lanes on over them",
    async () => {
      await putFixture(upgraded, "with-updates");
      await openedSchema(upgraded);
      const sql = await connectSql(upgraded);
      for (const [statement, missing] of [
        ["UPDATE updates SET attempt_count = 1", 'relation "updates" does not exist'],
        ["UPDATE lanes SET next_fresh_id = 7", 'column "next_fresh_id" of relation "lanes" does not exist'],
      ] as const)
        await expect(sql.run(statement)).rejects.toThrow(missing);
      await sql.close();
    },
  );
});

/** One line for each thing in the database, once the store has been opened. */
async function openedSchema(home: EmptyHome): Promise<string[]> {
  const store = await openStore(loadConfig(home.environment), pino({ level: "silent" }));
  await store.close();
  const sql = await connectSql(home);
  const rows = await sql.run(ENGINE === "sqlite" ? SQLITE_SCHEMA : POSTGRES_SCHEMA);
  await sql.close();
  return rows.map((row) => normalized((row as { described: string }).described)).sort();
}

/** Without comments and quotes, and with single spaces: SQLite keeps its statements as they were written, with quotes where it renames. */
function normalized(sql: string): string {
  return sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),]) ?/g, "$1");
}
