import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { guestOwnerOf } from "#botyard/store/cells/guests/guests.js";
import { type BotRef, OwnerMoving, type Store } from "#botyard/store/store.js";
import { cellNamed, cellOf, databaseAt, openCellsAt, placeOwner } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { holdOutbox } from "../../support/held-log.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { faultsIn } from "../../support/leftovers.js";
import { aPost, attach, makeBot, makeChannel } from "../../support/store-fixtures.js";
import { complete } from "../../support/upkeep.js";

/** Lives in the cell `first`, and moves to `b`, where the bots of the maker live. */
const HOLDER = "alice";
const MAKER = "bob";
const BY_HOLDER = { ownerUserId: HOLDER };

let database: TestDatabase;
let admin: CellsAdmin;
let here: OpenCells;
let store: Store;
let inB: pg.Client;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  admin = await administerCells(databaseAt(database.url), () => {});
  here = await openCellsAt(database.url);
  ({ store } = here);
  await placeOwner(database.url, HOLDER, "first");
  await placeOwner(database.url, MAKER, "b");
  inB = new pg.Client({ connectionString: database.url });
  await inB.connect();
  await inB.query("SET search_path = b");
});
afterEach(async () => {
  await Promise.all([store.close(), admin.close(), inB.end()]);
  await database.drop();
});

const move = (to: string) => admin.move(HOLDER, to, () => {});

async function makeListed(): Promise<BotRef> {
  const bot = await makeBot(store, MAKER);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
  return bot;
}

const attachTo = ({ botId }: BotRef, channelId: string) =>
  attachBot(store, { ownerUserId: HOLDER, botId }, channelId, {}, "moderator");

interface Heard {
  kind: string;
  id: string;
  body: string;
}

/** What a bot has heard of posts, in the order of its log, which has no gap. */
async function heardBy(botId: string): Promise<Heard[]> {
  const all: Heard[] = [];
  for (let offset = 0; ; ) {
    const page = await store.readUpdates(botId, offset, 1_000);
    if (page.length === 0) return all;
    for (const { updateId, eventType = "post", payload } of page) {
      expect(updateId).toBe(offset + 1);
      offset = updateId;
      const { id, post_id: postId, body = "" } = JSON.parse(payload);
      if (/post/.test(eventType)) all.push({ kind: eventType, id: postId ?? id, body });
    }
  }
}

/** Each post that a bot has heard in the channel is found in its log. */
async function expectFound(botId: string, channelId: string): Promise<void> {
  for (const { updateId, eventType, payload } of await store.readUpdates(botId, 0, 1_000)) {
    const { post_id: id, channel_id: where, deleted } = JSON.parse(payload);
    if (eventType !== undefined || where !== channelId || deleted) continue;
    expect(await store.findPostInLogs(channelId, id, [botId])).toEqual([updateId]);
  }
}

const countInB = async (select: string): Promise<number> => (await inB.query(select)).rowCount ?? 0;

/** What of the cell does not fit together, once its upkeep has come to an end. Outboxes count no channels. */
async function faultsInB(): Promise<string[]> {
  await complete(cellNamed(here, "b").store, { kind: "erase" }, 100);
  const run = async (statement: string) => (await inB.query(statement)).rows;
  const faults = await faultsIn({ run } as Parameters<typeof faultsIn>[0]);
  return faults.filter((fault) => !fault.endsWith("wrong counts of channels"));
}

