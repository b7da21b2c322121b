import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { aPost, attach, makeBot, makeChannel, NOW, OWNER } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

describe(`where a post is in logs on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const publish = async (count: number, to = channelId): Promise<string[]> => {
    const posts = Array.from({ length: count }, (_, i) =>
      aPost(to, `post ${i}`, { ownerUserId: OWNER }, NOW),
    );
    expect((await store.appendPosts(posts)).every(Boolean)).toBe(true);
    return posts.map(({ id }) => id);
  };
  const find = (postId: string, botIds = [botId], channel = channelId) =>
    store.findPostInLogs(channel, postId, botIds);

  it("is nowhere in logs that are empty, nor is what does not exist", async () => {
    expect(await find(randomUUID())).toEqual([undefined]);
    const [postId = ""] = await publish(1);
    const late = await makeBot(store);
    expect(await find(postId, [late.botId, botId, randomUUID()])).toEqual([undefined, 1, undefined]);
    expect(await find(postId, [])).toEqual([]);
    expect(await find(postId, [botId], await makeChannel(store))).toEqual([undefined]);
  });

  it("is the number of each post, in logs that heard other channels in between", async () => {
    const other = await makeChannel(store);
    const second = await makeBot(store);
    await attach(store, ref, other);
    const before = await publish(20);
    await attach(store, second, channelId);
    const elsewhere = await publish(7, other);
    const after = await publish(20);
    const both = [botId, second.botId];
    for (const [index, postId] of before.entries())
      expect(await find(postId, both)).toEqual([index + 1, undefined]);
    for (const [index, postId] of after.entries())
      expect(await find(postId, both)).toEqual([index + 28, index + 1]);
    for (const [index, postId] of elsewhere.entries())
      expect(await find(postId, both, other)).toEqual([index + 21, undefined]);
  });

  it("is found behind what has expired and over numbers that were skipped", async () => {
    const posts = await publish(40);
    let next: number | undefined = 0;
    while (next !== undefined) ({ next } = await store.skipUpdateIds(next, 100, 1_000_000));
    const last = await publish(3);
    expect(await find(posts[39] ?? "")).toEqual([40]);
    expect(await find(last[2] ?? "")).toEqual([1_000_043]);
    await expireUpdates(store, NOW + 1, 10);
    expect(await find(posts[9] ?? "")).toEqual([undefined]);
    expect(await find(posts[10] ?? "")).toEqual([11]);
    while (await expireUpdates(store, NOW + 1, 10));
    expect(await find(posts[39] ?? "")).toEqual([undefined]);
  });

  it("is found among posts that were stored at the same time", async () => {
    const channels = [channelId, await makeChannel(store), await makeChannel(store)];
    for (const channel of channels.slice(1)) await attach(store, ref, channel);
    const stored = await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const channel = channels[i % 3] ?? "";
        return publish(10, channel).then((ids) => ids.map((id) => ({ id, channel })));
      }),
    );
    const log = new Map<string, number>();
    for (let offset = 0; offset < 300; ) {
      const updates = await store.readUpdates(botId, offset, 100);
      for (const { updateId, payload } of updates) log.set(JSON.parse(payload).post_id, updateId);
      offset += updates.length;
    }
    for (const { id, channel } of stored.flat())
      expect(await find(id, [botId], channel)).toEqual([log.get(id)]);
  });
});
