import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { Cell } from "#botyard/store/cells/cell.js";
import { OwnerMoving, type PostToAppend, type Store } from "#botyard/store/store.js";
import { cellOf, databaseAt, openCellsAt, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { readAll, switchFeedOn } from "../../support/feed-world.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { aNotice, aPost, aRoom, attach, makeBot, makeChannel } from "../../support/store-fixtures.js";

/** Where bots live whose channels move from the cell `first` to `b`. */
const HOMES = ["c", "first", "b"] as const;

const TURNS = createOwnerTurns(() => performance.now());

let database: TestDatabase;
let admin: CellsAdmin;
let here: OpenCells;
/** An instance that hears of no move. */
let stale: OpenCells;
let store: Store;
/** Of each test, since several have the same cells. */
let holder: string;
let maker: string;
let tests = 0;
beforeEach(() => {
  tests += 1;
  holder = `alice-${tests}`;
  maker = `bob-${tests}`;
});

async function open(): Promise<void> {
  database = await takeDividedDatabase(["first", "b", "c"]);
  admin = await administerCells(databaseAt(database.url), () => {});
  here = await openCellsAt(database.url);
  stale = await openCellsAt(database.url);
  for (const cell of stale.cells()) cell.store.events.removeAllListeners("ownerMoved");
  ({ store } = here);
}
async function close(): Promise<void> {
  await Promise.all([here.store.close(), stale.store.close(), admin.close()]);
  await database.drop();
}

const move = (to: string) => admin.move(holder, to, () => {});

/** A bot of the maker that hears all posts of two channels of the holder, and one of the holder's own in one of them. */
async function makeScene(home: string) {
  await rowsOf(
    database.url,
    `INSERT INTO directory_owners (owner_user_id, cell) VALUES ('${holder}', 'first'), ('${maker}', '${home}')`,
  );
  const bot = await makeBot(store, maker);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
  const own = await makeBot(store, holder);
  const channels = [await makeChannel(store, holder), await makeChannel(store, holder)] as const;
  for (const channelId of channels)
    await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {}, "member");
  await attach(store, own, channels[0]);
  const [row] = await rowsOf<{ hash: string }>(
    database.url,
    `SELECT token_hash AS hash FROM ${home === "first" ? "public" : home}.bots WHERE id = '${bot.botId}'`,
  );
  // A bot that calls has a token; what is carried in its name has none.
  const author = { botId: bot.botId, tokenHash: row?.hash ?? "" };
  return { bot, author, own, channels };
}

/** Which statement is the commit of the last step, of the cell that is come to and of that which is left. */
function commitOfLastStep(which: number): (text: string) => boolean {
  let commits: number | undefined;
  return (text) => {
    if (text.includes("DELETE FROM owners")) commits = 0;
    if (commits !== undefined && text === "COMMIT") commits += 1;
    return commits === which;
  };
}

/** @returns lets the answer of the cell `first` to the next posts come, which is held until then; those after it are answered at once */
function holdFirstAnswer(instance: OpenCells): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const cell = instance.cells().find(({ name }) => name === "first") as Cell;
  const { appendPosts } = cell.store;
  let calls = 0;
  const held: Store["appendPosts"] = async (posts) => {
    const isFirst = calls++ === 0;
    const results = await appendPosts(posts);
    if (isFirst) await released;
    return results;
  };
  Object.assign(cell.store, { appendPosts: held });
  return () => {
    Object.assign(cell.store, { appendPosts });
    release();
  };
}

async function bodiesOf(botId: string): Promise<string[]> {
  const bodies: string[] = [];
  for (let offset = 0; ; ) {
    const page = await store.readUpdates(botId, offset, 1_000);
    const last = page.at(-1);
    if (!last) return bodies;
    offset = last.updateId;
    for (const { eventType, payload } of page)
      if (eventType === undefined) bodies.push(JSON.parse(payload).body as string);
  }
}
const heard = async (botId: string, count: number): Promise<string[]> => {
  await eventually(`${count} posts are heard`, async () => (await bodiesOf(botId)).length >= count);
  return await bodiesOf(botId);
};
const rowsIn = (schema: string, select: string) =>
  rowsOf<{ n: number }>(
    database.url,
    `SELECT count(*)::integer AS n FROM (${select}) s`.replaceAll("@", schema),
  );