it("hears, edits and deletes the same as without a move, while it is made", async () => {
  const bot = await makeListed();
  const own = await makeBot(store, HOLDER);
  await store.putSubscription(own, { eventTypes: ["*"], posts: "all", ownPosts: true });
  const channels: string[] = [];
  for (let n = 0; n < 3; n++) {
    const channelId = await makeChannel(store, HOLDER);
    channels.push(channelId);
    // What was there before the bot, and is edited and deleted afterwards.
    const posts = Array.from({ length: 40 }, (_, i) => aPost(channelId, `before ${n} ${i}`, BY_HOLDER));
    await store.appendPosts(posts);
    await attach(store, own, channelId);
    if (n < 2) await attachTo(bot, channelId);
  }
  let isOver = false;
  let made = 0;
  const expected = new Map<string, Heard[]>(channels.map((id) => [id, []]));
  const bodies = new Map<string, string | undefined>();
  const whenNotMoving = async <Result>(call: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof OwnerMoving) return undefined;
      throw error;
    }
  };
  /** One after the other in a channel, so that their order is known. */
  const write = async (channelId: string, n: number): Promise<void> => {
    const all = ((await store.listPosts(channelId, 100)) ?? []).map(({ id, body }) => ({ id, body }));
    for (const { id, body } of all) bodies.set(id, body);
    const told = expected.get(channelId) as Heard[];
    while (!isOver) {
      made += 1;
      const turn = made;
      const old = all[(turn * 7) % all.length];
      if (turn % 3 === 0 && old) {
        const body = `edited ${turn}`;
        const edit = () => editPost(store, BY_HOLDER, { channelId, postId: old.id }, { body });
        if (await whenNotMoving(edit)) {
          told.push({ kind: "channel.post_edited", id: old.id, body });
          bodies.set(old.id, body);
        }
      } else if (turn % 7 === 0 && all.length > 10) {
        const gone = all.splice(turn % all.length, 1)[0] as { id: string };
        const remove = () => deletePost(store, BY_HOLDER, { channelId, postId: gone.id });
        if ((await whenNotMoving(async () => (await remove()) ?? true)) === undefined) {
          all.push({ ...gone, body: bodies.get(gone.id) ?? "" });
        } else {
          told.push({ kind: "channel.post_deleted", id: gone.id, body: "" });
          bodies.set(gone.id, undefined);
        }
      } else {
        const post = aPost(channelId, `post ${n} ${turn}`, BY_HOLDER, Date.now());
        if ((await whenNotMoving(() => store.appendPosts([post])))?.[0] === true) {
          told.push({ kind: "post", id: post.id, body: `post ${n} ${turn}` });
          all.push({ id: post.id, body: `post ${n} ${turn}` });
          bodies.set(post.id, `post ${n} ${turn}`);
        }
      }
      await sleep(5);
    }
  };
  const writing = channels.map(write);
  for (const to of ["b", "first", "b"]) {
    await move(to);
    expect(await cellOf(database.url, HOLDER)).toBe(to);
    await sleep(200);
  }
  isOver = true;
  await Promise.all(writing);

  const inChannel = (heard: readonly Heard[], channelId: string) => {
    const ids = new Set(expected.get(channelId)?.map(({ id }) => id));
    // The text of a post that was edited or deleted since is that of now.
    return heard.filter(({ id }) => ids.has(id)).map(({ kind, id }) => `${kind} ${id}`);
  };
  for (const [channelId, told] of expected) {
    const all = told.map(({ kind, id }) => `${kind} ${id}`);
    for (const { botId } of channelId === channels[2] ? [own] : [own, bot])
      await eventually("everything is heard", async () => {
        return inChannel(await heardBy(botId), channelId).length >= all.length;
      });
    expect(inChannel(await heardBy(own.botId), channelId)).toEqual(all);
    if (channelId !== channels[2]) expect(inChannel(await heardBy(bot.botId), channelId)).toEqual(all);
    for (const { botId } of channelId === channels[2] ? [own] : [own, bot])
      await expectFound(botId, channelId);
    const listed = await store.listPosts(channelId, 1_000);
    for (const { id, body } of listed ?? []) expect(body).toBe(bodies.get(id));
    const kept = [...bodies].filter(
      ([id, body]) => body !== undefined && listed?.some((one) => one.id === id),
    );
    expect(kept).toHaveLength(listed?.length ?? 0);
  }
  const lost = [...bodies].filter(([, body]) => body !== undefined).length;
  const found = (await Promise.all(channels.map((id) => store.listPosts(id, 1_000)))).flat().length;
  expect(found).toBe(lost);
  expect(await faultsInB()).toEqual([]);
});

it("waits for what is not carried yet, which the bot hears as ever", async () => {
  const bot = await makeListed();
  const channelId = await makeChannel(store, HOLDER);
  const before = aPost(channelId, "before", BY_HOLDER);
  await store.appendPosts([before]);
  await attachTo(bot, channelId);
  const carried = aPost(channelId, "carried", BY_HOLDER);
  await store.appendPosts([carried]);
  await eventually("it is carried", async () => (await heardBy(bot.botId)).length === 1);
  const held = await holdOutbox(cellNamed(here, "first"), cellNamed(here, "b"));
  const waiting = aPost(channelId, "waiting", BY_HOLDER);
  await store.appendPosts([waiting]);
  for (const postId of [before.id, carried.id, waiting.id])
    await editPost(store, BY_HOLDER, { channelId, postId }, { body: "edited" });
  const moving = move("b");
  await sleep(1_500);
  await held.release();
  await moving;
  expect(await heardBy(bot.botId)).toMatchObject([
    { kind: "post", id: carried.id },
    { kind: "post", id: waiting.id },
    { kind: "channel.post_edited", id: before.id },
    { kind: "channel.post_edited", id: carried.id },
    { kind: "channel.post_edited", id: waiting.id },
  ]);
  const listed = await store.listPosts(channelId, 10);
  expect(listed?.map(({ body }) => body)).toEqual(["edited", "edited", "edited"]);
  expect(await faultsInB()).toEqual([]);
});

