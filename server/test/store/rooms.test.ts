import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { BotRef, ChannelRules, LogHead, NewRoom, Store } from "#botyard/store/store.js";
import { useTwoStores } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { aPost, aRoom, attach, makeBot, makeChannel } from "../support/store-fixtures.js";

let here: Store;
let there: Store;
useTwoStores((stores) => {
  ({ here, there } = stores);
});

const CAPS = { perOwner: 1_000, perBot: 1_000 };
const anOwner = () => `owner-${randomUUID()}`;
/** One after the other, so that their order is known. */
const threeBots = async (ownerUserId: string) =>
  [
    await makeBot(here, ownerUserId),
    await makeBot(here, ownerUserId),
    await makeBot(here, ownerUserId),
  ] as const;
const subscribe = (bot: Parameters<Store["putSubscription"]>[0], eventTypes: string[]) =>
  here.putSubscription(bot, { eventTypes, posts: "all", ownPosts: true });

describe("rooms", () => {
  it("are made with their bots, which hear their posts from then on", async () => {
    const ownerUserId = anOwner();
    const [first, second] = await threeBots(ownerUserId);
    await subscribe(second, ["channel.post_created", "channel.post_edited"]);
    const both = { ...aRoom(first, second), metadata: '{"a":1}', description: "about" };
    both.bots = [{ botId: first.botId, role: "reader" }, { botId: second.botId }];
    const one = aRoom(first);
    const none = { ...aRoom(first), bots: [] };
    expect(await here.createRooms([both, one, none], CAPS)).toEqual([true, true, true]);
    const externalIds = [none, both, one].map(({ externalId }) => externalId);
    const found = await there.findRooms({ ownerUserId, externalIds: [...externalIds, "unknown"] }, 10);
    const { bots: _, notice: __, ...channel } = both;
    const byId = new Map(found.map((room) => [room.channel.id, room]));
    expect(byId.get(both.id)).toEqual({
      channel,
      bots: [
        { botId: first.botId, role: "reader" },
        { botId: second.botId, role: "moderator" },
      ],
    });
    expect(byId.get(one.id)?.bots).toEqual([{ botId: first.botId, role: "moderator" }]);
    expect(byId.get(none.id)?.bots).toEqual([]);
    expect(byId.size).toBe(3);
    expect((await here.findRooms({ ownerUserId, externalIds }, 1)).flatMap((room) => room.bots).length).toBe(
      2,
    );
    expect((await here.readStats(first))?.attachedChannels).toBe(2);
    expect((await here.readStats(second))?.attachedChannels).toBe(1);
    await here.appendPosts([aPost(both.id, "hello", { ownerUserId })]);
    expect(await here.readUpdates(first.botId, 0, 10)).toHaveLength(1);
    expect(await here.readUpdates(second.botId, 0, 10)).toHaveLength(1);
    expect(await here.findMembership(second.botId, both.id)).toMatchObject({ role: "moderator" });
  });

  it("are not made where something is in the way, and the others are", async () => {
    const ownerUserId = anOwner();
    const [bot, full] = await threeBots(ownerUserId);
    const foreign = await makeBot(here, anOwner());
    await attach(here, full, await makeChannel(here, ownerUserId));
    const taken = aRoom(bot);
    expect(await here.createRooms([taken], CAPS)).toEqual([true]);
    const rooms = [
      { ...aRoom(bot), externalId: taken.externalId },
      { ...aRoom(bot), slug: taken.slug },
      aRoom(bot, foreign),
      aRoom({ ...bot, botId: randomUUID() }),
      aRoom(full),
      aRoom(bot),
    ];
    const caps = { perOwner: 100, perBot: 1 };
    expect(await here.createRooms(rooms.slice(0, 5), { ...caps, perBot: 2 })).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(await here.createRooms(rooms, caps)).toEqual(Array(6).fill(false));
    expect(await here.createRooms(rooms.slice(5), { ...caps, perBot: 10 })).toEqual([true]);
    expect(await here.createRooms([aRoom(bot)], { ...CAPS, perOwner: 4 })).toEqual([false]);
    expect((await here.listChannels(ownerUserId, 100)).map(({ id }) => id).length).toBe(4);
    expect((await here.readStats(bot))?.attachedChannels).toBe(2);
  });

  it("are told, each by itself, to the bots that hear of it, and wake whoever waits for them", async () => {
    const ownerUserId = anOwner();
    const [told, everything, quiet] = await threeBots(ownerUserId);
    await subscribe(told, ["bot.attached"]);
    await subscribe(everything, ["*"]);
    const heads: LogHead[] = [];
    const learn = (grown: readonly LogHead[]) => heads.push(...grown);
    here.events.on("appended", learn);
    const rooms = [aRoom(told, quiet), aRoom(told, everything), aRoom(quiet), aRoom(everything, told)];
    const taken = { ...aRoom(told), slug: rooms[0]?.slug ?? "" };
    expect(await here.createRooms([...rooms, taken], CAPS)).toEqual([true, true, true, true, false]);
    here.events.off("appended", learn);
    const channelsOf = async ({ botId }: BotRef) => {
      const updates = await there.readUpdates(botId, 0, 10);
      expect(updates.map(({ updateId }) => updateId)).toEqual(updates.map((_, n) => n + 1));
      expect(updates.every(({ eventType }) => eventType === "bot.attached")).toBe(true);
      return updates.map(({ payload }) => (JSON.parse(payload) as { channel_id: string }).channel_id);
    };
    const [first, second, , last] = rooms.map(({ id }) => id);
    expect(await channelsOf(told)).toEqual([first, second, last]);
    expect(await channelsOf(everything)).toEqual([second, last]);
    expect(await channelsOf(quiet)).toEqual([]);
    const headOf = ({ botId }: BotRef) => heads.find((head) => head.botId === botId)?.lastUpdateId;
    expect([told, everything, quiet].map(headOf)).toEqual([3, 2, undefined]);
    // Numbers go on.
    await here.appendPosts([aPost(last as string, "hello", { ownerUserId })]);
    expect((await here.readUpdates(everything.botId, 2, 10)).map(({ updateId }) => updateId)).toEqual([3]);
  });

  it("have an entry each in the audit log, and none where a call for one of them alone may do more", async () => {
    const ownerUserId = anOwner();
    const [first, second] = await threeBots(ownerUserId);
    const foreign = await makeBot(here, anOwner());
    const audit = {
      ownerUserId,
      by: { type: "platform", id: "platform", tokenId: "t" },
      operation: "putExternalChannels",
      requestId: "r",
    } as const;
    const make = (rooms: readonly NewRoom[], caps: ChannelRules) =>
      here.createRooms(
        rooms.map((room) => ({ ...room, isPlatform: true, audit })),
        caps,
      );
    const both = { ...aRoom(first, second), metadata: '{"a":1}', description: "about" };
    both.bots = [{ botId: first.botId, role: "reader" }, { botId: second.botId }];
    const none = { ...aRoom(first), bots: [] };
    expect(await make([both, none], CAPS)).toEqual([true, true]);
    // What is left out is made by calls that attach each bot by itself, and have entries of their own.
    expect(await make([aRoom(first, foreign)], CAPS)).toEqual([false]);
    expect(await make([aRoom(first), aRoom(first), aRoom(second)], { ...CAPS, perBot: 2 })).toEqual([
      false,
      false,
      true,
    ]);
    expect(await make([aRoom(first), aRoom(first)], { ...CAPS, perHolder: 2 })).toEqual([false, false]);
    expect(await make([aRoom(first), aRoom(first)], { ...CAPS, perOwner: 4 })).toEqual([false, false]);
    const entries = (await here.listAudit(ownerUserId, {}, 100)).toReversed();
    const said = entries.map(({ ownerUserId: of, by, operation, requestId, target, changes }) => ({
      ownerUserId: of,
      by,
      operation,
      requestId,
      target,
      changes,
    }));
    expect(said.slice(0, 2)).toEqual([
      {
        ...audit,
        target: { type: "channel", id: both.id },
        changes: {
          slug: { after: both.slug },
          title: { after: both.title },
          external_id: { after: both.externalId },
          description: {},
          metadata: {},
          bots: { after: [first.botId, second.botId] },
          roles: { after: ["reader", "moderator"] },
        },
      },
      {
        ...audit,
        target: { type: "channel", id: none.id },
        changes: {
          slug: { after: none.slug },
          title: { after: none.title },
          external_id: { after: none.externalId },
        },
      },
    ]);
    expect(entries).toHaveLength(3);
  });

  it("are told to the feed, and by whom", async () => {
    const ownerUserId = anOwner();
    const bot = await makeBot(here, ownerUserId);
    await switchFeedOn(here);
    const room = { ...aRoom(bot), isPlatform: true };
    await here.createRooms([room], CAPS);
    await here.appendPosts([aPost(room.id, "hello", { ownerUserId })]);
    const { events = [] } = (await here.readFeed([], 100)) ?? {};
    const mine = events.filter((event) => event.ownerUserId === ownerUserId);
    expect(mine.map(({ eventType }) => eventType)).toEqual(["channel.created", "bot.attached", undefined]);
    const about = { channel_id: room.id, external_id: room.externalId, owner_user_id: ownerUserId };
    expect(JSON.parse(mine[0]?.payload ?? "")).toEqual(about);
    expect(JSON.parse(mine[1]?.payload ?? "")).toMatchObject({ ...about, bot_id: bot.botId });
    expect(mine[1]?.by).toEqual({ type: "platform" });
    await here.switchFeed(false);
  });

  it("are made once when several calls make them at the same moment", async () => {
    const ownerUserId = anOwner();
    const [first, second] = await threeBots(ownerUserId);
    const rooms = Array.from({ length: 30 }, () => aRoom(first, second));
    const twins = rooms
      .map((room) => ({ ...aRoom(second, first), externalId: room.externalId }))
      .toReversed();
    const made = await Promise.all([
      here.createRooms(rooms, CAPS),
      there.createRooms(twins, CAPS),
      here.createRooms(
        twins.map((room) => ({ ...aRoom(first), externalId: room.externalId })),
        CAPS,
      ),
      ...rooms.map((room) => attach(there, second, room.id)),
    ]);
    const count = (made.slice(0, 3) as boolean[][]).flat().filter(Boolean).length;
    expect(count).toBe(30);
    expect(await here.listChannels(ownerUserId, 100)).toHaveLength(30);
    const externalIds = rooms.map(({ externalId }) => externalId);
    const attached = (await here.findRooms({ ownerUserId, externalIds }, 10)).flatMap((room) => room.bots);
    const of = (botId: string) => attached.filter((one) => one.botId === botId).length;
    expect((await here.readStats(first))?.attachedChannels).toBe(of(first.botId));
    expect((await here.readStats(second))?.attachedChannels).toBe(of(second.botId));
  });

  it("hear by a subscription that is set at the same moment", async () => {
    const ownerUserId = anOwner();
    const bot = await makeBot(here, ownerUserId);
    for (let round = 0; round < 5; round += 1) {
      const room = aRoom(bot);
      const posts = round % 2 === 0 ? "mentions" : "all";
      const [[isMade]] = (await Promise.all([
        here.createRooms([room], CAPS),
        there.putSubscription(bot, {
          eventTypes: ["channel.post_created", `r.r${round}`],
          posts,
          ownPosts: true,
        }),
      ])) as [boolean[], unknown];
      if (!isMade) continue;
      const heard = await here.countListeners([room.id]);
      expect(heard.get(room.id)?.posts).toBe(posts === "all" ? 1 : 0);
    }
  });
});
