import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { putDirectChannel } from "#botyard/operations/channels/put-direct-channel.js";
import type { Store } from "#botyard/store/store.js";
import { useTwoStores } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { aDirectChannel, aNotice, aPost, attach, makeBot, makeChannel } from "../support/store-fixtures.js";

let here: Store;
let there: Store;
useTwoStores((stores) => {
  ({ here, there } = stores);
});

const CAPS = { perOwner: 1_000, perHolder: 1_000 };
const OWN_CAPS = { perOwner: { most: 1_000, setBy: "service" }, perHolder: 1_000 } as const;
const ALL = { eventTypes: ["*"], posts: "all", ownPosts: true } as const;
const create = (ref: Parameters<typeof aDirectChannel>[0], userId?: string, caps = CAPS, by = here) =>
  by.createDirectChannel(aDirectChannel(ref, userId), aNotice("bot.attached"), caps);

describe("a direct channel", () => {
  it("is one for each bot and user, and one for nobody", async () => {
    const [bot, other] = [await makeBot(here), await makeBot(here)];
    const channel = aDirectChannel(bot, "zoe");
    expect(await here.createDirectChannel(channel, aNotice("bot.attached"), CAPS)).toEqual(channel);
    expect(await create(bot, "zoe")).toBe("there");
    expect(await create(bot, "Zoe")).toMatchObject({ directUserId: "Zoe" });
    expect(await create(bot)).not.toHaveProperty("directUserId");
    expect(await create(bot)).toBe("there");
    expect(await create(other, "zoe")).toMatchObject({ directBotId: other.botId });
    expect(await here.findDirectChannel({ ...bot, userId: "zoe" })).toEqual(channel);
    expect(await here.findDirectChannel({ ...bot, userId: "nobody" })).toBeUndefined();
    expect(await here.findChannel({ ...bot, channelId: channel.id })).toEqual(channel);
    expect((await here.listBotChannels(bot.botId, 10)).map(({ directBotId }) => directBotId)).toEqual(
      Array(3).fill(bot.botId),
    );
    expect(await here.readStats(bot)).toMatchObject({ attachedChannels: 3 });
  });

  it("is made for the owner of the bot only", async () => {
    const bot = await makeBot(here);
    expect(await create({ ...bot, ownerUserId: "bob" })).toBeUndefined();
    await here.deleteBot(bot);
    expect(await create(bot)).toBeUndefined();
  });

  it("tells the bot, if that hears of it, and the feed", async () => {
    const ownerUserId = `owner-${randomUUID()}`;
    const [bot, deaf] = [await makeBot(here, ownerUserId), await makeBot(here, ownerUserId)];
    await here.putSubscription(bot, { ...ALL, eventTypes: [...ALL.eventTypes] });
    await switchFeedOn(here);
    const channel = aDirectChannel(bot);
    await here.createDirectChannel({ ...channel, isPlatform: true }, aNotice("bot.attached"), CAPS);
    await create(deaf);
    expect(await here.readUpdates(bot.botId, 0, 10)).toMatchObject([
      { updateId: 1, eventType: "bot.attached" },
    ]);
    expect(await here.readUpdates(deaf.botId, 0, 10)).toEqual([]);
    await here.appendPosts([aPost(channel.id, "hello", { ownerUserId })]);
    expect(await here.readUpdates(bot.botId, 1, 10)).toMatchObject([{ updateId: 2 }]);
    const { events = [] } = (await here.readFeed([], 100)) ?? {};
    const mine = events.filter((event) => event.ownerUserId === ownerUserId);
    const kinds = mine.map(({ eventType }) => eventType ?? "a post");
    expect(kinds).toEqual(["channel.created", "bot.attached", "channel.created", "bot.attached", "a post"]);
    const about = { channel_id: channel.id, owner_user_id: ownerUserId };
    expect(JSON.parse(mine[0]?.payload ?? "")).toEqual(about);
    expect(JSON.parse(mine[1]?.payload ?? "")).toMatchObject({ ...about, bot_id: bot.botId });
    await here.switchFeed(false);
  });

  it("leaves nothing half made at the limits", async () => {
    const ownerUserId = `owner-${randomUUID()}`;
    const bot = await makeBot(here, ownerUserId);
    const ordinary = await makeChannel(here, ownerUserId);
    expect(await create(bot, "zoe", { perOwner: 1, perHolder: 5 })).toBe("too many channels");
    await attach(here, bot, ordinary);
    expect(await create(bot, "zoe", { perOwner: 5, perHolder: 1 })).toBe("too many");
    expect(await here.listChannels(ownerUserId, 10)).toHaveLength(1);
    expect(await here.readStats(bot)).toMatchObject({ attachedChannels: 1 });
    expect(await create(bot, "zoe", { perOwner: 2, perHolder: 2 })).toMatchObject({ directUserId: "zoe" });
    expect(await create(bot, "zoe", { perOwner: 2, perHolder: 2 })).toBe("there");
  });

  it("is made once, however many make it at once at two instances", async () => {
    for (let round = 0; round < 20; round += 1) {
      const bot = await makeBot(here, `owner-${randomUUID()}`);
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, n) => create(bot, `user-${n % 2}`, CAPS, n % 3 ? here : there)),
      );
      expect(made.filter((one) => one === "there")).toHaveLength(10);
      expect(await here.listChannels(bot.ownerUserId, 100)).toHaveLength(2);
      expect(await here.listBotChannels(bot.botId, 100)).toHaveLength(2);
    }
  });

  it("respects the limits, however many are made at once at two instances", async () => {
    for (let round = 0; round < 10; round += 1) {
      const bot = await makeBot(here, `owner-${randomUUID()}`);
      const caps = round % 2 ? { perOwner: 3, perHolder: 9 } : { perOwner: 9, perHolder: 3 };
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, n) => create(bot, `user-${n}`, caps, n % 2 ? here : there)),
      );
      expect(made.filter((one) => typeof one === "string")).toHaveLength(9);
      expect(await here.listChannels(bot.ownerUserId, 100)).toHaveLength(3);
      expect(await here.readStats(bot)).toMatchObject({ attachedChannels: 3 });
    }
  });

  it("crosses deletions, detachments and posts without a deadlock", async () => {
    const ownerUserId = `owner-${randomUUID()}`;
    for (let round = 0; round < 60; round += 1) {
      const bot = await makeBot(here, ownerUserId);
      const put = (by: Store) =>
        putDirectChannel(by, { ...bot, user: { id: "zoe", username: "Zoë" } }, OWN_CAPS).catch((error) => {
          if (error.message !== "bot not found") throw error;
        });
      const first = await put(here);
      const channelId = first?.channel.id ?? "";
      const settled = await Promise.allSettled([
        put(here),
        here.detachBot(bot, channelId, aNotice("bot.detached")),
        put(there),
        here.appendPosts([aPost(channelId, "hello", { ownerUserId })]),
        there.deleteChannel({ ownerUserId, channelId }, aNotice("bot.detached")),
        round % 2 ? there.deleteBot(bot) : put(there),
      ]);
      expect(settled.filter(({ status }) => status === "rejected")).toEqual([]);
      const attached = await here.listBotChannels(bot.botId, 10);
      if (round % 2) expect(attached).toEqual([]);
      else expect((await put(here))?.channel).toMatchObject({ directUserId: "zoe" });
    }
  });
});
