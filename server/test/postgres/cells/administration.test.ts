import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { FEED, type Store } from "#botyard/store/store.js";
import { addCells, databaseAt, openCellsAt, placeOwner, rowsOf } from "../../support/cells.js";
import {
  createPostgresDatabase,
  onDatabase,
  type TestDatabase,
  takeDividedDatabase,
  takePostgresDatabase,
} from "../../support/engines.js";

import { switchFeedOn } from "../../support/feed-world.js";
import { aPost, makeChannel } from "../../support/store-fixtures.js";

const quiet = (): void => {};

let database: TestDatabase;
let admin: CellsAdmin;
const begin = async (taken: TestDatabase) => {
  database = taken;
  admin = await administerCells(databaseAt(database.url), quiet);
};
const end = async () => {
  await admin.close();
  await database.drop();
};
beforeEach(async () => await begin(await takePostgresDatabase()));
afterEach(end);
/** Another database, which has cells of these names. */
const divide = async (...cells: string[]) => {
  await end();
  await begin(await takeDividedDatabase(cells));
};

const add = (name: string, schema?: string) => admin.add(name, undefined, schema, quiet);
const names = async () => (await admin.list()).map(({ name, number }) => `${name} ${number}`);

async function createBot(store: Store, ownerUserId: string, username: string): Promise<string> {
  const id = newId();
  const bot = { id, botUserId: newId(), ownerUserId, username, displayName: "", description: "" };
  const made = await store.createBot({
    ...bot,
    createdAt: 1,
    updatedAt: 1,
    tokenHash: `hash of ${username}`,
  });
  expect(made).toBeDefined();
  return id;
}

async function onCells<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const { store } = await openCellsAt(database.url);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

describe("adding cells", () => {
  it("makes the database of the directory the first one, with what is in it", async () => {
    const plain = await openPostgresStore({ url: database.url, poolSize: 2, onConnectionError() {} });
    const botId = await createBot(plain, "alice", "weather");
    expect(await add("first")).toBe(0);
    // Instances that were started before go on, and their bots are found by those that know of cells.
    const laterId = await createBot(plain, "bob", "later");
    await onCells(async (store) => {
      expect(await store.authenticateBot("hash of weather")).toMatchObject({ id: botId });
      expect(await store.authenticateBot("hash of later")).toMatchObject({ id: laterId });
      await createBot(store, "bob", "last");
    });
    await expect(add("second", "second")).rejects.toThrow(/restart all of them, one after the other/);
    await plain.close();
    // Also those who have not come by since: they live where what they have is.
    expect(await add("second", "second")).toBe(1);
    expect((await admin.list()).map(({ owners }) => owners)).toEqual([2, 0]);
    await onCells(async (store) => {
      expect(await store.authenticateBot("hash of later")).toMatchObject({ id: laterId });
      expect(await store.authenticateBot("hash of weather")).toMatchObject({ id: botId });
    });
  });

  it("goes on where an interrupted call ended, and is the same when it is repeated", async () => {
    await add("first");
    await add("second", "second");
    await onDatabase(database.url, "DELETE FROM second.cell");
    expect(await add("second", "second")).toBe(1);
    expect(await add("second", "second")).toBe(1);
    expect(await names()).toEqual(["first 0", "second 1"]);
    expect(await rowsOf(database.url, "SELECT name, number FROM second.cell")).toEqual([
      { name: "second", number: 1 },
    ]);
  });

  it("refuses what would mix up cells", async () => {
    await add("first");
    await add("second", "second");
    await expect(add("second", "third")).rejects.toThrow("there is a cell second already");
    await expect(add("third", "second")).rejects.toThrow(
      "that schema is the cell second: one schema is one cell",
    );
    const other = await createPostgresDatabase();
    try {
      await addCells(other.url, ["elsewhere"]);
      await expect(admin.add("third", other.url, undefined, quiet)).rejects.toThrow(
        "that schema is the cell elsewhere of another directory",
      );
    } finally {
      await other.drop();
    }
    await openUsed("used");
    await expect(add("third", "used")).rejects.toThrow("that schema has owners already");
    expect(await names()).toEqual(["first 0", "second 1"]);
  });

  it("refuses another first cell for a database that has owners", async () => {
    const plain = await openPostgresStore({ url: database.url, poolSize: 2, onConnectionError() {} });
    await createBot(plain, "alice", "weather");
    await plain.close();
    await expect(add("other", "other")).rejects.toThrow(
      "this database has owners already: make it the first cell",
    );
  });

  it("gives out keys of their own", async () => {
    await divide("first", "b", "c");
    await onCells(async (store) => {
      for (let n = 0; n < 6; n++) await createBot(store, `owner-${n}`, `bot-${n}`);
    });
    for (const [schema, number] of [
      ["b", 1],
      ["c", 2],
    ])
      expect(
        await rowsOf(database.url, `SELECT DISTINCT bot_key / 70368744177664 AS cell FROM ${schema}.bots`),
      ).toEqual([{ cell: String(number) }]);
  });

  it("keeps services away from a schema that they would not know to be a cell", async () => {
    await divide("first", "b");
    await expect(openCellsAt(`${database.url}?options=-c%20search_path%3Db`)).rejects.toThrow(
      /is the cell b: DATABASE_URL has to name the database with the directory/,
    );
  });
});

