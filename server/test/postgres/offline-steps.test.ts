import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { migrate } from "#botyard/store/postgres/schema/migrate.js";
import { SCHEMA } from "#botyard/store/postgres/schema/schema.js";
import type { OfflineStep, SchemaStep } from "#botyard/store/postgres/schema/schema-step.js";
import { newestSchema } from "#botyard/store/shared/schema/schema-steps.js";
import { createPostgresDatabase, type TestDatabase } from "../support/engines.js";

/** An upgrade of which the last step is one that no service may be beside. */
const NEXT: (SchemaStep | OfflineStep)[] = [
  { change: "ALTER TABLE lanes ADD COLUMN shade text;" },
  "ALTER TABLE bots RENAME COLUMN username TO called;",
];

describe("an upgrade that services of the release before cannot serve beside", () => {
  let database: TestDatabase;
  const upgrade = () => migrate(database.url, { laterSteps: NEXT });
  const stepsDone = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query("SELECT max(step) AS done FROM botyard_schema");
    await client.end();
    return Number(rows[0].done) - newestSchema(SCHEMA);
  };

  beforeEach(async () => {
    database = await createPostgresDatabase();
  });
  afterEach(() => database.drop());

  it("is refused in one line while one is connected, and changes nothing", async () => {
    const store = await openPostgresStore({ url: database.url, poolSize: 2, onConnectionError() {} });
    await expect(upgrade()).rejects.toThrow(
      /^this upgrade cannot run beside services of an older version, and \d+ of their connections are open: stop all of them, [^\n]+ botyard migrate [^\n]+$/,
    );
    expect(await stepsDone()).toBe(0);
    await store.ping();
    await store.close();
    await upgrade();
    expect(await stepsDone()).toBe(NEXT.length);
  });

  it("is done by one of several instances that start at the same time", async () => {
    await migrate(database.url);
    await Promise.all(Array.from({ length: 4 }, upgrade));
    expect(await stepsDone()).toBe(NEXT.length);
  });

  it("is made of a new database too, which begins with the first schema", async () => {
    await upgrade();
    expect(await stepsDone()).toBe(NEXT.length);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query("SELECT step FROM botyard_schema ORDER BY step");
    await client.end();
    expect(rows[0]).toEqual({ step: 64 });
  });

  it("does not wait for other programs", async () => {
    await migrate(database.url);
    const other = new pg.Client({ connectionString: database.url, application_name: "botyard doctor" });
    await other.connect();
    await upgrade();
    await other.end();
  });
});