it("leaves nothing of a copy, and counts what is kept and used as before", async () => {
  const bot = await makeListed();
  const own = await makeBot(store, HOLDER);
  const channelId = await makeChannel(store, HOLDER);
  await attach(store, own, channelId);
  await attachTo(bot, channelId);
  await store.appendPosts([
    ...["a", "bb"].map((body) => aPost(channelId, body, BY_HOLDER, Date.now())),
    aPost(channelId, "ccc", { botId: own.botId }, Date.now()),
    aPost(channelId, "dddd", { botId: bot.botId }, Date.now()),
  ]);
  await eventually("they are carried", async () => (await heardBy(bot.botId)).length === 4);
  const countAll = async () => {
    for (const cell of here.cells()) await complete(cell.store, { kind: "count", now: Date.now() }, 100);
    return await store.readUsage(HOLDER, { from: 0, to: 99_999 });
  };
  const before = await countAll();
  expect(before).toMatchObject([{ posts: 3 }]);
  await move("b");
  expect(await countAll()).toEqual(before);
  const kept = await inB.query<{ bytes: string }>(
    "SELECT sum(octet_length(payload)) AS bytes FROM events JOIN channels USING (channel_key)",
  );
  expect(await store.readKeptBytes(HOLDER)).toBe(Number(kept.rows[0]?.bytes));
  const guest = guestOwnerOf(HOLDER);
  for (const table of ["channels", "bots", "owner_kept", "kept_changes", "events"])
    expect(await countInB(`SELECT FROM ${table} WHERE owner_user_id = '${guest}'`), table).toBe(0);
  expect(await countInB(`SELECT FROM attachments WHERE attached_by = '${guest}'`)).toBe(0);
  const authors = await inB.query(
    "SELECT b.owner_user_id AS author FROM events e LEFT JOIN bots b ON b.bot_key = e.author_key WHERE e.event_type IS NULL ORDER BY e.id",
  );
  expect(authors.rows.map(({ author }) => author)).toEqual([null, null, HOLDER, MAKER]);
  expect(await faultsInB()).toEqual([]);
});

it("finds posts in the log of the holder's bot, whose keys do not rise", async () => {
  const bot = await makeListed();
  const own = await makeBot(store, HOLDER);
  await store.putSubscription(own, { eventTypes: ["*"], posts: "all", ownPosts: true });
  const channelId = await makeChannel(store, HOLDER);
  await attach(store, own, channelId);
  const publishMany = async (): Promise<string[]> => {
    const posts = Array.from({ length: 1_500 }, (_, n) => aPost(channelId, `${n}`, BY_HOLDER, Date.now()));
    for (let n = 0; n < posts.length; n += 500) await store.appendPosts(posts.slice(n, n + 500));
    return posts.map(({ id }) => id);
  };
  const before = await publishMany();
  await attachTo(bot, channelId);
  const after = await publishMany();
  const hasAll = async () => ((await store.readLogHead(bot.botId)) ?? 0) >= 1_500;
  await eventually("everything is carried", hasAll);
  await move("b");
  // The first is that it was attached.
  for (const [n, id] of [...before, ...after].entries())
    if (n % 250 === 0)
      expect(await store.findPostInLogs(channelId, id, [own.botId]), `${n}`).toEqual([n + 2]);
});

it("takes bots of the cell out and in while it is made", async () => {
  const bots = await Promise.all([makeListed(), makeListed()]);
  const channelId = await makeChannel(store, HOLDER);
  for (const bot of bots) await attachTo(bot, channelId);
  let isOver = false;
  const counts = { in: 0, out: 0, refused: 0 };
  const change = async (bot: BotRef): Promise<void> => {
    while (!isOver) {
      for (const [what, call] of [
        ["out", () => detachBot(store, { ownerUserId: HOLDER, botId: bot.botId }, channelId)],
        ["in", () => attachTo(bot, channelId)],
      ] as const)
        for (let tries = 0; tries < 200; tries++) {
          const isDone = await call().then(
            () => true,
            (error: Error) => {
              if (!/moved|moving/.test(error.message)) throw error;
              return false;
            },
          );
          counts[isDone ? what : "refused"] += 1;
          if (isDone) break;
          await sleep(50);
        }
    }
  };
  const changing = bots.map(change);
  for (const to of ["b", "first", "b"]) {
    await move(to);
    await sleep(100);
  }
  isOver = true;
  await Promise.all(changing);
  expect(counts.in).toBeGreaterThan(3);
  expect(await store.listChannelBots(channelId, 10)).toHaveLength(2);
  await store.appendPosts([aPost(channelId, "last", BY_HOLDER)]);
  for (const { botId } of bots)
    await eventually("both hear it", async () => (await heardBy(botId)).at(-1)?.body === "last");
  expect(await faultsInB()).toEqual([]);
});

it("that is not decided leaves the copies as they were", async () => {
  const bot = await makeListed();
  const channelId = await makeChannel(store, HOLDER);
  await store.appendPosts([aPost(channelId, "before", BY_HOLDER)]);
  await attachTo(bot, channelId);
  const revive = killMoverAt(/INSERT INTO feed|DELETE FROM owners/, false);
  await expect(move("b")).rejects.toThrow();
  revive();
  await admin.check(() => {});
  expect(await cellOf(database.url, HOLDER)).toBe("first");
  await store.appendPosts([aPost(channelId, "after", BY_HOLDER)]);
  await eventually("it is heard", async () => (await heardBy(bot.botId)).at(-1)?.body === "after");
  expect(await countInB(`SELECT FROM channels WHERE owner_user_id = '${guestOwnerOf(HOLDER)}'`)).toBe(1);
  await move("b");
  expect(await heardBy(bot.botId)).toHaveLength(1);
  expect(await store.listPosts(channelId, 10)).toHaveLength(2);
});