const countIn = async (schema: string, select: string) => (await rowsIn(schema, select))[0]?.n;
/** How many bots of the test are there as guests. */
const guestsIn = (schema: string) =>
  countIn(
    schema,
    `SELECT FROM @.bots WHERE owner_user_id IN (chr(1) || ' ${holder}', chr(1) || ' ${maker}')`,
  );

describe.each(HOMES)("an owner in whose channels bots are that live in the cell %s", (home) => {
  beforeAll(open);
  afterAll(close);

  const schema = home === "first" ? "public" : home;
  /** Where the holder moves besides. */
  const other = home === "c" ? "first" : "c";

  it("is moved: both hear each post once and in order, and the bot posts, at each instance", async () => {
    const { bot, author: asBot, own, channels } = await makeScene(home);
    const stored: Record<string, string[]> = {};
    let isOver = false;
    let sent = 0;
    const post = async (at: Store, author: PostToAppend["author"], channelId: string): Promise<void> => {
      while (!isOver) {
        const body = `${sent++}`;
        try {
          expect(await at.appendPosts([aPost(channelId, body, author, Date.now())])).toEqual([true]);
          (stored[channelId] ??= []).push(body);
        } catch (error) {
          if (!(error instanceof OwnerMoving)) throw error;
        }
        await sleep(15);
      }
    };
    const [first, second] = channels;
    const posting = [
      post(store, { ownerUserId: holder }, first),
      post(stale.store, { ownerUserId: holder }, second),
      post(store, asBot, first),
      post(stale.store, asBot, second),
    ];
    for (const to of ["b", other]) {
      await move(to);
      expect(await cellOf(database.url, holder)).toBe(to);
      await sleep(100);
    }
    isOver = true;
    await Promise.all(posting);

    const all = Object.values(stored).flat();
    const ofBot = await heard(bot.botId, all.length);
    expect(ofBot.toSorted()).toEqual(all.toSorted());
    const ofOwn = await heard(own.botId, stored[first]?.length ?? 0);
    expect(ofOwn.toSorted()).toEqual(stored[first]?.toSorted());
    // In a channel both have the same order.
    expect(ofBot.filter((body) => ofOwn.includes(body))).toEqual(ofOwn);
    // The bot stays known where the holder was, too.
    for (const name of ["b", other === "first" ? "public" : other])
      expect(await guestsIn(name)).toBe(name === schema ? 0 : 1);
  });

  it("has what the bot did there as its own: keys, posts to edit, a pending interaction", async () => {
    const { bot, author: asBot, channels } = await makeScene(home);
    const [channelId] = channels;
    const one = { ...aPost(channelId, "as the bot", asBot), idempotencyKey: "once" };
    expect(await store.appendPosts([one])).toEqual([true]);
    const asked = { ...aNotice("interaction.created"), id: newId() };
    const press = { ownerUserId: holder, channelId, botId: bot.botId, event: asked };
    await store.appendInteraction({
      ...press,
      event: { ...asked, payload: JSON.stringify({ channel_id: channelId }) },
    });
    await heard(bot.botId, 1);
    expect(await stale.store.appendPosts([aPost(channelId, "before", asBot)])).toEqual([true]);
    await move("b");

    // The first call hears that it is refused after the second has found out where the holder is.
    const answer = holdFirstAnswer(stale);
    const first = stale.store.appendPosts([aPost(channelId, "first", asBot)]);
    expect(await stale.store.appendPosts([aPost(channelId, "second", asBot)])).toEqual([true]);
    answer();
    expect(await first).toEqual([true]);
    expect((await stale.store.findInteraction({ botId: bot.botId }, asked.id))?.interaction.id).toBe(
      asked.id,
    );
    for (const at of [stale.store, store]) {
      const again = { ...aPost(channelId, "as the bot", asBot), idempotencyKey: "once" };
      const [repeated] = await at.appendPosts([again]);
      expect(repeated).toMatchObject({ id: one.id });
      const edited = await editPost(
        at,
        { botId: bot.botId },
        { channelId, postId: one.id },
        { body: "edited" },
      );
      expect(edited.post.body).toBe("edited");
      const found = await at.findInteraction({ botId: bot.botId }, asked.id);
      expect(found?.interaction.id).toBe(asked.id);
      expect(await at.findInteraction({ ownerUserId: holder, channelId }, asked.id)).toBeDefined();
    }
  });

  it("takes the bot out and in again, and what is deleted is erased where the bot lives", async () => {
    const { bot, channels } = await makeScene(home);
    const [first, second] = channels;
    const [kept, gone] = ["kept words", "gone words"].map((body) =>
      aPost(first, body, { ownerUserId: holder }),
    );
    await store.appendPosts(
      [kept, gone, aPost(second, "other words", { ownerUserId: holder })].flatMap((one) => one ?? []),
    );
    await heard(bot.botId, 3);
    await move("b");

    const ofBot = (text: string) => countIn(schema, `SELECT FROM @.events WHERE payload LIKE '%${text}%'`);
    await deletePost(stale.store, { ownerUserId: holder }, { channelId: first, postId: gone?.id ?? "" });
    expect(await ofBot("gone words")).toBe(0);
    expect(await ofBot("kept words")).toBe(1);
    await deleteChannel(stale.store, { ownerUserId: holder, channelId: second });
    expect(await ofBot("other words")).toBe(0);

    await detachBot(store, { ownerUserId: holder, botId: bot.botId }, first);
    expect(await store.listChannelBots(first, 10)).toMatchObject([{}]);
    await attachBot(stale.store, { ownerUserId: holder, botId: bot.botId }, first, {}, "member");
    expect(await store.listChannelBots(first, 10)).toHaveLength(2);
    await store.appendPosts([aPost(first, "new words", { ownerUserId: holder })]);
    expect((await heard(bot.botId, 4)).at(-1)).toBe("new words");
  });

  it("lets the bot leave at an instance that has not heard of the move, and its owner be erased", async () => {
    const { bot, author: asBot, channels } = await makeScene(home);
    const [first, second] = channels;
    await store.appendPosts([
      aPost(first, "by the bot", asBot),
      aPost(first, "by the holder", { ownerUserId: holder }),
    ]);
    expect(await stale.store.findMembership(bot.botId, first)).toBeDefined();
    await heard(bot.botId, 2);
    await move("b");

    await detachBot(stale.store, { ownerUserId: maker, botId: bot.botId }, first);
    expect((await store.listChannelBots(first, 10)).length).toBe(1);
    expect(await stale.store.appendPosts([aPost(first, "after it left", asBot)])).toEqual([false]);
    const said = (text: string) => countIn("b", `SELECT FROM @.events WHERE payload LIKE '%${text}%'`);
    expect(await said("by the bot")).toBe(1);
    expect(await eraseOwner(store, TURNS, { ownerUserId: maker }, maker)).toBe("deleted");
    expect(await said("by the bot")).toBe(0);
    expect(await said("by the holder")).toBe(1);
    expect(await store.listChannelBots(second, 10)).toEqual([]);
    expect(await guestsIn("b")).toBe(0);
  });

  // From the cell of the bot to another one, and then between cells in which it is a guest; or to its cell and away from it again.
  it.runIf(home !== "c")(
    "is in one cell with the bot in their channels, wherever the move is killed",
    async () => {
      const { bot, author: asBot, channels } = await makeScene(home);
      const [channelId] = channels;
      const posts = ["one", "two"].map((body) => aPost(channelId, body, { ownerUserId: holder }));
      await store.appendPosts(posts);
      await heard(bot.botId, 2);
      const bodies = ["one", "two"];
      for (const [place, isIt] of Object.entries({
        "before the guests are known": (text: string) => text.includes("INSERT INTO new_bot_keys"),
        "before the owner is removed": (text: string) => text.includes("DELETE FROM owners"),
        "after the first commit": commitOfLastStep(1),
        "after the second commit": commitOfLastStep(2),
      })) {
        const from = (await cellOf(database.url, holder)) ?? "";
        const to = from === "b" ? other : "b";
        const revive = killMoverAt(isIt, place.startsWith("after"));
        await expect(move(to), place).rejects.toThrow();
        revive();
        const body = place;
        await eventually("a post is taken", async () => {
          try {
            return (await store.appendPosts([aPost(channelId, body, asBot, Date.now())]))[0] === true;
          } catch {
            return false;
          }
        });
        bodies.push(body);
        expect(await heard(bot.botId, bodies.length)).toEqual(bodies);
        await move(to);
        expect(await cellOf(database.url, holder)).toBe(to);
      }
      await admin.check(() => {});
      await store.appendPosts([aPost(channelId, "last", { ownerUserId: holder })]);
      expect((await heard(bot.botId, bodies.length + 1)).at(-1)).toBe("last");
    },
  );
});

