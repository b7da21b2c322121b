import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AttachConditions } from "#botyard/domain/bots/listing.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, useTwoStores } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { aNotice, aPost, aRoom, makeBot, makeChannel, NOW } from "../support/store-fixtures.js";

let here: Store;
let there: Store;
useTwoStores((stores) => {
  ({ here, there } = stores);
});

const CAPS = { perOwner: 1_000, perHolder: 1_000, perBot: 1_000, review: "off" } as const;
const RACES = 20;
const anOwner = () => `owner-${randomUUID()}`;
const setVisibility = (bot: BotRef, visibility: "private" | "listed") =>
  there.editBot(bot, { visibility, updatedAt: NOW });
const aListedBot = async (): Promise<BotRef> => {
  const bot = await makeBot(here, anOwner());
  await setVisibility(bot, "listed");
  return bot;
};
/** Rooms of the holder of the first bot, with all of these bots. */
const make = (rooms: number, bots: readonly [BotRef, ...BotRef[]], caps: object = CAPS, by = here) =>
  by.createRooms(
    Array.from({ length: rooms }, () => aRoom(...bots)),
    { ...CAPS, ...caps },
  );

describe(`rooms with bots of others on ${engine.name}`, () => {
  it("have the listed ones, which hear what is posted there", async () => {
    const own = await makeBot(here, anOwner());
    const listed = await aListedBot();
    const room = aRoom(own, listed);
    expect(await here.createRooms([room], CAPS)).toEqual([true]);
    await there.appendPosts([aPost(room.id, "hello", { ownerUserId: own.ownerUserId })]);
    await eventually("it hears it", async () => (await here.readUpdates(listed.botId, 0, 10)).length === 1);
    const { ownerUserId } = own;
    const attached = await here.listChannelBots(room.id, 10);
    expect(attached.map(({ bot, attachedBy }) => [bot.id, attachedBy])).toEqual([
      [own.botId, ownerUserId],
      [listed.botId, ownerUserId],
    ]);
    expect((await here.readStats(listed))?.attachedChannels).toBe(1);
    expect(await here.listChannelsAway(listed, 10)).toEqual([room.id]);
  });

  it("are left to calls for one room alone when a bot is not offered", async () => {
    const own = await makeBot(here, anOwner());
    const listed = await aListedBot();
    const privately = await makeBot(here, anOwner());
    const disabled = await aListedBot();
    await here.setBotDisabled(disabled, true, NOW);
    for (const other of [privately, disabled]) expect(await make(1, [own, other])).toEqual([false]);
    expect(await make(1, [own, listed], { review: "required" })).toEqual([false]);
    await here.reviewBot(listed.botId, { status: "approved", note: "", reviewedAt: NOW });
    expect(await make(1, [own, listed], { review: "required" })).toEqual([true]);
    await here.reviewBot(listed.botId, { status: "rejected", note: "", reviewedAt: NOW });
    expect(await make(1, [own, listed])).toEqual([false]);
    expect(await here.listChannels(own.ownerUserId, 10)).toHaveLength(1);
  });

  it("count for the holder and for all", async () => {
    const [own, another] = [await makeBot(here, anOwner()), await makeBot(here, anOwner())];
    const listed = await aListedBot();
    expect(await make(3, [another, listed], { perHolder: 3 })).toEqual([true, true, true]);
    expect(await make(1, [another, listed], { perHolder: 3 })).toEqual([false]);
    expect(await make(3, [own, listed], { perHolder: 2 })).toEqual([false, false, false]);
    expect(await make(2, [own, listed], { perHolder: 2 })).toEqual([true, true]);
    expect(await make(2, [own, listed], { perBot: 6 })).toEqual([false, false]);
    expect(await make(1, [own, listed], { perBot: 6 })).toEqual([true]);
    const { ownerUserId } = own;
    const attachTo = async (rules: AttachConditions) => {
      const channelId = await makeChannel(here, ownerUserId);
      return await here.attachBot({ ...listed, ownerUserId }, channelId, aNotice("bot.attached"), rules);
    };
    expect(await attachTo({ perHolder: 3 })).toBe("too many");
    expect(await attachTo({ perHolder: 4 })).toMatchObject({ botId: listed.botId });
    expect(await attachTo({ perBot: 7 })).toBe("bot full");
  });

  it("do not get a bot that is not listed any more", async () => {
    const own = await makeBot(here, anOwner());
    const listed = await aListedBot();
    for (let race = 0; race < RACES; race += 1) {
      await setVisibility(listed, "listed");
      const before = await here.listChannelsAway(listed, 100);
      const [[isMade]] = (await Promise.all([make(1, [own, listed]), setVisibility(listed, "private")])) as [
        boolean[],
        unknown,
      ];
      const after = await here.listChannelsAway(listed, 100);
      expect(after).toHaveLength(before.length + Number(isMade));
      expect(await make(1, [own, listed])).toEqual([false]);
    }
  });

  it("keep nothing of a bot that is deleted, or of an owner who is erased, at the same moment", async () => {
    const own = await makeBot(here, anOwner());
    const turns = createOwnerTurns(() => performance.now());
    for (let race = 0; race < RACES; race += 1) {
      const listed = await aListedBot();
      const leave = () =>
        race % 2 === 0
          ? there.deleteBot(listed, randomUUID())
          : eraseOwner(there, turns, listed, listed.ownerUserId);
      const room = aRoom(own, listed);
      const [[isMade]] = (await Promise.all([here.createRooms([room], CAPS), leave()])) as [
        boolean[],
        unknown,
      ];
      const bots = await here.listChannelBots(room.id, 10);
      const ids = bots.map(({ bot }) => bot.id);
      // Where the bot lives in another cell, the channel is made before that refuses.
      if (engine.name !== "cells") expect(ids).toEqual(isMade ? [own.botId] : []);
      expect(ids).not.toContain(listed.botId);
    }
    const rooms = await here.listChannels(own.ownerUserId, 100);
    expect((await here.readStats(own))?.attachedChannels).toBe(rooms.length);
  });

  it("are left several at once by the bots of an owner who is erased, and by those alone", async () => {
    const own = await makeBot(here, anOwner());
    const listed = await aListedBot();
    expect(await make(20, [own, listed])).toEqual(Array(20).fill(true));
    let atOnce = 0;
    let most = 0;
    const watched: Store = Object.assign(Object.create(here), {
      async detachBot(...of: Parameters<Store["detachBot"]>) {
        most = Math.max(most, (atOnce += 1));
        return await here.detachBot(...of).finally(() => (atOnce -= 1));
      },
    });
    const turns = createOwnerTurns(() => performance.now());
    expect(await eraseOwner(watched, turns, listed, listed.ownerUserId)).toBe("deleted");
    // Where holders live in another cell, each waits for what is carried there.
    expect(most).toBe(16);
    const rooms = await here.listChannels(own.ownerUserId, 100);
    for (const { id } of rooms)
      expect((await here.listChannelBots(id, 10)).map(({ bot }) => bot.id)).toEqual([own.botId]);
  });
});
