import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import type { NewBot, Store } from "#botyard/store/store.js";
import { CELLS, openCellsAt, rowsOf } from "../../support/cells.js";
import { onDatabase, type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { makeChannel } from "../../support/store-fixtures.js";

let database: TestDatabase;
let here: OpenCells;
let there: OpenCells;
beforeEach(async () => {
  database = await takeDividedDatabase();
  [here, there] = await Promise.all([openCellsAt(database.url), openCellsAt(database.url)]);
});
afterEach(async () => {
  await Promise.all([here.store.close(), there.store.close()]);
  await database.drop();
});

const botOf = (ownerUserId: string, username: string, tokenHash = newId()): NewBot => ({
  id: newId(),
  botUserId: newId(),
  ownerUserId,
  username,
  displayName: "",
  description: "",
  createdAt: 1,
  updatedAt: 1,
  tokenHash,
});

/** The names of the cells that have a bot of the owner. */
async function cellsOf(ownerUserId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, store } of here.cells())
    if ((await store.listBots(ownerUserId)).length > 0) found.push(name);
  return found;
}

describe("an owner", () => {
  it("lives in one cell, whichever instance meets them first", async () => {
    const owners = Array.from({ length: 12 }, (_, n) => `owner-${n}`);
    await Promise.all(
      owners.flatMap((owner) => [
        here.store.createBot(botOf(owner, `${owner}-here`)),
        there.store.createBot(botOf(owner, `${owner}-there`)),
      ]),
    );
    const homes = await Promise.all(owners.map(cellsOf));
    for (const [index, home] of homes.entries()) {
      expect(home).toHaveLength(1);
      expect(await there.store.listBots(owners[index] as string)).toHaveLength(2);
    }
    // Each new owner gets the cell with the least work.
    for (const name of CELLS) expect(homes.flat()).toContain(name);
  });

  it("who has nothing is nowhere, and reading places nobody", async () => {
    expect(await here.store.listBots("nobody")).toEqual([]);
    expect(await here.store.findOwner("nobody")).toBeUndefined();
    expect(await rowsOf(database.url, "SELECT FROM directory_owners")).toEqual([]);
  });
});

it("an owner whom a restored directory does not know is found where they live", async () => {
  await here.store.createBot(botOf("alice", "first"));
  for (const owner of ["bob", "carol", "dave"]) await here.store.createBot(botOf(owner, owner));
  const home = await cellsOf("bob");
  await onDatabase(database.url, "DELETE FROM directory_owners");
  const late = await openCellsAt(database.url);
  expect(await late.store.listBots("bob")).toMatchObject([{ username: "bob" }]);
  await late.store.createBot(botOf("bob", "second"));
  expect(await cellsOf("bob")).toEqual(home);
  expect(await late.store.createBot(botOf("carol", "third"))).toMatchObject({ username: "third" });
  expect(await cellsOf("carol")).toHaveLength(1);
  await late.store.close();
});

describe("a username", () => {
  it("is one bot's in all cells, whatever its case", async () => {
    await here.store.createBot(botOf("alice", "Weather"));
    await here.store.createBot(botOf("bob", "other"));
    expect(await cellsOf("alice")).not.toEqual(await cellsOf("bob"));
    expect(await there.store.createBot(botOf("bob", "weather"))).toBeUndefined();
  });

  it("goes to one of those who want it at the same time", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        (n % 2 ? here : there).store.createBot(botOf(`owner-${n}`, "wanted")),
      ),
    );
    expect(made.filter((bot) => bot !== undefined)).toHaveLength(1);
  });

  it("is free again after its bot was deleted, and after a bot that was too many", async () => {
    const bot = botOf("alice", "again");
    await here.store.createBot(bot);
    await there.store.deleteBot({ ownerUserId: "alice", botId: bot.id });
    expect(await here.store.createBot(botOf("bob", "again"), 1)).toMatchObject({ username: "again" });
    expect(await here.store.createBot(botOf("bob", "second"), 1)).toBe("too many");
    expect(await there.store.createBot(botOf("carol", "second"))).toMatchObject({ username: "second" });
  });

  it("that a crash has left is given to the next who wants it", async () => {
    const placed = await here.store.createBot(botOf("alice", "first"));
    expect(placed).toBeDefined();
    await onDatabase(
      database.url,
      `INSERT INTO directory_bots (bot_id, username, owner_user_id, made_at) VALUES ('${newId()}', 'left', 'alice', 1)`,
    );
    expect(await there.store.createBot(botOf("bob", "left"))).toMatchObject({ username: "left" });
  });
});

it("a slug is one channel's among all that an owner or a bot can reach", async () => {
  await here.store.createBot(botOf("alice", "alices"));
  await here.store.createBot(botOf("bob", "bobs"));
  const make = (ownerUserId: string) =>
    here.store.createChannel({
      id: newId(),
      slug: "news",
      title: "News",
      description: "",
      ownerUserId,
      createdAt: 1,
    });
  expect(await cellsOf("alice")).not.toEqual(await cellsOf("bob"));
  expect(await make("alice")).toMatchObject({ ownerUserId: "alice", slug: "news" });
  expect(await make("bob")).toMatchObject({ ownerUserId: "bob", slug: "news" });
  expect(await make("alice")).toBeUndefined();
});

describe("a token", () => {
  const both = (check: (store: Store) => Promise<unknown>) =>
    Promise.all([here, there].map(({ store }) => check(store)));

  it("leads every instance to its bot, and no longer once it is replaced", async () => {
    const bot = botOf("alice", "weather", "hash-1");
    await here.store.createBot(bot);
    const known = await both((store) => store.authenticateBot("hash-1"));
    expect(known).toMatchObject([{ id: bot.id }, { id: bot.id }]);
    expect(here.store.recallBot("hash-1")).toMatchObject({ id: bot.id });

    expect(await there.store.replaceBotToken({ ownerUserId: "alice", botId: bot.id }, "hash-2")).toBe(true);
    expect(await both((store) => store.authenticateBot("hash-1"))).toEqual([undefined, undefined]);
    expect(await both((store) => store.authenticateBot("hash-2"))).toMatchObject([
      { id: bot.id },
      { id: bot.id },
    ]);
    expect(await rowsOf(database.url, "SELECT token_hash FROM directory_tokens")).toEqual([
      { token_hash: "hash-2" },
    ]);
  });

  it("of a bot of somebody else is not replaced", async () => {
    const bot = botOf("alice", "weather", "hash-1");
    await here.store.createBot(bot);
    await here.store.createBot(botOf("mallory", "other"));
    expect(await here.store.replaceBotToken({ ownerUserId: "mallory", botId: bot.id }, "stolen")).toBe(false);
    expect(await there.store.authenticateBot("stolen")).toBeUndefined();
  });

  it("that nobody has is asked for in the directory alone", async () => {
    expect(await both((store) => store.authenticateBot("unknown"))).toEqual([undefined, undefined]);
  });
});

it("finds the holders of channels, also in calls at once that learn of them from each other", async () => {
  const channelIds: string[] = [];
  for (let n = 0; n < 30; n += 1) channelIds.push(await makeChannel(there.store, `holder-${n}`));
  await here.store.findHolders(channelIds.slice(0, 10));
  const found = await Promise.all(Array.from({ length: 5 }, () => here.store.findHolders(channelIds)));
  expect(found.map(({ size }) => size)).toEqual(found.map(() => channelIds.length));
});