describe.each(HOMES)(
  "what is said in channels with bots that live in the cell %s, when their owner is moved",
  (home) => {
    // The feed has what is said in all channels.
    beforeEach(open);
    afterEach(close);

    it("is in the feed once, in order, as before, and what they delete is erased from it", async () => {
      for (const cell of here.cells()) await cell.store.switchFeed(true);
      await switchFeedOn(store);
      const { bot, author: asBot } = await makeScene(home);
      const room = { ...aRoom(bot), ownerUserId: holder, bots: [] };
      await store.createRooms([room], { perOwner: 10, perBot: 10, perHolder: 10 });
      await attachBot(store, { ownerUserId: holder, botId: bot.botId }, room.id, {}, "member");
      const posts = ["kept words", "gone words"].map((body) =>
        aPost(room.id, body, { ownerUserId: holder }, Date.now()),
      );
      await store.appendPosts(posts);
      await heard(bot.botId, 2);
      const before = (await readAll(store)).filter(({ eventType }) => eventType === "channel.post_created");
      expect(before).toHaveLength(2);
      expect(before[0]?.channel).toMatchObject({ id: room.id, externalId: room.externalId });
      await move("b");
      await store.appendPosts([aPost(room.id, "new words", asBot, Date.now())]);
      await heard(bot.botId, 3);
      const after = (await readAll(store)).filter(({ eventType }) => eventType === "channel.post_created");
      expect(after.slice(0, 2)).toEqual(before);
      expect(after.map(({ payload }) => payload["body"])).toEqual(["kept words", "gone words", "new words"]);
      await deletePost(store, { ownerUserId: holder }, { channelId: room.id, postId: posts[1]?.id ?? "" });
      expect(JSON.stringify(await readAll(store))).not.toContain("gone words");
      await deleteChannel(store, { ownerUserId: holder, channelId: room.id });
      expect(JSON.stringify(await readAll(store))).not.toContain("words");
    });
  },
);

