import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, useTwoStores } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { CAPS, makeHolder, putAll, putEachAlone, roomsOf, seenOf, statusOf } from "../support/room-holder.js";
import { makeBot } from "../support/store-fixtures.js";

let here: Store;
let there: Store;
useTwoStores((stores) => {
  ({ here, there } = stores);
});

describe(`changes of rooms in bulk on ${engine.name}`, () => {
  beforeAll(async () => {
    await switchFeedOn(here);
  });

  it("leave everything as calls for each room alone do", async () => {
    const [alone, bulk] = [await makeHolder(here), await makeHolder(here)];
    for (const holder of [alone, bulk]) await putAll(here, holder.ownerUserId, roomsOf(holder).first);
    expect(await seenOf(there, bulk)).toEqual(await seenOf(there, alone));
    await putEachAlone(here, alone.ownerUserId, roomsOf(alone).later);
    const results = await putAll(here, bulk.ownerUserId, roomsOf(bulk).later);
    expect(results.map(statusOf)).toEqual(roomsOf(bulk).later.map(({ title }) => title));
    expect(results.every((one) => "isNew" in one && !one.isNew)).toBe(true);
    const [seen, asAlone] = [await seenOf(there, bulk), await seenOf(there, alone)];
    expect(seen).toEqual(asAlone);
    expect(seen.audit.length).toBeGreaterThan(20);
    // As they are now, nothing is to be done.
    await putAll(here, bulk.ownerUserId, roomsOf(bulk).later);
    expect(await seenOf(there, bulk)).toEqual(seen);
  });

  it("are a few calls of the store, however many rooms there are", async () => {
    const holder = await makeHolder(here);
    const first = Array.from({ length: 12 }, (_, n) => ({
      externalId: `room-${n}`,
      title: "Before",
      bots: [],
    }));
    await putAll(here, holder.ownerUserId, first);
    const calls: string[] = [];
    const counting = new Proxy(here, {
      get: (store, name: keyof Store) =>
        typeof store[name] === "function"
          ? (...parameters: unknown[]) => {
              calls.push(name);
              return (store[name] as (...all: unknown[]) => unknown)(...parameters);
            }
          : store[name],
    });
    const bots = [{ botId: holder.id(0) }, { botId: holder.id(4) }];
    const results = await putAll(
      counting,
      holder.ownerUserId,
      first.map((room) => ({ ...room, title: "After", bots })),
    );
    expect(new Set(results.map(statusOf))).toEqual(new Set(["After"]));
    // At last, to see what has become of them.
    expect(calls).toEqual([
      "findRooms",
      "findProfile",
      "findProfile",
      "editRooms",
      "changeRoomBots",
      "findRooms",
    ]);
  });

  it("fail alone where a bot cannot be attached, with what a call for each alone would say", async () => {
    const { ownerUserId, bots, id } = await makeHolder(here);
    const stranger = await makeBot(here, `maker-${randomUUID()}`);
    const room = (n: number, ...of: string[]) => ({
      externalId: `room-${n}`,
      title: `Room ${n}`,
      bots: of.map((botId) => ({ botId })),
    });
    await putAll(
      here,
      ownerUserId,
      [1, 2, 3, 4].map((n) => room(n, id(0))),
    );
    const wished = [
      room(1, id(1)),
      { ...room(2, id(0), stranger.botId), title: "x" },
      room(3, id(1)),
      room(4, id(2)),
    ];
    const results = await putAll(here, ownerUserId, wished, { ...CAPS, perHolder: 1 });
    const full = /^the bot is attached to 1 of your channels, .* the same item again does the rest$/;
    const said = results.map(statusOf);
    // One of the two, as it happens.
    expect([said[0], said[2]].sort((a) => (a?.startsWith("Room") ? -1 : 1))).toEqual([
      expect.stringMatching(/^Room [13]$/),
      expect.stringMatching(full),
    ]);
    expect(said[1]).toBe(`${stranger.botId} is neither one of your bots nor a listed one`);
    expect(said[3]).toBe("Room 4");
    const botsOf = async (n: number) => {
      const [one] = await here.findRooms({ ownerUserId, externalIds: [`room-${n}`] }, 10);
      return [one?.channel.title, ...(one?.bots ?? []).map(({ botId }) => botId)];
    };
    for (const n of [1, 3])
      expect(await botsOf(n)).toEqual([`Room ${n}`, said.includes(`Room ${n}`) ? id(1) : id(0)]);
    expect(await botsOf(2)).toEqual(["Room 2", id(0)]);
    expect(await botsOf(4)).toEqual(["Room 4", id(2)]);
    expect((await here.readStats(bots[1] as BotRef))?.attachedChannels).toBe(1);
  });
});
