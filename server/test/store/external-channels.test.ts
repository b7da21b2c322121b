import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { aBot, attach, makeBot, makeChannel, NOW } from "../support/store-fixtures.js";

let home: StoreHome;
let store: Store;
beforeAll(async () => {
  home = await engine.createHome();
  store = await home.open();
});
afterAll(async () => {
  await store.close();
  await home.remove();
});

const aChannel = (ownerUserId: string, externalId?: string, metadata?: string) => ({
  id: newId(),
  slug: `c-${randomUUID()}`,
  title: "A channel",
  description: "",
  ownerUserId,
  createdAt: NOW,
  ...(externalId === undefined ? {} : { externalId }),
  ...(metadata === undefined ? {} : { metadata }),
});

describe("external ids", () => {
  it("belong to one channel of an owner, and to as many owners as like them", async () => {
    const channel = aChannel("alice", "room 1", '{"a":1}');
    expect(await store.createChannel(channel)).toEqual(channel);
    expect(await store.createChannel(aChannel("alice", "room 1"))).toBe("external id taken");
    expect(await store.createChannel({ ...channel, id: newId(), externalId: "room 2" })).toBeUndefined();
    const other = aChannel("bob", "room 1");
    expect(await store.createChannel(other)).toEqual(other);
    expect(await store.findExternalChannel("alice", "room 1")).toEqual(channel);
    expect(await store.findExternalChannel("bob", "room 1")).toEqual(other);
    expect(await store.findExternalChannel("alice", "ROOM 1")).toBeUndefined();
  });

  it("are looked up many at a time, as are holders", async () => {
    const [first, second] = [aChannel("carol", "1"), aChannel("carol", "2")];
    await store.createChannel(first);
    await store.createChannel(second);
    const found = await store.findExternalIds({ ownerUserId: "carol", externalIds: ["2", "none", "1", "2"] });
    expect(found).toEqual(
      new Map([
        ["1", first.id],
        ["2", second.id],
      ]),
    );
    const foreign = await makeChannel(store, "dave");
    const ids = [foreign, "not a uuid", first.id, newId()];
    expect(await store.findHolders(ids)).toEqual(
      new Map([
        [foreign, "dave"],
        [first.id, "carol"],
      ]),
    );
    expect(await store.findHolders([])).toEqual(new Map());
    expect(await store.findExternalIds({ ownerUserId: "carol", externalIds: [] })).toEqual(new Map());
  });

  it("go with their channels, whose events they don't hold up", async () => {
    const channel = aChannel("erin", "gone");
    await store.createChannel(channel);
    const event = { id: newId(), eventType: "bot.detached", payload: "{}", createdAt: NOW };
    expect(await store.deleteChannel({ ownerUserId: "erin", channelId: channel.id }, event)).toBe(true);
    expect(await store.findExternalChannel("erin", "gone")).toBeUndefined();
    expect(await store.createChannel(aChannel("erin", "gone"))).toMatchObject({ externalId: "gone" });
  });
});

describe("metadata", () => {
  it("of a channel are replaced only if they are as they were read", async () => {
    const channelId = await makeChannel(store, "frank");
    const ref = { ownerUserId: "frank", channelId };
    const state = { title: "A channel", description: "", metadata: undefined };
    const to = { ...state, metadata: '{"b":[1,2]}' };
    expect(await store.editChannel(ref, { from: state, to })).toMatchObject({ metadata: to.metadata });
    expect(await store.editChannel(ref, { from: state, to })).toBe("outdated");
    expect(await store.editChannel(ref, { from: to, to: state })).not.toHaveProperty("metadata");
  });

  it("of a bot stay until they are replaced or removed", async () => {
    const bot = { ...aBot("frank"), metadata: '{"plan":"free"}' };
    expect(await store.createBot(bot)).toMatchObject({ metadata: bot.metadata });
    const ref = { ownerUserId: "frank", botId: bot.id };
    const edited = await store.editBot(ref, { displayName: "Frank's", updatedAt: NOW + 1 });
    expect(edited).toMatchObject({ displayName: "Frank's", metadata: bot.metadata });
    expect(await store.editBot(ref, { metadata: "[]", updatedAt: NOW + 2 })).toMatchObject({
      metadata: "[]",
    });
    expect(await store.editBot(ref, { metadata: null, updatedAt: NOW + 3 })).not.toHaveProperty("metadata");
  });
});

describe("lists of bots", () => {
  it("come page by page, and only those with a text in their names", async () => {
    const names = ["Weather_1", "news", "weather-2", "sunny"];
    const ids: string[] = [];
    for (const name of names) {
      const { botId } = await makeBot(store, "grace", `${name}-${randomUUID()}`);
      ids.push(botId);
    }
    await store.editBot(
      { ownerUserId: "grace", botId: ids[3] ?? "" },
      { displayName: "The WEATHER", updatedAt: NOW },
    );
    const idsOf = async (page?: Parameters<Store["listBots"]>[1]) => {
      const bots = (await store.listBots("grace", page)).map(({ id }) => id);
      const overviews = (await store.listOverviews("grace", NOW, page)).map(({ bot }) => bot.id);
      expect(overviews).toEqual(bots);
      return bots;
    };
    expect(await idsOf()).toEqual(ids);
    expect(await idsOf({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await idsOf({ limit: 2, after: ids[1] })).toEqual(ids.slice(2));
    expect(await idsOf({ limit: 9, search: "weather" })).toEqual([ids[0], ids[2], ids[3]]);
    expect(await idsOf({ limit: 1, search: "weather", after: ids[0] })).toEqual([ids[2]]);
    expect(await idsOf({ limit: 9, search: "100%" })).toEqual([]);
    expect(await idsOf({ limit: 9, after: newId() })).toEqual([]);
  });

  it("of a channel have their roles, page by page", async () => {
    const channelId = await makeChannel(store, "heidi");
    const refs = [
      await makeBot(store, "heidi"),
      await makeBot(store, "heidi"),
      await makeBot(store, "heidi"),
    ];
    for (const ref of refs.toReversed()) await attach(store, ref, channelId);
    const all = await store.listChannelBots(channelId, 10);
    expect(all).toMatchObject(refs.map(({ botId }) => ({ bot: { id: botId }, role: "moderator" })));
    expect(await store.listChannelBots(channelId, 1, refs[0]?.botId)).toEqual([all[1]]);
    expect(await store.listChannelBots(newId(), 10)).toEqual([]);
  });
});
