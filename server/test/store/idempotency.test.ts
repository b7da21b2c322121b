import { beforeEach, describe, expect, it } from "vitest";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import { emitByBot, emitEvent } from "#botyard/operations/posts/emit-event.js";
import type { Store } from "#botyard/store/store.js";
import { type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { attach, makeBot, makeChannel, OWNER } from "../support/store-fixtures.js";
import { forgetKeys } from "../support/upkeep.js";

describe(`idempotency keys on ${engine.name}`, () => {
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    const opened = await openChannelWorld();
    ({ store, world } = opened);
    return opened.close;
  });

  it("one key, one post: the first answer is given again, whatever the body says", async () => {
    const bot = await world.addBot("bot");
    const first = await world.post("first", bot, "key");
    const again = await world.post("second", bot, "key");
    expect(again).toEqual({ post: first.post, isReplayed: true });
    expect(await world.heardBy(bot)).toHaveLength(1);
  });

  it("twins at the same moment are one post, with and without mentions, beside posts without keys", async () => {
    const bot = await world.addBot("bot");
    const deaf = await world.addBot("deaf", { posts: "mentions" });
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        world.post(`post ${i} @deaf`, bot, i % 3 === 0 ? undefined : `key ${i % 5}`),
      ),
    );
    const ids = new Set(all.map(({ post }) => post.id));
    expect(ids.size).toBe(10 + 5);
    expect(all.filter(({ isReplayed }) => isReplayed)).toHaveLength(15);
    expect(await world.heardBy(bot)).toHaveLength(15);
    expect(await world.heardBy(deaf)).toHaveLength(15);
  });

  it("a key belongs to its author and channel", async () => {
    const [one, two] = [await world.addBot("one"), await world.addBot("two")];
    const results = [
      await world.post("a", one, "key"),
      await world.post("b", two, "key"),
      await world.post("c", undefined, "key"),
    ];
    expect(results.some(({ isReplayed }) => isReplayed)).toBe(false);
    expect(await world.heardBy(one)).toHaveLength(3);
  });

  it("events have keys too, those of a channel and of one bot their own", async () => {
    const bot = await world.addBot("bot");
    const emit = (to: { channelId: string } | { botId: string }, payload = {}) =>
      emitEvent(store, { ownerUserId: OWNER, to, eventType: "a.b", payload, idempotencyKey: "key" });
    const channel = () => ({ channelId: world.channelId });
    const inChannel = await emit(channel());
    const toBot = await emit(bot);
    expect(await emit(channel(), { other: true })).toEqual({ ...inChannel, isReplayed: true });
    expect(await emit(bot, { other: true })).toEqual({ ...toBot, isReplayed: true });
    expect(await world.heardBy(bot)).toHaveLength(2);
  });

  it("posts and events have keys of their own", async () => {
    const event = { ownerUserId: OWNER, to: { channelId: world.channelId }, eventType: "a.b", payload: {} };
    expect((await emitEvent(store, { ...event, idempotencyKey: "key" })).isReplayed).toBe(false);
    expect((await world.post("a post", undefined, "key")).isReplayed).toBe(false);
    expect((await emitEvent(store, { ...event, idempotencyKey: "key" })).event.eventType).toBe("a.b");
  });

  it("events of a bot, and of an owner who is named as its key would be, have keys of their own", async () => {
    const replayed: boolean[] = [];
    for (let botKey = 1; botKey <= 5; botKey += 1) {
      const ownerUserId = `bot ${botKey}`;
      const bot = await makeBot(store, ownerUserId);
      const channelId = await makeChannel(store, ownerUserId);
      await attach(store, bot, channelId);
      const event = { eventType: "a.b", payload: {}, idempotencyKey: "key" };
      const ofOwner = { ownerUserId, to: { channelId }, ...event };
      await emitByBot(
        store,
        { botId: bot.botId, username: "bot", tokenHash: hashBotToken(bot.botId) },
        { channelId, ...event },
      );
      const first = await emitEvent(store, ofOwner);
      replayed.push(first.isReplayed);
      expect(await emitEvent(store, ofOwner)).toEqual({ ...first, isReplayed: true });
      const keyed = await store.findKeyed({ to: { channelId }, ownerUserId, key: "key" });
      expect(keyed?.id).toBe(first.event.id);
    }
    expect(replayed).toEqual([false, false, false, false, false]);
  });

  it("a post that was deleted is not published again", async () => {
    const { post } = await world.post("secret", undefined, "key");
    await deletePost(store, { ownerUserId: OWNER }, { channelId: world.channelId, postId: post.id });
    const again = await world.post("secret", undefined, "key");
    expect(again).toMatchObject({ isReplayed: true, post: { id: post.id, body: "", deleted: true } });
  });

  it("keys are forgotten in steps, the oldest first, and are new then", async () => {
    for (const key of ["1", "2", "3"]) await world.post(key, undefined, key);
    expect(await forgetKeys(store, Date.now() - 60_000, 2)).toBe(false);
    expect(await forgetKeys(store, Date.now() + 1, 2)).toBe(true);
    expect(await forgetKeys(store, Date.now() + 1, 2)).toBe(false);
    expect((await world.post("1", undefined, "1")).isReplayed).toBe(false);
  });
});
