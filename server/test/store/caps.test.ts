import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Channel } from "#botyard/domain/events/channel.js";
import { newId } from "#botyard/domain/ids.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { aBot, aPost, attach, detach, makeBot, makeChannel, NOW, OWNER } from "../support/store-fixtures.js";

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

const times = <Result>(count: number, work: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, work));

describe("the bots of an owner", () => {
  it("are capped, however many are created at the same time", async () => {
    // Many owners one after the other, because the window of a race is short.
    for (let round = 0; round < 20; round++) {
      const owner = `owner-${round}`;
      const made = await times(12, () => store.createBot(aBot(owner), 3));
      expect(made.filter((bot) => bot === "too many")).toHaveLength(9);
      expect(await store.listBots(owner)).toHaveLength(3);
    }
  });

  it("are counted for each owner, and only while they exist", async () => {
    await times(3, () => store.createBot(aBot(), 3));
    expect(await store.createBot(aBot(), 3)).toBe("too many");
    expect(await store.createBot(aBot("bob"), 3)).toMatchObject({ ownerUserId: "bob" });
    const [first] = await store.listBots(OWNER);
    await store.deleteBot({ botId: first?.id ?? "", ownerUserId: OWNER });
    expect(await store.createBot(aBot(), 3)).toMatchObject({ ownerUserId: OWNER });
    expect(await store.createBot(aBot())).toMatchObject({ ownerUserId: OWNER });
  });

  it("do not count a username that is taken", async () => {
    await makeBot(store, OWNER, "echo");
    expect(await store.createBot(aBot(OWNER, "ECHO"), 2)).toBeUndefined();
    expect(await store.createBot(aBot(), 2)).toMatchObject({ ownerUserId: OWNER });
  });
});

describe("the channels of an owner", () => {
  const create = (owner: string, maxChannels?: number, more: Partial<Channel> = {}, by = store) => {
    const id = newId();
    const texts = { slug: `c-${id}`, title: "A channel", description: "" };
    return by.createChannel({ id, ...texts, ownerUserId: owner, createdAt: NOW, ...more }, maxChannels);
  };

  it("are capped, however many are created at the same time at two instances", async () => {
    const there = engine.name === "sqlite" ? store : await home.open();
    for (let round = 0; round < 20; round++) {
      const owner = `owner-${round}`;
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, n) => create(owner, 3, {}, n % 2 ? store : there)),
      );
      expect(made.filter((channel) => channel === "too many")).toHaveLength(9);
      expect(await store.listChannels(owner, 100)).toHaveLength(3);
    }
    if (there !== store) await there.close();
  });

  it("are counted for each owner, and only while they exist", async () => {
    await times(3, () => create(OWNER, 3));
    expect(await create(OWNER, 3)).toBe("too many");
    expect(await create("bob", 3)).toMatchObject({ ownerUserId: "bob" });
    const [first] = await store.listChannels(OWNER, 1);
    await deleteChannel(store, { channelId: first?.id ?? "", ownerUserId: OWNER });
    expect(await create(OWNER, 3)).toMatchObject({ ownerUserId: OWNER });
    expect(await create(OWNER)).toMatchObject({ ownerUserId: OWNER });
  });

  it("at the cap, one that has the external id already is found, also by twins", async () => {
    for (let round = 0; round < 20; round++) {
      const owner = `owner-${round}`;
      const twins = await times(4, () => create(owner, 1, { externalId: "room" }));
      expect(twins.filter((channel) => channel === "external id taken")).toHaveLength(3);
      expect(await create(owner, 1, { externalId: "another" })).toBe("too many");
    }
  });
});

describe("the channels of a bot", () => {
  it("are capped, however many are attached at the same time", async () => {
    const ref = await makeBot(store);
    const channels = await times(20, () => makeChannel(store));
    const attached = await Promise.all(channels.map((channelId) => attach(store, ref, channelId, 5)));
    expect(attached.filter((attachment) => attachment === "too many")).toHaveLength(15);
    expect(await store.listBotChannels(ref.botId, 1_000)).toHaveLength(5);
    expect(await store.readStats(ref)).toMatchObject({ attachedChannels: 5 });
  });

  it("stay attached at the cap, and one more fits after a detachment", async () => {
    const ref = await makeBot(store);
    const [first = "", second = ""] = await times(2, () => makeChannel(store));
    const attachment = { botId: ref.botId, channelId: first, role: "moderator", attachedBy: OWNER };
    expect(await attach(store, ref, first, 1)).toEqual(attachment);
    expect(await attach(store, ref, first, 1)).toEqual(attachment);
    expect(await attach(store, ref, second, 1)).toBe("too many");
    expect(await attach(store, ref, newId(), 1)).toBeUndefined();
    expect(await detach(store, ref, first)).toBe(true);
    expect(await attach(store, ref, second, 1)).toMatchObject({ channelId: second });
  });

  it("are attached, detached and deleted concurrently without a deadlock", async () => {
    const channelId = await makeChannel(store);
    for (let round = 0; round < 150; round++) {
      const ref = await makeBot(store);
      await attach(store, ref, channelId, 3);
      const settled = await Promise.allSettled([
        detach(store, ref, channelId),
        attach(store, ref, channelId, 3),
        store.appendPosts([aPost(channelId, "hello", { ownerUserId: OWNER })]),
        detach(store, ref, channelId),
        round % 2 ? store.deleteBot(ref) : attach(store, ref, channelId, 3),
      ]);
      expect(settled.filter(({ status }) => status === "rejected")).toEqual([]);
      if (round % 2) expect(await store.listBotChannels(ref.botId, 1_000)).toEqual([]);
    }
  });
});
