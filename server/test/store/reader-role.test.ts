import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { aPost, attach, detach, makeBot, makeChannel, OWNER } from "../support/store-fixtures.js";

describe("a bot that only reads a channel", () => {
  let home: StoreHome;
  let store: Store;
  let reader: BotRef;
  let channelId: string;

  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
    reader = await makeBot(store);
    channelId = await makeChannel(store);
    await attach(store, reader, channelId, undefined, "reader");
  });
  afterEach(async () => {
    await store.close();
    await home.remove();
  });

  const by = ({ botId }: BotRef, idempotencyKey?: string) => ({
    ...aPost(channelId, "text", { botId }),
    idempotencyKey,
  });
  const byOwner = () => aPost(channelId, "text", { ownerUserId: OWNER });

  it("hears and stores nothing, also beside others in one batch", async () => {
    const moderator = await makeBot(store);
    await attach(store, moderator, channelId);
    const stranger = await makeBot(store);
    const posts = [by(reader), byOwner(), by(moderator, "a"), by(reader, "a"), by(stranger), by(reader)];
    const appended = await store.appendPosts(posts);
    expect(appended).toEqual(["read only", true, true, "read only", false, "read only"]);
    const heard = [posts[1], posts[2]].map((post) => post?.payload);
    for (const { botId } of [reader, moderator]) {
      const updates = await store.readUpdates(botId, 0, 10);
      expect(updates.map(({ payload }) => payload)).toEqual(heard);
    }
    expect(await store.listPosts(channelId, 10)).toHaveLength(2);
    // Its key was not kept: it names a post that was never published.
    await attach(store, reader, channelId, undefined, "moderator");
    expect(await store.appendPosts([by(reader, "a")])).toEqual([true]);
  });

  it("is named with its role wherever attachments are listed", async () => {
    expect(await store.listBotChannels(reader.botId, 1_000)).toMatchObject([
      { id: channelId, botRole: "reader" },
    ]);
    expect(await store.listChannelBots(channelId, 10)).toMatchObject([{ role: "reader" }]);
  });

  it("keeps its role when it is attached again without one, and gets another one with it", async () => {
    const result = { botId: reader.botId, channelId, attachedBy: OWNER };
    expect(await attach(store, reader, channelId)).toEqual({ ...result, role: "reader" });
    expect(await attach(store, reader, channelId, 1, "moderator")).toEqual({ ...result, role: "moderator" });
    expect(await attach(store, reader, channelId, 1)).toEqual({ ...result, role: "moderator" });
    expect(await store.appendPosts([by(reader)])).toEqual([true]);
    expect(await attach(store, reader, channelId, 0, "reader")).toEqual({ ...result, role: "reader" });
    expect(await store.appendPosts([by(reader)])).toEqual(["read only"]);
    expect((await store.readStats(reader))?.attachedChannels).toBe(1);
    // Attached anew it is what any other bot is.
    await detach(store, reader, channelId);
    expect(await attach(store, reader, channelId)).toEqual({ ...result, role: "moderator" });
  });

  it("finds its earlier posts, as one who may not change them", async () => {
    await attach(store, reader, channelId, undefined, "moderator");
    const own = by(reader);
    await store.appendPosts([own]);
    const find = () => store.findPost({ botId: reader.botId }, channelId, own.id);
    expect(await find()).toMatchObject({ isOwn: true, membership: { role: "moderator" } });
    await attach(store, reader, channelId, undefined, "reader");
    expect(await find()).toMatchObject({ isOwn: true, membership: { role: "reader" } });
    const asOwner = await store.findPost({ ownerUserId: OWNER }, channelId, own.id);
    expect(asOwner).toMatchObject({ isOwn: false });
    expect(asOwner).not.toHaveProperty("membership");
    expect(await store.findPost({ botId: reader.botId }, channelId, newId())).toBeUndefined();
  });
});
