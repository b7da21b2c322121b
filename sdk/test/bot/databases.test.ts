import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { postgresValues } from "@botyard/sdk/postgres";
import { sqliteValues } from "@botyard/sdk/sqlite";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDatabase, type EmptyDatabase } from "../support/postgres.js";

describe("values in SQLite", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "botyard-values-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("keep their database open, though nobody else has it", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const open = (name: string) => sqliteValues(new DatabaseSync(join(folder, "bot.db")), name);
    const stores = ["a", "b", "c", "d"].map(open);
    for (let turn = 0; turn < 3; turn += 1) {
      collectGarbage();
      await sleep(10);
    }
    for (const store of stores) await store.write("key", 1);
    expect(await Promise.all(stores.map((store) => store.read("key")))).toEqual([1, 1, 1, 1]);
  });

  it("are there for the next process, and each store has its own", async () => {
    const path = join(folder, "bot.db");
    const database = new DatabaseSync(path);
    await sqliteValues(database, "sessions").write("key", 1);
    await sqliteValues(database, "done").write("key", 2);
    database.close();
    const again = new DatabaseSync(path);
    expect(await sqliteValues(again, "sessions").read("key")).toBe(1);
    expect(await sqliteValues(again, "done").read("key")).toBe(2);
    expect(await sqliteValues(again).read("key")).toBeUndefined();
    again.close();
  });

  const sqlite = process.getBuiltinModule?.("node:sqlite");
  it.skipIf(!sqlite)("are opened by the path of a file", async () => {
    const path = join(folder, "bot.db");
    await sqliteValues(path).write("key", 1);
    await sqliteValues(path).write("key", 2);
    expect(await sqliteValues(path).read("key")).toBe(2);
  });

  it.skipIf(sqlite)("need a newer Node, or another library, and say so", () => {
    expect(() => sqliteValues(join(folder, "bot.db"))).toThrow(
      "node:sqlite is missing here: it needs Node 22.13 or newer",
    );
  });
});

describe("values in PostgreSQL", () => {
  let database: EmptyDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.remove());

  it("get their table from whichever process is first", async () => {
    const { pool } = database;
    const stores = Array.from({ length: 8 }, () => postgresValues(pool));
    await Promise.all(stores.map((store, index) => store.write(`key ${index}`, index)));
    expect(await Promise.all(stores.map((store, index) => store.read(`key ${index}`)))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ]);
    expect(await postgresValues(pool, "done").read("key 1")).toBeUndefined();
  });

  it("need no right to create tables where there is one, and recover where there was none", async () => {
    const { pool, name } = database;
    const role = `${name}_role`;
    await pool.query(`CREATE ROLE ${role}`);
    const client = await pool.connect();
    try {
      await client.query(`SET ROLE ${role}`);
      const store = postgresValues(client);
      await expect(store.read("key")).rejects.toThrow("permission denied");
      await postgresValues(pool).write("key", 7);
      await pool.query(`GRANT SELECT ON botyard_values TO ${role}`);
      expect(await store.read("key")).toBe(7);
    } finally {
      client.release(true);
      await pool.query(`DROP OWNED BY ${role}`);
      await pool.query(`DROP ROLE ${role}`);
    }
  });
});