async function openUsed(schema: string): Promise<void> {
  const used = await openPostgresStore({ url: database.url, schema, poolSize: 2, onConnectionError() {} });
  await createBot(used, "alice", "weather");
  await used.close();
}

describe("removing a cell", () => {
  it("is refused while owners live there", async () => {
    await divide("first", "b");
    await onCells(async (store) => {
      for (let n = 0; n < 4; n++) await createBot(store, `owner-${n}`, `bot-${n}`);
    });
    await expect(admin.remove("b")).rejects.toThrow(/owners live in the cell b: botyard cells drain b/);
    await expect(admin.remove("z")).rejects.toThrow("there is no cell z: there are first, b");
  });

  it("is refused while a consumer of the feed has not read everything there", async () => {
    await divide("first", "b");
    await admin.setDraining("first", true);
    await onCells(async (store) => {
      await switchFeedOn(store);
      await store.openConsumer(FEED, "reader", 1);
      await store.openConsumer(FEED, "archive", 1);
      const channelId = await makeChannel(store, "alice");
      expect(await store.appendPosts([aPost(channelId, "text", { ownerUserId: "alice" })])).toEqual([true]);
    });
    await onDatabase(database.url, "DELETE FROM directory_owners");
    const behind = (names: string) =>
      `consumers of the platform's feed have not read everything in the cell b: ${names}; let them read on`;
    await expect(admin.remove("b")).rejects.toThrow(behind("archive, reader"));

    await onCells(async (store) => {
      const { feedId = "", heads = [] } = (await store.readFeed({ consumer: "reader" }, 10)) ?? {};
      await store.moveConsumer(FEED, "reader", { feedId, positions: heads, rewind: false }, 2);
    });
    await expect(admin.remove("b")).rejects.toThrow(behind("archive"));
    await admin.remove("b", true);
    expect(await names()).toEqual(["first 0"]);
  });

  it("is refused while it cannot be known whether a consumer has read everything there", async () => {
    await divide("first", "b");
    await onCells(async (store) => {
      await switchFeedOn(store);
      await store.openConsumer(FEED, "reader", 1);
    });
    const nowhere = "postgres://postgres@127.0.0.1:1/nowhere";
    await onDatabase(database.url, `UPDATE directory_cells SET url = '${nowhere}' WHERE name = 'b'`);
    await expect(admin.remove("b")).rejects.toThrow(
      /^what consumers of the feed have read in the cell b is not known .*: its database cannot be used: connect/,
    );
    await admin.remove("b", true);
    expect(await names()).toEqual(["first 0"]);
  });

  it("leaves its number unused", async () => {
    await divide("first", "b", "c");
    await admin.remove("c");
    expect(await names()).toEqual(["first 0", "b 1"]);
    expect(await add("d", "d")).toBe(3);
    expect(await add("c", "c")).toBe(2);
    expect(await names()).toEqual(["first 0", "b 1", "c 2", "d 3"]);
  });
});

