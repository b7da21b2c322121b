import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { editPost } from "#botyard/operations/posts/change-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import { guestOwnerOf } from "#botyard/store/cells/guests/guests.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, useTwoStores } from "../support/engines.js";
import { readAll, switchFeedOn } from "../support/feed-world.js";
import {
  aDirectChannel,
  aNotice,
  aPost,
  detach,
  makeBot,
  makeChannel,
  NOW,
} from "../support/store-fixtures.js";

const TURNS = createOwnerTurns(() => performance.now());

let here: Store;
let there: Store;
useTwoStores(async (stores) => {
  ({ here, there } = stores);
  await switchFeedOn(here);
});

const anOwner = () => `owner-${randomUUID()}`;
const list = (bot: BotRef, visibility: "listed" | "private" = "listed") =>
  here.editBot(bot, { visibility, asksAgain: true, updatedAt: NOW });
const review = (bot: BotRef, status: "approved" | "rejected") =>
  here.reviewBot(bot.botId, { status, note: "so", reviewedAt: NOW });
const makeListed = async (ownerUserId = anOwner()): Promise<BotRef> => {
  const bot = await makeBot(here, ownerUserId);
  await list(bot);
  return bot;
};
/** The bot, as the holder of a channel names it. */
const by = (holder: string, { botId }: BotRef): BotRef => ({ botId, ownerUserId: holder });
const attachTo = (
  holder: string,
  bot: BotRef,
  channelId: string,
  rules: Parameters<Store["attachBot"]>[3] = {},
  at = here,
) => at.attachBot(by(holder, bot), channelId, aNotice("bot.attached"), rules);
const bodies = async ({ botId }: BotRef) =>
  (await here.readUpdates(botId, 0, 100)).map(({ payload }) => JSON.parse(payload).body);

