import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgresSource } from "#botyard/store/copy/postgres-database.js";
import { openSession } from "#botyard/store/postgres/move/session.js";
import { migrate } from "#botyard/store/postgres/schema/migrate.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { createPostgresDatabase, onDatabase, type TestDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";

describe("a database that refuses the settings of a session", () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    const name = new URL(database.url).pathname.slice(1);
    // Found before the one that the settings ask.
    await onDatabase(
      database.url,
      `CREATE SCHEMA refusing;
      CREATE FUNCTION refusing.current_setting(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      ALTER DATABASE ${name} SET search_path = refusing, pg_catalog`,
    );
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const othersConnected = async (): Promise<number> => {
    const { rows } = await client.query(
      `SELECT count(*)::integer AS others FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    return rows[0].others;
  };

  it.each<[string, (url: string) => Promise<unknown>]>([
    ["an upgrade of its schema", (url) => migrate(url)],
    ["a move", (url) => openSession({ name: "one", url })],
    ["a copy", (url) => openPostgresSource({ url })],
  ])("keeps no connection of %s", async (_, open) => {
    await expect(open(database.url)).rejects.toThrow(
      expect.objectContaining({
        constructor: StoreUnavailable,
        message: expect.stringMatching(/cannot be (used|reached): refused$/),
      }),
    );
    await eventually("none is left", async () => (await othersConnected()) === 0);
  });
});