describe("draining a cell", () => {
  it("gives it no new owners", async () => {
    await divide("first", "b");
    await admin.setDraining("first", true);
    await onCells(async (store) => {
      for (let n = 0; n < 4; n++) await createBot(store, `owner-${n}`, `bot-${n}`);
    });
    expect((await admin.list()).map(({ owners }) => owners)).toEqual([0, 4]);
  });

  it("also moves an owner who has nothing there any more, and can begin anew", async () => {
    await divide("first", "b");
    // As when all that they had was deleted, and its usage and audit entries have expired.
    await placeOwner(database.url, "alice", "b");
    expect(await admin.ownersOf("b", 10)).toEqual(["alice"]);
    expect(await admin.moveAway("alice", "b", quiet)).toBe("first");
    expect((await admin.list()).map(({ owners }) => owners)).toEqual([1, 0]);
    await onCells(async (store) => await createBot(store, "alice", "bot-1"));
    expect((await admin.list()).map(({ owners }) => owners)).toEqual([1, 0]);
    await admin.remove("b");
  });
});

describe("checking the cells", () => {
  beforeEach(async () => {
    await divide("first", "b", "c");
    await onCells(async (store) => {
      for (let n = 0; n < 9; n++) await createBot(store, `owner-${n}`, `bot-${n}`);
    });
  });

  const mended = async () => {
    const results = await admin.check(quiet);
    return [...results.values()].reduce((sum, { mended: count }) => sum + count, 0);
  };

  it("finds nothing where all is well", async () => {
    const results = await admin.check(quiet);
    expect([...results.values()].map(({ owners, bots }) => [owners, bots])).toEqual([
      [3, 3],
      [3, 3],
      [3, 3],
    ]);
    expect([...results.values()].every(({ mended: count, problems }) => count + problems.length === 0)).toBe(
      true,
    );
  });

  it("gives a directory that was restored from an older backup what it lacks", async () => {
    const before = await rowsOf(database.url, "SELECT * FROM directory_owners ORDER BY 1");
    await onDatabase(
      database.url,
      `DELETE FROM directory_owners WHERE owner_user_id IN ('owner-1', 'owner-5');
      DELETE FROM directory_bots WHERE username IN ('bot-1', 'bot-2', 'bot-3');
      DELETE FROM directory_tokens WHERE token_hash IN ('hash of bot-1', 'hash of bot-8');
      UPDATE directory_owners SET cell = 'c' WHERE cell = 'b' AND owner_user_id <> 'owner-5'`,
    );
    expect(await mended()).toBeGreaterThan(0);
    expect(await rowsOf(database.url, "SELECT * FROM directory_owners ORDER BY 1")).toEqual(before);
    expect(await mended()).toBe(0);
    await onCells(async (store) => {
      for (let n = 0; n < 9; n++)
        expect(await store.authenticateBot(`hash of bot-${n}`)).toMatchObject({ username: `bot-${n}` });
    });
  });

  it("removes bots that are in no cell", async () => {
    await onDatabase(database.url, "DELETE FROM b.bots; UPDATE directory_bots SET made_at = 1");
    expect(await mended()).toBe(3);
    expect(await rowsOf(database.url, "SELECT FROM directory_bots")).toHaveLength(6);
  });

  it("gives a username to the bot that has it, and forgets the token of the one that is gone", async () => {
    await onDatabase(
      database.url,
      `WITH gone AS (
        UPDATE directory_bots SET bot_id = gen_random_uuid() WHERE username = 'bot-1' RETURNING bot_id)
      INSERT INTO directory_tokens (token_hash, bot_id) SELECT 'left', bot_id FROM gone`,
    );
    expect(await mended()).toBe(1);
    expect(await rowsOf(database.url, "SELECT FROM directory_bots")).toHaveLength(9);
    expect(await rowsOf(database.url, "SELECT FROM directory_tokens WHERE token_hash = 'left'")).toEqual([]);
  });

  it("reports an owner who is in two cells, and changes nothing there", async () => {
    const [{ owner } = { owner: "" }] = await rowsOf<{ owner: string }>(
      database.url,
      "SELECT owner_user_id AS owner FROM b.bots LIMIT 1",
    );
    await onDatabase(database.url, `INSERT INTO c.owners (user_id) VALUES ('${owner}')`);
    const { problems } = (await admin.check(quiet)).get("c") ?? { problems: [] };
    expect(problems).toEqual([`the owner ${owner} has something in the cells b and c`]);
  });
});