describe(`a listed bot on ${engine.name}`, () => {
  it("is attached by the holder of a channel, and is in it as any other", async () => {
    const [bot, holder] = [await makeListed(), anOwner()];
    const channelId = await makeChannel(here, holder);
    expect(await attachTo(holder, bot, channelId)).toEqual({
      botId: bot.botId,
      channelId,
      role: "moderator",
      attachedBy: holder,
    });
    await here.appendPosts([
      aPost(channelId, "from the holder", { ownerUserId: holder }),
      aPost(channelId, "from the bot", { botId: bot.botId }),
    ]);
    // From another cell they are carried after the answer.
    if (engine.name === "cells") await expect.poll(() => bodies(bot)).toHaveLength(2);
    expect(await bodies(bot)).toEqual(["from the holder", "from the bot"]);
    expect(await here.listPosts(channelId, 10)).toHaveLength(2);
    const [inChannel] = await here.listChannelBots(channelId, 10);
    expect(inChannel).toMatchObject({ bot: { id: bot.botId }, role: "moderator", attachedBy: holder });
    expect(await here.listChannelBots(channelId, 10, undefined, holder)).toEqual([]);
    // In the bot's cell, what stands for a channel of another one is a guest's.
    const holders = engine.name === "cells" ? [holder, guestOwnerOf(holder)] : [holder];
    expect(await here.listBotChannels(bot.botId, 10)).toMatchObject([
      { id: channelId, ownerUserId: expect.toBeOneOf(holders) },
    ]);
    expect(await here.listChannelsAway(bot, 10)).toEqual([channelId]);
    expect(await here.readStats(bot)).toMatchObject({ attachedChannels: 1 });
  });

  it.each(["private", "rejected", "disabled", "deleted", "waiting"])(
    "looks like none to others while it is %s",
    async (state) => {
      const [bot, holder] = [await makeListed(), anOwner()];
      const channelId = await makeChannel(here, holder);
      if (state === "private") await list(bot, "private");
      if (state === "rejected") await review(bot, "rejected");
      if (state === "disabled") await here.setBotDisabled(bot, true, NOW);
      if (state === "deleted") await here.deleteBot(bot);
      const rule = state === "waiting" ? "required" : "off";
      expect(await attachTo(holder, bot, channelId, { review: rule })).toBeUndefined();
      expect(await here.findProfile(holder, rule, bot.botId)).toBeUndefined();
      const page = { limit: 100, search: (await here.findBot(bot))?.username };
      if (state !== "deleted") expect((await here.listListedBots(holder, rule, page)).items).toEqual([]);
      const direct = aDirectChannel(by(holder, bot));
      const rules = { perOwner: 10, review: rule } as const;
      expect(await here.createDirectChannel(direct, aNotice("bot.attached"), rules)).toBeUndefined();
      expect(await here.listChannels(holder, 10)).toHaveLength(1);
    },
  );

  it("is attached by nobody to a channel that they do not hold", async () => {
    const [bot, holder] = [await makeListed(), anOwner()];
    const channelId = await makeChannel(here, holder);
    expect(await attachTo(bot.ownerUserId, bot, channelId)).toBeUndefined();
    expect(await attachTo(anOwner(), bot, channelId)).toBeUndefined();
  });

  it("stays where it is when it is no longer listed, and its role can still be changed", async () => {
    const [bot, holder] = [await makeListed(), anOwner()];
    const [channelId, other] = [await makeChannel(here, holder), await makeChannel(here, holder)];
    await attachTo(holder, bot, channelId);
    await review(bot, "rejected");
    await list(bot, "private");
    const change = here.attachBot(by(holder, bot), channelId, aNotice("bot.attached"), {}, "reader");
    expect(await change).toMatchObject({ role: "reader" });
    expect(await attachTo(holder, bot, other)).toBeUndefined();
    expect(await here.findProfile(holder, "off", bot.botId)).toMatchObject({
      isOffered: false,
      isAttachedByYou: true,
    });
    expect(await here.findProfile(bot.ownerUserId, "off", bot.botId)).toMatchObject({ isOffered: true });
  });

  it("is approved before it is offered where that is required, and asks again after a rejection", async () => {
    const [bot, holder] = [await makeListed(), anOwner()];
    const isOffered = async () => (await here.findProfile(holder, "required", bot.botId)) !== undefined;
    expect(await isOffered()).toBe(false);
    expect(await review(bot, "approved")).toMatchObject({ reviewStatus: "approved", reviewNote: "so" });
    expect(await isOffered()).toBe(true);
    await list(bot, "private");
    await list(bot);
    expect(await isOffered()).toBe(true);
    await review(bot, "rejected");
    await list(bot);
    expect(await here.findBot(bot)).toMatchObject({ reviewStatus: "rejected", visibility: "listed" });
    await list(bot, "private");
    await list(bot);
    expect(await here.findBot(bot)).not.toHaveProperty("reviewStatus");
    await review(bot, "rejected");
    for (const visibility of ["private", "listed"] as const)
      await here.editBot(bot, { visibility, updatedAt: NOW });
    expect(await here.findBot(bot)).toMatchObject({ reviewStatus: "rejected", visibility: "listed" });
    expect(await here.findProfile(holder, "off", bot.botId)).toBeUndefined();
    await list(bot, "private");
    await list(bot);
    const of = async (state: Parameters<Store["listReviews"]>[0]) =>
      (await here.listReviews(state, { limit: 100 })).items.map(({ id }) => id);
    expect(await of("waiting")).toContain(bot.botId);
    expect(await of("approved")).not.toContain(bot.botId);
    expect(await of(undefined)).toContain(bot.botId);
    expect(
      await here.reviewBot(randomUUID(), { status: "approved", note: "", reviewedAt: NOW }),
    ).toBeUndefined();
  });

  it("is found by its names and description, page by page", async () => {
    const mark = randomUUID();
    const bots: BotRef[] = [];
    for (let n = 0; n < 5; n += 1) {
      const bot = await makeListed();
      await here.editBot(bot, { description: `Of ${mark.toUpperCase()}, the FIRST`, updatedAt: NOW });
      bots.push(bot);
    }
    const holder = anOwner();
    await attachTo(holder, bots[2] as BotRef, await makeChannel(here, holder));
    const found: string[] = [];
    const attached: boolean[] = [];
    for (let after: string | undefined, pages = 0; pages < 10; pages += 1) {
      const page = await here.listListedBots(holder, "off", { limit: 2, search: mark, after });
      found.push(...page.items.map(({ id }) => id));
      attached.push(...page.items.map(({ isAttachedByYou }) => isAttachedByYou));
      after = page.next;
      if (after === undefined) break;
    }
    expect(found).toEqual(bots.map(({ botId }) => botId));
    expect(attached.filter(Boolean)).toHaveLength(1);
    expect((await here.listListedBots(holder, "off", { limit: 2, search: `${mark}%` })).items).toEqual([]);
  });

  it("is in as many channels of one holder, and of all, as it may be", async () => {
    const [bot, holder, other] = [await makeListed(), anOwner(), anOwner()];
    const rules = { perHolder: 2, perBot: 3 };
    const channels = await Promise.all(Array.from({ length: 3 }, () => makeChannel(here, holder)));
    const results = await Promise.all(
      channels.map((channelId, n) => attachTo(holder, bot, channelId, rules, n % 2 ? here : there)),
    );
    expect(results.filter((result) => result === "too many")).toHaveLength(1);
    const others = await Promise.all([makeChannel(here, other), makeChannel(here, other)]);
    const further = await Promise.all(
      others.map((channelId, n) => attachTo(other, bot, channelId, rules, n % 2 ? here : there)),
    );
    expect(further.filter((result) => result === "bot full")).toHaveLength(1);
  });

  it("leaves by its owner's hand, which the feed tells as the bot's", async () => {
    const [bot, holder] = [await makeListed(), anOwner()];
    const [channelId, second] = [await makeChannel(here, holder), await makeChannel(here, holder)];
    await attachTo(holder, bot, channelId);
    await attachTo(holder, bot, second);
    expect(await here.findAttachedChannel(bot, channelId)).toMatchObject({ id: channelId });
    expect(await here.findAttachedChannel(by(holder, bot), channelId)).toMatchObject({ id: channelId });
    expect(await here.findAttachedChannel(by(anOwner(), bot), channelId)).toBeUndefined();
    expect(await detach(here, by(anOwner(), bot), channelId)).toBe(false);
    expect(await detach(here, bot, channelId)).toBe(true);
    expect(await detach(here, by(holder, bot), second)).toBe(true);
    expect(await detach(here, bot, second)).toBe(false);
    const told = (await readAll(here)).filter(({ payload }) => payload["bot_id"] === bot.botId);
    expect(
      told.map(({ eventType, ownerUserId, by: who }) => [eventType, ownerUserId, who?.type, who?.id]),
    ).toEqual([
      ["bot.created", bot.ownerUserId, "owner", bot.ownerUserId],
      ["bot.listed", bot.ownerUserId, "owner", bot.ownerUserId],
      ["bot.attached", holder, "owner", holder],
      ["bot.attached", holder, "owner", holder],
      ["bot.detached", holder, "bot", bot.botId],
      ["bot.detached", holder, "owner", holder],
    ]);
    const inRoom = told.filter(({ ownerUserId }) => ownerUserId === holder);
    expect(JSON.stringify(inRoom)).not.toContain(bot.ownerUserId);
    expect(inRoom.every(({ payload }) => !("username" in payload))).toBe(true);
  });

  it("takes what it posted elsewhere with its owner, and only that", async () => {
    const [bot, holder] = [await makeListed(), anOwner()];
    const channelId = await makeChannel(here, holder);
    await attachTo(holder, bot, channelId);
    const mine = aPost(channelId, "of the bot", { botId: bot.botId });
    const edited = aPost(channelId, "of the bot, to be edited", { botId: bot.botId });
    const theirs = aPost(channelId, "of the holder", { ownerUserId: holder });
    await here.appendPosts([mine, edited, theirs]);
    await editPost(
      here,
      { botId: bot.botId },
      { channelId, postId: edited.id },
      { body: "edited by the bot" },
    );
    const { ownerUserId } = bot;
    expect(await eraseOwner(here, TURNS, { ownerUserId }, ownerUserId)).toBe("deleted");
    expect((await here.listPosts(channelId, 10))?.map(({ body }) => body)).toEqual(["of the holder"]);
    const told = (await readAll(here)).filter(({ ownerUserId }) => ownerUserId === holder);
    expect(JSON.stringify(told)).not.toMatch(/of the bot|by the bot/);
    const kinds = told.map(({ eventType }) => eventType);
    expect(kinds.filter((kind) => kind === "channel.post_deleted")).toHaveLength(2);
  });

  it("is attached, left, withdrawn and erased at once without a trace or a deadlock", async () => {
    for (let round = 0; round < 25; round += 1) {
      const [bot, holder] = [await makeListed(), anOwner()];
      const channelId = await makeChannel(here, holder);
      await attachTo(holder, bot, channelId);
      const { ownerUserId } = bot;
      const settled = await Promise.allSettled([
        here.appendPosts([aPost(channelId, "in flight", { botId: bot.botId })]),
        attachTo(holder, bot, channelId, {}, there),
        detach(there, by(holder, bot), channelId),
        round % 2 ? list(bot, "private") : review(bot, "rejected"),
        eraseOwner(there, TURNS, { ownerUserId }, ownerUserId),
        here.appendPosts([aPost(channelId, "in flight too", { botId: bot.botId })]),
        attachTo(holder, bot, channelId),
      ]);
      expect(settled.filter(({ status }) => status === "rejected")).toEqual([]);
      expect(await eraseOwner(here, TURNS, { ownerUserId }, ownerUserId)).toBe("deleted");
      expect(await here.listPosts(channelId, 10)).toEqual([]);
      expect(await here.listChannelBots(channelId, 10)).toEqual([]);
    }
  });
});
