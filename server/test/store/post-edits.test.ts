import { beforeEach, describe, expect, it } from "vitest";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { editChannel } from "#botyard/operations/channels/edit-channel.js";
import { deletePost, editPost, findPost } from "#botyard/operations/posts/change-post.js";
import { eraseDeletedPosts } from "#botyard/store/erase-remains.js";
import type { Store } from "#botyard/store/store.js";
import { bodiesOf, type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { aNotice, attach, claim, NOW, OWNER } from "../support/store-fixtures.js";
import { eraseRemains } from "../support/upkeep.js";

const EVERYTHING = { eventTypes: ["*"] };

describe(`edited and deleted posts on ${engine.name}`, () => {
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    const opened = await openChannelWorld();
    ({ store, world } = opened);
    return opened.close;
  });

  const reader = { ownerUserId: OWNER };
  const refOf = (id: string) => ({ channelId: world.channelId, postId: id });
  const listed = async () =>
    (await store.listPosts(world.channelId, 100))?.map(({ body, revision }) => [body, revision]);

  it("the channel lists the newest revision, logs keep what was appended", async () => {
    const plain = await world.addBot("plain");
    const listener = await world.addBot("listener", EVERYTHING);
    const { post } = await world.post("one");
    await world.post("another");
    const edited = await editPost(store, reader, refOf(post.id), { body: "two" });
    expect(edited.post).toMatchObject({ body: "two", revision: 2 });
    await editPost(store, reader, refOf(post.id), { media: [{ a: 1 }] });
    expect(await listed()).toEqual([
      ["another", 1],
      ["two", 3],
    ]);
    expect(await findPost(store, reader, refOf(post.id))).toMatchObject({ body: "two", media: [{ a: 1 }] });
    expect(bodiesOf(await world.heardBy(plain))).toEqual(["one", "another"]);
    const heard = await world.heardBy(listener);
    expect(heard.map(({ eventType }) => eventType)).toEqual([
      "bot.attached",
      "channel.post_created",
      "channel.post_created",
      "channel.post_edited",
      "channel.post_edited",
    ]);
    expect(heard[3]?.payload).toMatchObject({ post_id: post.id, revision: 2, body: "two" });
    expect(heard[4]?.payload).toMatchObject({ revision: 3, body: "two", media: [{ a: 1 }] });
  });

  it("edits at the same moment succeed one after the other; one that names its revision wins or fails", async () => {
    const listener = await world.addBot("listener", EVERYTHING);
    const { post } = await world.post("0");
    const bodies = ["1", "2", "3", "4", "5", "6"];
    const edited = await Promise.all(bodies.map((body) => editPost(store, reader, refOf(post.id), { body })));
    expect(new Set(edited.map((one) => one.post.revision))).toEqual(new Set([2, 3, 4, 5, 6, 7]));
    const raced = await Promise.allSettled(
      bodies.map((body) => editPost(store, reader, refOf(post.id), { body, ifRevision: 7 })),
    );
    expect(raced.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const revisions = (await world.heardBy(listener)).slice(2).map(({ payload }) => payload.revision);
    expect(revisions).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });

  it("a member changes its own posts only, and does not hear of it", async () => {
    const author = await world.addBot("author", EVERYTHING);
    const other = await world.addBot("other", EVERYTHING);
    const own = (await world.post("mine", author)).post;
    const theirs = (await world.post("theirs")).post;
    const as = { botId: author.botId };
    await attach(store, author, world.channelId, undefined, "member");
    await attach(store, other, world.channelId, undefined, "reader");
    await editPost(store, as, refOf(own.id), { body: "mine, better" });
    await expect(editPost(store, as, refOf(theirs.id), { body: "x" })).rejects.toThrow("did not publish");
    await expect(deletePost(store, as, refOf(theirs.id))).rejects.toThrow("did not publish");
    await expect(findPost(store, { botId: other.botId }, refOf(own.id))).rejects.toThrow("did not publish");
    await deletePost(store, as, refOf(own.id));
    const kinds = async (bot: typeof author) =>
      (await world.heardBy(bot)).slice(1).map(({ eventType }) => eventType);
    expect(await kinds(author)).toEqual(["channel.post_created", "channel.post_created"]);
    expect(await kinds(other)).toEqual([
      "channel.post_created",
      "channel.post_created",
      "channel.post_edited",
      "channel.post_deleted",
    ]);
  });

  it("deleting erases the post and its edits in every log, and what waits for a delivery", async () => {
    const bot = await world.addBot("bot", EVERYTHING);
    await store.putWebhook(bot, { url: "https://example.com/", sealedSecret: null }, NOW);
    const { post } = await world.post("secret one");
    await editPost(store, reader, refOf(post.id), { body: "secret two", media: [{ secret: true }] });
    await editPost(store, reader, refOf(post.id), { body: "secret three" });
    const kept = (await world.post("kept")).post;
    await deletePost(store, reader, refOf(post.id));
    expect(await listed()).toEqual([["kept", 1]]);
    await expect(findPost(store, reader, refOf(post.id))).rejects.toThrow("post not found");
    await expect(deletePost(store, reader, refOf(post.id))).rejects.toThrow("post not found");
    const heard = await world.heardBy(bot);
    expect(JSON.stringify(heard)).not.toContain("secret");
    expect(heard[1]?.payload).toMatchObject({ post_id: post.id, body: "", deleted: true });
    expect(heard.at(-1)).toEqual({
      eventType: "channel.post_deleted",
      payload: { post_id: post.id, channel_id: world.channelId },
    });
    const [lane] = await claim(store, Date.now() + 1000);
    expect(lane?.updates).toHaveLength(6);
    expect(JSON.stringify(lane)).not.toContain("secret");
    expect((await store.listPosts(world.channelId, 10, kept.id))?.length).toBe(0);
  });

  it("a post with more edits than one step erases is erased to the last", async () => {
    const bot = await world.addBot("bot", EVERYTHING);
    const { post } = await world.post("secret 0");
    for (let edit = 1; edit <= 520; edit += 1) {
      await editPost(store, reader, refOf(post.id), { body: `secret ${edit}` });
    }
    await deletePost(store, reader, refOf(post.id));
    const updates = await store.readUpdates(bot.botId, 0, 1000);
    expect(updates.filter(({ payload }) => payload.includes("secret"))).toEqual([]);
  });

  it("a deletion with more edits than there is time to erase says so, and goes on when it is repeated", async () => {
    const bot = await world.addBot("bot", EVERYTHING);
    const { post } = await world.post("secret 0");
    for (let edit = 1; edit <= 520; edit += 1)
      await editPost(store, reader, refOf(post.id), { body: `secret ${edit}` });
    const deletion = { event: aNotice("channel.post_deleted"), mentions: [] };
    const deleted = await store.deletePost({ ...refOf(post.id), ...deletion });
    expect(deleted).toEqual({ ownerUserId: OWNER, isMore: true });
    const left = async () =>
      (await store.readUpdates(bot.botId, 0, 1000)).filter(({ payload }) => payload.includes("secret"))
        .length;
    expect(await left()).toBe(20);
    await expect(eraseDeletedPosts(store, OWNER, performance.now())).rejects.toThrow("repeat the call");
    await expect(deletePost(store, reader, refOf(post.id))).rejects.toThrow("post not found");
    expect(await left()).toBe(0);
  });

  it("a deleted channel tells its bots last, and its posts are erased with it", async () => {
    const bot = await world.addBot("bot", EVERYTHING);
    const plain = await world.addBot("plain");
    const { post } = await world.post("secret one");
    await editPost(store, reader, refOf(post.id), { body: "secret two" });
    await world.post("secret three");
    await deleteChannel(store, world.channel);
    expect(await store.findChannel(world.channel)).toBeUndefined();
    expect(await store.listBotChannels(bot.botId, 1_000)).toEqual([]);
    expect((await store.readStats(plain))?.attachedChannels).toBe(0);
    await expect(world.post("too late")).rejects.toThrow("channel not found");
    await expect(world.post("too late", plain)).rejects.toThrow("not attached");
    expect(await eraseRemains(store, 1)).toBe(false);
    const heard = await world.heardBy(bot);
    expect(heard.at(-1)?.eventType).toBe("bot.detached");
    expect(JSON.stringify([heard, await world.heardBy(plain)])).not.toContain("secret");
    expect(await world.heardBy(plain)).toHaveLength(2);
  });

  it("what is left of a deleted channel is erased step by step", async () => {
    const plain = await world.addBot("plain");
    for (const body of ["secret one", "secret two", "secret three"]) await world.post(body);
    expect(await store.deleteChannel(world.channel, aNotice("bot.detached"))).toBe(true);
    expect(JSON.stringify(await world.heardBy(plain))).toContain("secret");
    let steps = 0;
    while (await eraseRemains(store, 2)) steps += 1;
    expect(steps).toBeGreaterThan(1);
    expect(JSON.stringify(await world.heardBy(plain))).not.toContain("secret");
  });

  it("a list goes on behind a post that was deleted meanwhile", async () => {
    await world.post("one");
    const { post } = await world.post("two");
    await world.post("three");
    await deletePost(store, reader, refOf(post.id));
    expect((await store.listPosts(world.channelId, 10, post.id))?.map(({ body }) => body)).toEqual(["one"]);
  });

  it("a bot that hears mentions hears what becomes of them, and no other changes", async () => {
    const bot = await world.addBot("bot", { eventTypes: ["channel.*"], posts: "mentions", ownPosts: false });
    const told = (await world.post("@bot pay 100")).post;
    const other = (await world.post("nothing for it")).post;
    await editPost(store, reader, refOf(told.id), { body: "never mind" });
    await editPost(store, reader, refOf(other.id), { body: "nothing yet" });
    await deletePost(store, reader, refOf(other.id));
    const own = (await world.post("by the bot @bot", bot)).post;
    await editPost(store, reader, refOf(own.id), { body: "by the owner @bot" });
    expect((await world.heardBy(bot)).map(({ payload }) => payload.body)).toEqual([
      "@bot pay 100",
      "never mind",
      "by the owner @bot",
    ]);
  });

  it("a changed channel is told to those who hear of it, once for each change", async () => {
    const bot = await world.addBot("bot", { eventTypes: ["channel.updated"] });
    await Promise.all([
      editChannel(store, world.channel, { title: "New" }),
      editChannel(store, world.channel, { description: "About it" }),
    ]);
    await editChannel(store, world.channel, { title: "New" });
    const heard = await world.heardBy(bot);
    expect(heard).toHaveLength(2);
    expect(heard[1]?.payload.channel).toMatchObject({ title: "New", description: "About it" });
  });
});
