import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import { CHANNEL_UPDATED } from "#botyard/domain/events/event.js";
import { newId } from "#botyard/domain/ids.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import {
  aNotice,
  attach,
  detach,
  makeAttachedBot,
  makeBot,
  makeChannel,
  NOW,
  OWNER,
  publish,
} from "../support/store-fixtures.js";

describe(`bots and channels on ${engine.name}`, () => {
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

  it("keeps usernames unique whatever their case", async () => {
    await makeBot(store, OWNER, "Echo");
    await expect(makeBot(store, "bob", "eCHO")).rejects.toThrow("taken");
    expect(await store.listBots("bob")).toEqual([]);
  });

  it("shows an owner only their own bots, oldest first", async () => {
    const first = await makeBot(store);
    const second = await makeBot(store);
    const other = await makeBot(store, "bob");
    expect((await store.listBots(OWNER)).map(({ id }) => id)).toEqual([first.botId, second.botId]);
    expect(await store.findBot({ ...other, ownerUserId: OWNER })).toBeUndefined();
    expect((await store.findBot(other))?.ownerUserId).toBe("bob");
  });

  it("edits the given fields only", async () => {
    const ref = await makeBot(store, OWNER, "editable");
    const edited = await store.editBot(ref, { description: "new", updatedAt: NOW + 5 });
    expect(edited).toMatchObject({ displayName: "editable", description: "new", updatedAt: NOW + 5 });
    expect(await store.editBot({ ...ref, ownerUserId: "bob" }, { updatedAt: NOW })).toBeUndefined();
    for (const same of [{ description: "new" }, { visibility: "private" as const }, { metadata: null }])
      expect((await store.editBot(ref, { ...same, updatedAt: NOW + 9 }))?.updatedAt).toBe(NOW + 5);
    for (const [n, other] of [
      { visibility: "listed" as const },
      { metadata: "{}" },
      { metadata: null },
    ].entries())
      expect((await store.editBot(ref, { ...other, updatedAt: NOW + 20 + n }))?.updatedAt).toBe(NOW + 20 + n);
  });

  it("accepts a token until it is replaced, or the bot is disabled or deleted", async () => {
    const ref = await makeBot(store);
    const hash = hashBotToken(ref.botId);
    expect((await store.authenticateBot(hash))?.id).toBe(ref.botId);

    const next = hashBotToken("next");
    expect(await store.replaceBotToken(ref, next)).toBe(true);
    expect(await store.authenticateBot(hash)).toBeUndefined();
    expect((await store.authenticateBot(next))?.id).toBe(ref.botId);

    await store.setBotDisabled(ref, true, NOW);
    expect(await store.authenticateBot(next)).toBeUndefined();
    await store.setBotDisabled(ref, false, NOW);
    expect((await store.authenticateBot(next))?.id).toBe(ref.botId);

    expect(await store.deleteBot(ref)).toBe(true);
    expect(await store.authenticateBot(next)).toBeUndefined();
    expect(await store.replaceBotToken(ref, hash)).toBe(false);
  });

  it("refuses an old token as soon as the rotation resolves, even with concurrent look-ups", async () => {
    const ref = await makeBot(store);
    let current = hashBotToken(ref.botId);
    for (let round = 0; round < 20; round++) {
      const old = current;
      current = hashBotToken(`round ${round}`);
      const lookUps = Array.from({ length: 5 }, () => store.authenticateBot(old));
      await store.replaceBotToken(ref, current);
      expect(await store.authenticateBot(old)).toBeUndefined();
      await Promise.all(lookUps);
      expect(await store.authenticateBot(old)).toBeUndefined();
    }
  });

  it("keeps the first time a bot was disabled, and removes it when enabled", async () => {
    const ref = await makeBot(store);
    await store.setBotDisabled(ref, true, NOW);
    expect((await store.setBotDisabled(ref, true, NOW + 9))?.disabledAt).toBe(NOW);
    const enabled = await store.setBotDisabled(ref, false, NOW + 10);
    expect(enabled).not.toHaveProperty("disabledAt");
    expect(enabled).not.toHaveProperty("disabledBy");
  });

  it("lets only the platform enable what the platform has disabled, also after the owner", async () => {
    const ref = await makeBot(store);
    const platform = { ...ref, isPlatform: true };
    expect(await store.setBotDisabled(ref, true, NOW)).toMatchObject({ disabledBy: "owner" });
    expect(await store.setBotDisabled(platform, true, NOW + 1)).toMatchObject({
      disabledAt: NOW,
      disabledBy: "platform",
    });
    expect(await store.setBotDisabled(ref, false, NOW + 2)).toMatchObject({ disabledBy: "platform" });
    expect(await store.setBotDisabled(ref, true, NOW + 3)).toMatchObject({ disabledBy: "platform" });
    expect(await store.authenticateBot(hashBotToken(ref.botId))).toBeUndefined();
    expect(await store.setBotDisabled(platform, false, NOW + 4)).not.toHaveProperty("disabledBy");
    expect(await store.setBotDisabled(ref, true, NOW + 5)).toMatchObject({ disabledBy: "owner" });
    expect(await store.setBotDisabled(platform, false, NOW + 6)).not.toHaveProperty("disabledAt");
  });

  it("ends disabled by the platform whatever the owner does meanwhile", async () => {
    for (let round = 0; round < 20; round += 1) {
      const ref = await makeBot(store);
      await Promise.all([
        store.setBotDisabled(ref, true, NOW),
        store.setBotDisabled({ ...ref, isPlatform: true }, true, NOW),
        store.setBotDisabled(ref, false, NOW),
        store.setBotDisabled(ref, true, NOW),
        store.setBotDisabled(ref, false, NOW),
      ]);
      expect(await store.findBot(ref)).toMatchObject({ disabledBy: "platform" });
    }
  });

  it("frees the username of a deleted bot and keeps its posts", async () => {
    const { ref, channelId } = await makeAttachedBot(store);
    const { username = "" } = (await store.findBot(ref)) ?? {};
    await publish(store, channelId, 3);
    expect(await store.deleteBot(ref)).toBe(true);
    expect(await store.deleteBot(ref)).toBe(false);
    expect(await store.readUpdates(ref.botId, 0, 10)).toEqual([]);
    expect(await store.listPosts(channelId, 10)).toHaveLength(3);
    await makeBot(store, OWNER, username);
  });

  it("keeps slugs unique and pages through an owner's channels, oldest first", async () => {
    const ids = [await makeChannel(store), await makeChannel(store), await makeChannel(store)];
    await makeChannel(store, "bob");
    const [first] = await store.listChannels(OWNER, 1);
    if (!first) throw new Error("no channel");
    expect(first.id).toBe(ids[0]);
    expect((await store.listChannels(OWNER, 10, first.id)).map(({ id }) => id)).toEqual(ids.slice(1));
    expect(await store.listChannels(OWNER, 10, newId())).toEqual([]);
    // A slug is one cell's.
    const other = engine.name === "cells" ? OWNER : "bob";
    expect(await store.createChannel({ ...first, id: newId(), ownerUserId: other })).toBeUndefined();
  });

  it("edits a channel and records its last activity", async () => {
    const channelId = await makeChannel(store);
    const ref = { ownerUserId: OWNER, channelId };
    expect(await store.findChannel(ref)).not.toHaveProperty("lastActivityAt");
    await publish(store, channelId, 1, NOW + 7);
    const from = { title: "A channel", description: "" };
    const edit = { from, to: { ...from, title: "New" }, event: aNotice(CHANNEL_UPDATED) };
    expect(await store.editChannel({ ...ref, ownerUserId: "bob" }, edit)).toBeUndefined();
    expect(await store.editChannel(ref, edit)).toMatchObject({
      title: "New",
      description: "",
      lastActivityAt: NOW + 7,
    });
    expect(await store.editChannel(ref, edit)).toBe("outdated");
  });

  it("attaches once even if repeated, and detaches", async () => {
    const { ref, channelId } = await makeAttachedBot(store);
    const again = await attach(store, ref, channelId);
    expect(again).toEqual({ botId: ref.botId, channelId, role: "moderator", attachedBy: OWNER });
    expect((await store.readStats(ref))?.attachedChannels).toBe(1);
    expect(await store.listBotChannels(ref.botId, 1_000)).toMatchObject([
      { id: channelId, botRole: "moderator" },
    ]);

    expect(await detach(store, ref, channelId)).toBe(true);
    expect(await detach(store, ref, channelId)).toBe(false);
    expect((await store.readStats(ref))?.attachedChannels).toBe(0);
    expect(await store.listBotChannels(ref.botId, 1_000)).toEqual([]);
  });

  it("attaches neither another owner's bot nor to another owner's channel", async () => {
    const mine = await makeBot(store);
    const theirs = await makeBot(store, "bob");
    const channelId = await makeChannel(store);
    expect(await attach(store, theirs, channelId)).toBeUndefined();
    expect(await attach(store, { ...theirs, ownerUserId: OWNER }, channelId)).toBeUndefined();
    expect(await attach(store, mine, await makeChannel(store, "bob"))).toBeUndefined();
    expect(await attach(store, mine, newId())).toBeUndefined();
  });
});
