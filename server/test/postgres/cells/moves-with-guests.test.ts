import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { OwnerMoving, type PostToAppend, type Store } from "#botyard/store/store.js";
import { cellOf, databaseAt, openCellsAt, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { aNotice, aPost, attach, makeBot, makeChannel } from "../../support/store-fixtures.js";

const HOLDER = "alice";
const MAKER = "bob";

let database: TestDatabase;
let admin: CellsAdmin;
let here: OpenCells;
/** An instance that hears of no move. */
let stale: OpenCells;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b", "c"]);
  admin = await administerCells(databaseAt(database.url), () => {});
  here = await openCellsAt(database.url);
  stale = await openCellsAt(database.url);
  for (const cell of stale.cells()) cell.store.events.removeAllListeners("ownerMoved");
  ({ store } = here);
  await rowsOf(
    database.url,
    `INSERT INTO directory_owners (owner_user_id, cell) VALUES ('${HOLDER}', 'first'), ('${MAKER}', 'c')`,
  );
});
afterEach(async () => {
  await Promise.all([here.store.close(), stale.store.close(), admin.close()]);
  await database.drop();
});

const move = (to: string) => admin.move(HOLDER, to, () => {});

/** A bot of the maker that hears all posts of two channels of the holder, and one of the holder's own in one of them. */
async function makeScene() {
  const bot = await makeBot(store, MAKER);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
  const own = await makeBot(store, HOLDER);
  const channels = [await makeChannel(store, HOLDER), await makeChannel(store, HOLDER)] as const;
  for (const channelId of channels)
    await attachBot(store, { ownerUserId: HOLDER, botId: bot.botId }, channelId, {}, "member");
  await attach(store, own, channels[0]);
  return { bot, own, channels };
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

describe("an owner in whose channels bots of a third cell are", () => {
  it("is moved: both hear each post once and in order, and the bot posts, at each instance", async () => {
    const { bot, own, channels } = await makeScene();
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
      post(store, { ownerUserId: HOLDER }, first),
      post(stale.store, { ownerUserId: HOLDER }, second),
      post(store, { botId: bot.botId }, first),
      post(stale.store, { botId: bot.botId }, second),
    ];
    for (const to of ["b", "first"]) {
      await move(to);
      expect(await cellOf(database.url, HOLDER)).toBe(to);
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
    // Nothing of the guest is left where the holder was.
    await eventually("the guest is forgotten", async () => {
      await here.cells()[1]?.store.runUpkeep({ kind: "erase" }, 500);
      return (await countIn("b", "SELECT FROM @.bots WHERE ascii(owner_user_id) = 1")) === 0;
    });
    expect(await countIn("public", "SELECT FROM @.bots WHERE ascii(owner_user_id) = 1")).toBe(1);
  });

  it("has what the bot did there as its own: keys, posts to edit, a pending interaction", async () => {
    const { bot, channels } = await makeScene();
    const [channelId] = channels;
    const one = { ...aPost(channelId, "as the bot", { botId: bot.botId }), idempotencyKey: "once" };
    expect(await store.appendPosts([one])).toEqual([true]);
    const asked = { ...aNotice("interaction.created"), id: newId() };
    const press = { ownerUserId: HOLDER, channelId, botId: bot.botId, event: asked };
    await store.appendInteraction({
      ...press,
      event: { ...asked, payload: JSON.stringify({ channel_id: channelId }) },
    });
    await heard(bot.botId, 1);
    await move("b");

    for (const at of [stale.store, store]) {
      const again = { ...aPost(channelId, "as the bot", { botId: bot.botId }), idempotencyKey: "once" };
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
      expect(await at.findInteraction({ ownerUserId: HOLDER, channelId }, asked.id)).toBeDefined();
    }
  });

  it("takes the bot out and in again, and what is deleted is erased where the bot lives", async () => {
    const { bot, channels } = await makeScene();
    const [first, second] = channels;
    const [kept, gone] = ["kept words", "gone words"].map((body) =>
      aPost(first, body, { ownerUserId: HOLDER }),
    );
    await store.appendPosts(
      [kept, gone, aPost(second, "other words", { ownerUserId: HOLDER })].flatMap((one) => one ?? []),
    );
    await heard(bot.botId, 3);
    await move("b");

    const ofBot = (text: string) => countIn("c", `SELECT FROM @.events WHERE payload LIKE '%${text}%'`);
    await deletePost(stale.store, { ownerUserId: HOLDER }, { channelId: first, postId: gone?.id ?? "" });
    expect(await ofBot("gone words")).toBe(0);
    expect(await ofBot("kept words")).toBe(1);
    await deleteChannel(stale.store, { ownerUserId: HOLDER, channelId: second });
    expect(await ofBot("other words")).toBe(0);

    await detachBot(store, { ownerUserId: HOLDER, botId: bot.botId }, first);
    expect(await store.listChannelBots(first, 10)).toMatchObject([{}]);
    await attachBot(stale.store, { ownerUserId: HOLDER, botId: bot.botId }, first, {}, "member");
    expect(await store.listChannelBots(first, 10)).toHaveLength(2);
    await store.appendPosts([aPost(first, "new words", { ownerUserId: HOLDER })]);
    expect((await heard(bot.botId, 4)).at(-1)).toBe("new words");
  });

  it("is in one cell with the bot in their channels, wherever the move is killed", async () => {
    const { bot, channels } = await makeScene();
    const [channelId] = channels;
    const posts = ["one", "two"].map((body) => aPost(channelId, body, { ownerUserId: HOLDER }));
    await store.appendPosts(posts);
    await heard(bot.botId, 2);
    const bodies = ["one", "two"];
    for (const [place, isSent] of [
      [/INSERT INTO new_bot_keys/, true],
      [/INSERT INTO attachments/, true],
      [/count\(\*\)::integer AS count FROM new_bot_keys/, false],
      [/DELETE FROM owners/, false],
      [/^COMMIT$/, true],
    ] as const) {
      const from = (await cellOf(database.url, HOLDER)) ?? "";
      const to = from === "b" ? "first" : "b";
      const revive = killMoverAt(place, isSent);
      await move(to).catch(() => {});
      revive();
      const body = `after ${place}`;
      await eventually("a post is taken", async () => {
        try {
          const by = { botId: bot.botId };
          return (await store.appendPosts([aPost(channelId, body, by, Date.now())]))[0] === true;
        } catch {
          return false;
        }
      });
      bodies.push(body);
      expect(await heard(bot.botId, bodies.length)).toEqual(bodies);
      await move(to);
      expect(await cellOf(database.url, HOLDER)).toBe(to);
    }
    await admin.check(() => {});
    await store.appendPosts([aPost(channelId, "last", { ownerUserId: HOLDER })]);
    expect((await heard(bot.botId, bodies.length + 1)).at(-1)).toBe("last");
  });
});
