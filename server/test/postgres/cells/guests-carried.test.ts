import { afterEach, beforeEach, expect, it } from "vitest";
import { forEachAtOnce } from "#botyard/domain/for-each-at-once.js";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import * as changes from "#botyard/operations/posts/change-post.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { followChanges } from "#botyard/store/cells/guests/follow-changes.js";
import { guestOwnerOf } from "#botyard/store/cells/guests/guests.js";
import { type BotRef, CHANGED, type Store } from "#botyard/store/store.js";
import { cellNamed, openCellsAt, placeOwner, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { holdChangesLog, holdOutbox } from "../../support/held-log.js";
import { aPost, makeBot, makeChannel } from "../../support/store-fixtures.js";

/** What one owner has to be carried; everybody else's came later. */
const MUCH = 1_500;
/** At most so much of it is carried before. */
const FEW = 500;

let database: TestDatabase;
let opened: OpenCells;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  opened = await openCellsAt(database.url);
  ({ store } = opened);
  await placeOwner(database.url, "maker", "first");
  for (const holder of ["alice", "bob"]) await placeOwner(database.url, holder, "b");
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

/** A bot of `maker` in a channel of an owner of another cell. */
async function makeRoom(holder: string): Promise<{ bot: BotRef; channelId: string }> {
  const bot = await makeBot(store, "maker", `bot-of-${holder}`);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: false });
  const channelId = await makeChannel(store, holder);
  await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
  return { bot, channelId };
}

async function emit(ownerUserId: string, channelId: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({
    id: newId(),
    eventType: "ticket.opened",
    payload: JSON.stringify({ n }),
    createdAt: Date.now(),
  }));
  await forEachAtOnce(events, 20, async (event) => {
    await store.appendEvent({ ownerUserId, to: { channelId }, event });
  });
}

const heardBy = async ({ botId }: BotRef) => await store.readUpdates(botId, 0, 10_000);

it("is carried once and in order, also when instances die before they note that", async () => {
  const { bot, channelId } = await makeRoom("alice");
  const other = await openCellsAt(database.url);
  // As if the process had died after it had carried something.
  await rowsOf(
    database.url,
    `CREATE SEQUENCE public.removals;
    CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('public.removals') % 3 <> 0 THEN RAISE EXCEPTION 'died'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER died BEFORE DELETE ON b.entries EXECUTE FUNCTION public.die()`,
  );
  const posts = Array.from({ length: 60 }, (_, n) => aPost(channelId, `post ${n}`, { ownerUserId: "alice" }));
  for (const [n, post] of posts.entries()) {
    expect(await (n % 2 ? store : other.store).appendPosts([post])).toEqual([true]);
    if (n % 20 !== 7) continue;
    await emit("alice", channelId, 1);
    const told = n + 1 + Math.ceil(n / 20);
    await eventually("all is heard", async () => (await heardBy(bot)).length > told);
  }
  await eventually("the rest is heard", async () => (await heardBy(bot)).length >= 64);
  const updates = await heardBy(bot);
  const heard = updates.filter(({ eventType }) => eventType === undefined);
  expect(heard.map(({ payload }) => payload)).toEqual(posts.map(({ payload }) => payload));
  expect(updates.filter(({ eventType }) => eventType === "ticket.opened")).toHaveLength(3);
  expect(updates.map(({ updateId }) => updateId)).toEqual(updates.map((_, n) => n + 1));
  const [removals] = await rowsOf<{ n: string }>(database.url, "SELECT last_value AS n FROM public.removals");
  expect(Number(removals?.n)).toBeGreaterThan(3);
  await other.store.close();
});

it("does not wait for what another owner of the cell has to be carried", async () => {
  const much = await makeRoom("alice");
  const little = await makeRoom("bob");
  const { release } = await holdOutbox(cellNamed(opened, "b"), cellNamed(opened, "first"));
  await emit("alice", much.channelId, MUCH);
  const posts = Array.from({ length: 3 }, (_, n) =>
    aPost(little.channelId, `post ${n}`, { ownerUserId: "bob" }),
  );
  for (const post of posts) await store.appendPosts([post]);
  await release();
  await eventually("the little is heard", async () => (await heardBy(little.bot)).length > posts.length);
  expect((await heardBy(much.bot)).length).toBeLessThan(FEW);
  // Nor does who waits for it to be carried.
  const { post } = await publishPost(
    store,
    { ownerUserId: "bob", username: "bob" },
    { channelId: little.channelId, body: "words" },
  );
  const ref = { channelId: little.channelId, postId: post.id };
  await changes.deletePost(store, { ownerUserId: "bob" }, ref);
  await attachBot(store, { ownerUserId: "bob", botId: little.bot.botId }, little.channelId, {}, "reader");
  expect((await heardBy(much.bot)).length).toBeLessThan(MUCH);
  await eventually("the much is heard", async () => (await heardBy(much.bot)).length > MUCH);
  const numbers = (await heardBy(much.bot))
    .filter(({ eventType }) => eventType === "ticket.opened")
    .map(({ payload }) => (JSON.parse(payload) as { n: number }).n);
  expect(new Set(numbers).size).toBe(MUCH);
}, 90_000);

it("does not wait for what another owner has changed", async () => {
  const much = await makeRoom("alice");
  const rooms = await Promise.all(Array.from({ length: 60 }, () => makeChannel(store, "alice")));
  const channelId = await makeChannel(store, "bob");
  const { release } = await holdChangesLog(cellNamed(opened, "first"), cellNamed(opened, "b"));
  const attach = (ownerUserId: string, room: string) =>
    attachBot(store, { ownerUserId, botId: much.bot.botId }, room, {});
  let attached = 0;
  const all = Promise.all(
    rooms.map(async (room) => {
      await attach("alice", room);
      attached += 1;
    }),
  );
  await eventually("they wait", async () => {
    const logs = await cellNamed(opened, "first").store.listOutboxes();
    return logs.some(({ head, position }) => head - position >= rooms.length);
  });
  const own = attach("bob", channelId);
  await release();
  await own;
  expect(attached).toBeLessThan(rooms.length);
  await all;
});

it("stays as the bot is when two follow what was changed, and one of them late", async () => {
  const { bot } = await makeRoom("alice");
  const [home, away] = [cellNamed(opened, "first"), cellNamed(opened, "b")];
  const before = await home.store.findBot(bot);
  await store.editBot(bot, { displayName: "New name", updatedAt: Date.now() });
  let looks = 0;
  const late: Store = Object.assign(Object.create(home.store), {
    findBot: async (ref: BotRef) => (looks++ === 0 ? before : await home.store.findBot(ref)),
  });
  const told = { ownerUserId: bot.ownerUserId, botId: bot.botId };
  const entry = {
    number: 1,
    id: newId(),
    eventType: CHANGED,
    payload: JSON.stringify(told),
    createdAt: Date.now(),
    cause: null,
    channelId: null,
    authorBotId: null,
    madeBy: null,
    subjectBotId: null,
    subjectOwner: null,
  };
  await followChanges({ home: { ...home, store: late }, away }, [entry], async () => undefined);
  const guest = await away.store.findBot({ ownerUserId: guestOwnerOf(bot.ownerUserId), botId: bot.botId });
  expect(guest?.displayName).toBe("New name");
  expect(looks).toBeGreaterThan(1);
});
