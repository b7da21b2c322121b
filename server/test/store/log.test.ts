import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import type { LogHead, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import {
  aPost,
  attach,
  claim,
  detach,
  makeAttachedBot,
  makeBot,
  makeChannel,
  NOW,
  OWNER,
  publish,
} from "../support/store-fixtures.js";

describe(`the log on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
  });
  afterEach(async () => {
    await store.close();
    await home.remove();
  });

  const idsOf = async (botId: string, offset = 0) =>
    (await store.readUpdates(botId, offset, 1000)).map(({ updateId }) => updateId);
  const countTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

  it("numbers each bot's updates 1, 2, 3 … while many post at once to channels that share bots", async () => {
    const [both, onlyA] = [await makeBot(store), await makeBot(store)];
    const [a, b] = [await makeChannel(store), await makeChannel(store)];
    await attach(store, both, a);
    await attach(store, both, b);
    await attach(store, onlyA, a);
    await Promise.all([publish(store, a, 120), publish(store, b, 80)]);
    expect(await idsOf(both.botId)).toEqual(countTo(200));
    expect(await idsOf(onlyA.botId)).toEqual(countTo(120));
  });

  it("never shows a number before all below it", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    let done = false;
    const reader = (async () => {
      let seen = 0;
      while (!done || seen < 300) {
        for (const { updateId } of await store.readUpdates(botId, seen, 50)) {
          expect(updateId).toBe(seen + 1);
          seen = updateId;
        }
      }
    })();
    for (let round = 0; round < 10; round++) await publish(store, channelId, 30);
    done = true;
    await reader;
  });

  it("keeps every character of posts that are stored and read together", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(store);
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    const bodies = [
      "'\"\\ {NULL},",
      "a\nb\r\nc\td\u2028e\u2029f\u0000g",
      "1 2 3 4 {}",
      "\ud83d\udc19 \ud800",
      "{}\n{}",
    ];
    const posts = bodies.map((body) => aPost(channelId, body, { ownerUserId: OWNER }));
    await store.appendPosts(posts);
    const payloads = posts.map(({ payload }) => payload);
    expect((await store.readUpdates(botId, 0, 10)).map(({ payload }) => payload)).toEqual(payloads);
    const [lane] = await claim(store, NOW);
    expect(lane?.updates.map(({ payload }) => payload)).toEqual(payloads);
  });

  it("gives an update the payload of its post", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    const post = aPost(channelId, "héllo ✓", { botId }, NOW + 3);
    expect(await store.appendPosts([post])).toEqual([true]);
    expect(await store.readUpdates(botId, 0, 10)).toEqual([
      { updateId: 1, payload: post.payload, createdAt: NOW + 3 },
    ]);
  });

  it("stores the valid posts and refuses the others of the same call", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    const stranger = await makeBot(store);
    const stored = await store.appendPosts([
      aPost(channelId, "1", { botId }),
      aPost(channelId, "2", { botId: stranger.botId }),
      aPost(channelId, "3", { ownerUserId: "bob" }),
      aPost(newId(), "4", { ownerUserId: OWNER }),
      aPost(channelId, "5", { ownerUserId: OWNER }),
    ]);
    expect(stored).toEqual([true, false, false, false, true]);
    expect((await store.listPosts(channelId, 10))?.map(({ body }) => body)).toEqual(["5", "1"]);
    expect(await idsOf(botId)).toEqual([1, 2]);
  });

  it("isolates a faulty call from concurrent ones", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    const post = aPost(channelId, "twice", { botId });
    const settled = await Promise.allSettled([
      store.appendPosts([aPost(channelId, "before", { botId })]),
      store.appendPosts([post, post]),
      store.appendPosts([aPost(channelId, "after", { botId })]),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await store.listPosts(channelId, 10))?.map(({ body }) => body)).toEqual(["after", "before"]);
    expect(await idsOf(botId)).toEqual([1, 2]);
  });

  it("starts a bot's log when it is attached and stops it when it is detached", async () => {
    const channelId = await makeChannel(store);
    const ref = await makeBot(store);
    await publish(store, channelId, 2);
    await attach(store, ref, channelId);
    await publish(store, channelId, 3);
    await detach(store, ref, channelId);
    await publish(store, channelId, 4);
    expect(await idsOf(ref.botId)).toEqual([1, 2, 3]);
  });

  it("reads from an offset, ascending, up to a limit", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    await publish(store, channelId, 10);
    expect((await store.readUpdates(botId, 4, 3)).map(({ updateId }) => updateId)).toEqual([5, 6, 7]);
    expect(await idsOf(botId, 10)).toEqual([]);
    expect(await idsOf(botId, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  it("emits the logs that grew, once durable", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    const heads: LogHead[] = [];
    store.events.on("appended", (grown) => heads.push(...grown));
    await publish(store, channelId, 5);
    expect(heads.at(-1)).toMatchObject({ botId, lastUpdateId: 5, isClaimable: false });
    expect(new Set(heads.map((head) => head.botId))).toEqual(new Set([botId]));
  });

  it("emits the posts of the newest updates of a log that grew", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(store);
    const other = await makeAttachedBot(store);
    await attach(store, ref, other.channelId);
    const heads: LogHead[] = [];
    store.events.on("appended", (grown) => heads.push(...grown));
    await Promise.all([publish(store, channelId, 5, 1), publish(store, other.channelId, 4, 2)]);
    for (const { botId, lastUpdateId, events = [] } of heads) {
      const updates = await store.readUpdates(botId, lastUpdateId - events.length, events.length);
      expect(events.map(({ payload, createdAt }) => ({ payload, createdAt }))).toEqual(
        updates.map(({ payload, createdAt }) => ({ payload, createdAt })),
      );
    }
    expect(new Set(heads.map((head) => head.botId))).toEqual(new Set([botId, other.botId]));
    const ofOther = heads.filter((head) => head.botId === other.botId);
    expect(ofOther.flatMap(({ events = [] }) => events)).toHaveLength(4);
  });

  it("emits whether the lane of a log that grew can be claimed", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(store);
    const claimable: boolean[] = [];
    store.events.on("appended", (grown) => claimable.push(...grown.map((head) => head.isClaimable)));
    await publish(store, channelId, 1);
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, Date.now());
    await publish(store, channelId, 1);
    await store.setBotDisabled(ref, true, Date.now());
    await publish(store, channelId, 1);
    expect(claimable).toEqual([false, true, false]);
    expect(await idsOf(botId)).toEqual([1, 2, 3]);
  });

  it("pages through a channel's posts, newest first", async () => {
    const channelId = await makeChannel(store);
    const author = { ownerUserId: OWNER };
    for (const body of ["a", "b", "c", "d"]) await store.appendPosts([aPost(channelId, body, author)]);
    const newest = (await store.listPosts(channelId, 2)) ?? [];
    expect(newest.map(({ body }) => body)).toEqual(["d", "c"]);
    const older = await store.listPosts(channelId, 2, newest.at(-1)?.id);
    expect(older?.map(({ body }) => body)).toEqual(["b", "a"]);
    expect(await store.listPosts(channelId, 2, newId())).toBeUndefined();
    const elsewhere = aPost(await makeChannel(store), "x", author);
    await store.appendPosts([elsewhere]);
    expect(await store.listPosts(channelId, 2, elsewhere.id)).toBeUndefined();
  });

  it("keeps everything after a restart, and continues counting", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(store);
    await publish(store, channelId, 7);
    await store.close();
    store = await home.open();
    await publish(store, channelId, 1);
    expect(await idsOf(botId)).toEqual(countTo(8));
    expect(await store.readStats(ref)).toMatchObject({ total: 8, pending: 8, delivered: 0 });
  });

  it("answers nothing once closed, but finishes what was asked before", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    const last = store.appendPosts([aPost(channelId, "last", { botId })]);
    const closed = store.close();
    expect(await last).toEqual([true]);
    await closed;
    await expect(store.readUpdates(botId, 0, 1)).rejects.toThrow("closed");
    store = await home.open();
    expect(await idsOf(botId)).toEqual([1]);
  });
});
