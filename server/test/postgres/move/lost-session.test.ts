import { afterAll, beforeAll, expect, it } from "vitest";
import { withSessions } from "#botyard/store/postgres/move/session.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { createPostgresDatabase, onDatabase, type TestDatabase } from "../../support/engines.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(() => database.drop());

it("of a move names the cell whose server went away, and what to do", async () => {
  const cell = (name: string) => ({ name, url: database.url, schema: undefined });
  const moved = withSessions(cell("first"), cell("b"), async (_from, { client }) => {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await onDatabase(database.url, `SELECT pg_terminate_backend(${rows[0]?.pid})`);
    for (;;) await client.query("SELECT pg_sleep(0.01)");
  });
  await expect(moved).rejects.toThrow(StoreUnavailable);
  await expect(moved).rejects.toThrow(/^the cell b was lost: .*; run the command again$/);
});
