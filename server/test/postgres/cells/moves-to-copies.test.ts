import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { OwnerMoving } from "#botyard/store/store.js";
import { cellNamed, cellOf } from "../../support/cells.js";
import { eventually } from "../../support/eventually.js";
import { holdOutbox } from "../../support/held-log.js";
import { BY_HOLDER, type Heard, HOLDER, onHolderApart } from "../../support/holder-apart.js";
import { aPost, attach, makeChannel } from "../../support/store-fixtures.js";

const { world, move, makeListed, makeOwn, attachTo, heardBy, faultsInB } = onHolderApart();

/** Each post that a bot has heard in the channel is found in its log. */
async function expectFound(botId: string, channelId: string): Promise<void> {
  const { store } = world();
  for (const { updateId, eventType, payload } of await store.readUpdates(botId, 0, 1_000)) {
    const { post_id: id, channel_id: where, deleted } = JSON.parse(payload);
    if (eventType !== undefined || where !== channelId || deleted) continue;
    expect(await store.findPostInLogs(channelId, id, [botId])).toEqual([updateId]);
  }
}

it("hears, edits and deletes the same as without a move, while it is made", async () => {
  const { database, store } = world();
  const bot = await makeListed();
  const own = await makeOwn();
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
  const { here, store } = world();
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

it("finds posts in the log of the holder's bot, whose keys do not rise", async () => {
  const { store } = world();
  const bot = await makeListed();
  const own = await makeOwn();
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

it("keeps what both have heard in a channel that was deleted before", async () => {
  const { store } = world();
  const bot = await makeListed();
  const own = await makeOwn();
  const channelId = await makeChannel(store, HOLDER);
  await attach(store, own, channelId);
  await attachTo(bot, channelId);
  await store.appendPosts(["one", "two"].map((body) => aPost(channelId, body, BY_HOLDER)));
  await eventually("they are carried", async () => (await heardBy(bot.botId)).length === 2);
  await deleteChannel(store, { ownerUserId: HOLDER, channelId });
  await move("b");
  for (const { botId } of [own, bot])
    expect((await heardBy(botId)).map(({ kind, body }) => [kind, body])).toEqual([
      ["post", ""],
      ["post", ""],
    ]);
  expect(await faultsInB()).toEqual([]);
});