/** A bot of the maker, who lives in this cell, in a channel of the holder, who lives in b. */
async function attachFrom(home: string) {
  await rowsOf(
    database.url,
    `INSERT INTO directory_owners (owner_user_id, cell) VALUES ('${holder}', 'b'), ('${maker}', '${home}')`,
  );
  const bot = await makeBot(store, maker);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  const channelId = await makeChannel(store, holder);
  await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {}, "member");
  return { bot, channelId };
}

describe("an owner of bots, or one with such bots in their channels,", () => {
  // One of them removes a cell.
  beforeEach(open);
  afterEach(close);

  it("is the bots' owner, whose new cell tells where they were guests what becomes of them", async () => {
    const { bot, channelId } = await attachFrom("first");
    await deleteChannel(store, { ownerUserId: holder, channelId });
    const guests = (name: string) =>
      countIn("b", `SELECT FROM @.bots WHERE ascii(owner_user_id) = 1 AND display_name LIKE '${name}'`);
    expect(await guests("%")).toBe(1);
    await admin.move(maker, "c", () => {});
    await store.editBot(bot, { displayName: "Renamed", updatedAt: Date.now() });
    await eventually("it is renamed there", async () => (await guests("Renamed")) === 1);
    await store.deleteBot(bot);
    expect(await guests("%")).toBe(0);
  });

  it("is moved after a cell was removed of which bots were in their channels", async () => {
    const { bot, channelId } = await attachFrom("c");
    await store.deleteBot(bot);
    await admin.move(maker, "first", () => {});
    await admin.remove("c", true);
    // Nobody carries this any more.
    await store.appendPosts([aPost(channelId, "words", { ownerUserId: holder })]);
    await move("first");
    expect(await cellOf(database.url, holder)).toBe("first");
    expect(await store.listPosts(channelId, 10)).toMatchObject([{ body: "words" }]);
    expect(await store.listChannelBots(channelId, 10)).toEqual([]);
  });
});
