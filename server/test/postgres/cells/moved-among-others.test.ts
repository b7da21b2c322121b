import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { cellOf, databaseAt, openCellsAt } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { aPost, makeBot, makeChannel, NOW } from "../../support/store-fixtures.js";
import { complete } from "../../support/upkeep.js";

const CELLS = ["first", "b"];

let database: TestDatabase;
let admin: CellsAdmin;
let cells: OpenCells;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(CELLS);
  admin = await administerCells(databaseAt(database.url), () => {});
  cells = await openCellsAt(database.url);
  store = cells.store;
});
afterEach(async () => {
  await Promise.all([store.close(), admin.close()]);
  await database.drop();
});

const homeOf = async (owner: string) => (await cellOf(database.url, owner)) ?? "";
const move = (owner: string, to: string) => admin.move(owner, to, () => {});
const moveAway = async (owner: string) => move(owner, (await homeOf(owner)) === "b" ? "first" : "b");
const makeListed = async (ownerUserId: string): Promise<BotRef> => {
  const ref = await makeBot(store, ownerUserId);
  await store.editBot(ref, { visibility: "listed", updatedAt: NOW });
  return ref;
};

describe("the list of listed bots", () => {
  it("has each once, in the order of creation, whichever owners were moved, and ends", async () => {
    const owners = Array.from({ length: 6 }, (_, n) => `owner-${n}`);
    const made: string[] = [];
    for (let n = 0; n < 3; n++) for (const owner of owners) made.push((await makeListed(owner)).botId);
    const listed = async () => {
      const ids: string[] = [];
      let after: string | undefined;
      do {
        const { items, next } = await store.listListedBots("somebody", "off", { limit: 2, after });
        ids.push(...items.map(({ id }) => id));
        after = next;
      } while (after !== undefined && ids.length < 2 * made.length);
      return ids;
    };
    expect(await listed()).toEqual(made);
    for (const owner of ["owner-1", "owner-3", "owner-0", "owner-1", "owner-4"]) {
      await moveAway(owner);
      expect(await listed()).toEqual(made);
    }
    const { items } = await store.listReviews(undefined, { limit: 100 });
    expect(items.map(({ id }) => id)).toEqual(made);
  });
});

describe("an owner in whose channel another owner's bot was", () => {
  let bot: BotRef;
  let channelId: string;
  beforeEach(async () => {
    bot = await makeListed("bob");
    channelId = await makeChannel(store, "alice");
    // What she has besides.
    await makeChannel(store, "alice");
    if ((await homeOf("alice")) !== (await homeOf("bob"))) await move("alice", await homeOf("bob"));
    await attachBot(store, { ...bot, ownerUserId: "alice" }, channelId, {});
  });
  const leave = () => detachBot(store, { ...bot, ownerUserId: "alice" }, channelId);

  it.each([
    ["heard posts there", () => aPost(channelId, "their words", { ownerUserId: "alice" })],
    ["published there", () => aPost(channelId, "their words", { botId: bot.botId })],
  ])(
    "is moved when it %s, and so is the bot's owner; the bot keeps that until it is deleted",
    async (_what, post) => {
      const one = post();
      await store.appendPosts([one]);
      await store.appendPosts([aPost(channelId, "other words", { ownerUserId: "alice" })]);
      const updates = await store.readUpdates(bot.botId, 0, 100);
      expect(updates.length).toBeGreaterThan(0);
      await leave();
      const from = await homeOf("alice");
      await moveAway("alice");
      await moveAway("bob");
      const kept = (await store.readUpdates(bot.botId, 0, 100)).slice(0, updates.length);
      expect(kept.map(({ payload }) => payload)).toEqual(updates.map(({ payload }) => payload));
      // To where the bot has kept it, and to where it is in a channel of the same cell.
      await move("alice", from);
      const still = (await store.readUpdates(bot.botId, 0, 100)).slice(0, updates.length);
      expect(still.map(({ payload }) => payload)).toEqual(updates.map(({ payload }) => payload));
      const said = async () => JSON.stringify(await store.readUpdates(bot.botId, 0, 100));
      await deletePost(store, { ownerUserId: "alice" }, { channelId, postId: one.id });
      expect(await said()).not.toContain("their words");
      expect(await said()).toContain("other words");
      await deleteChannel(store, { ownerUserId: "alice", channelId });
      expect(await said()).not.toContain("other words");
      await complete(store, { kind: "erase", ownerUserId: "alice" }, 100);
      await moveAway("bob");
    },
  );
});

describe("what the platform has done to an owner", () => {
  it("is in the audit log once, wherever they were moved", async () => {
    await makeChannel(store, "alice");
    const by = { type: "platform", id: "platform", tokenId: "" } as const;
    const audit = { by, ownerUserId: "alice", operation: "putOwner", requestId: "1" };
    await store.putOwner("alice", { limits: { bots: 5 }, audit }, NOW);
    const entries = async () => (await store.listAudit(undefined, { operation: "putOwner" }, 100)).length;
    const before = await entries();
    for (let moves = 0; moves < 3; moves++) {
      await moveAway("alice");
      expect(await entries()).toBe(before);
    }
    expect(before).toBe(1);
  });
});
