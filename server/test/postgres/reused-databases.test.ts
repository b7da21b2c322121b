import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { createDatabaseAt, engine, onDatabase, type StoreHome } from "../support/engines.js";
import { fillStore } from "../support/filled-store.js";
import { TEMPLATE } from "../support/postgres-template.js";

const urlOf = (home: StoreHome): string => home.environment["DATABASE_URL"] ?? "";

/** The rows of every table, the state of every sequence, and all that is defined. */
async function contentsOf(url: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const rows = async (text: string): Promise<unknown[][]> =>
    (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
  const contents: Record<string, unknown> = {
    columns: await rows(`
      SELECT attrelid::regclass::text, attname, atttypid, attnotnull, attisdropped, attoptions
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace ORDER BY attrelid, attnum`),
    options: await rows(`
      SELECT relname, reloptions, relhastriggers, relacl FROM pg_class
        WHERE relnamespace = 'public'::regnamespace ORDER BY oid`),
    indexes: await rows("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname"),
    functions: await rows("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"),
    others: await rows(`
      SELECT application_name FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`),
  };
  const named = await rows(`
    SELECT oid::regclass::text FROM pg_class
      WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace`);
  for (const name of named.map(String)) contents[name] = await rows(`SELECT * FROM ${name}`);
  await client.end();
  return contents;
}

describe("the database of a home that was removed", () => {
  let home: StoreHome;
  let next: StoreHome | undefined;

  beforeEach(async () => {
    home = await engine.createHome();
    next = undefined;
  });
  afterEach(() => next?.remove());

  it("is taken by the next home, as if it were new", async () => {
    const fresh = await createDatabaseAt(inject("postgresUrl"), TEMPLATE);
    const expected = await contentsOf(fresh.url);
    await fresh.drop();
    const store = await home.open();
    await fillStore(store);
    await store.close();
    const filled = await contentsOf(urlOf(home));
    const changed = Object.keys(expected).filter((name) => !isDeepStrictEqual(filled[name], expected[name]));
    expect(changed.length).toBeGreaterThan(15);
    await home.remove();

    next = await engine.createHome();
    expect(urlOf(next)).toBe(urlOf(home));
    expect(await contentsOf(urlOf(next))).toEqual(expected);
  });

  async function expectDropped(): Promise<void> {
    await home.remove();
    next = await engine.createHome();
    expect(urlOf(next)).not.toBe(urlOf(home));
    await expect(onDatabase(urlOf(home), "SELECT 1")).rejects.toThrow("does not exist");
  }

  it.each([
    ["a column was added", "ALTER TABLE lanes ADD COLUMN shade text"],
    ["an option of a table was changed", "ALTER TABLE lanes SET (fillfactor = 70)"],
    ["a default was changed", "ALTER TABLE destinations ALTER COLUMN version SET DEFAULT 1"],
    ["an index is gone", "DROP INDEX deliveries_skipped"],
    ["there is one more function", "CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1'"],
    ["one more step counts as done", "INSERT INTO botyard_schema VALUES (999)"],
    [
      "it has settings",
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = UTC', current_database()); END $$",
    ],
    ["it is large", "INSERT INTO key_files SELECT repeat('k', 100) || n FROM generate_series(1, 10000) AS n"],
  ])("is dropped when %s", async (_reason, statement) => {
    await onDatabase(urlOf(home), statement);
    await expectDropped();
  });

  it("is dropped when its writes were refused meanwhile", async () => {
    const accept = await home.refuse("UPDATE", "lanes");
    await accept();
    await expectDropped();
  });

  it("is dropped when somebody stays connected", async () => {
    const client = new pg.Client({ connectionString: urlOf(home) });
    client.on("error", () => {});
    await client.connect();
    await expectDropped();
  });
});
