import { beforeEach, describe, expect, it } from "vitest";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { partitionOf } from "#botyard/domain/events/feed.js";
import { newId } from "#botyard/domain/ids.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { editChannel } from "#botyard/operations/channels/edit-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { emitEvent } from "#botyard/operations/posts/emit-event.js";
import type { Store } from "#botyard/store/store.js";
import { type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { kindsOf, readAll, switchFeedOn } from "../support/feed-world.js";
import {
  aNotice,
  attach,
  claim,
  detach,
  makeAttachedBot,
  makeBot,
  makeChannel,
  NOW,
  OWNER,
  publish,
  recordOutcomes,
} from "../support/store-fixtures.js";

describe(`what the feed tells on ${engine.name}`, () => {
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    const opened = await openChannelWorld();
    ({ store, world } = opened);
    return opened.close;
  });

  it("hears all that happens in a channel, whoever else does", async () => {
    await switchFeedOn(store);
    const { post: first } = await world.post("first");
    const ref = { channelId: world.channelId, postId: first.id };
    await editPost(store, { ownerUserId: OWNER }, ref, { body: "second" });
    await deletePost(store, { ownerUserId: OWNER }, ref);
    await emitEvent(store, {
      ownerUserId: OWNER,
      to: { channelId: world.channelId },
      eventType: "ticket.opened",
      payload: { ticket: 7 },
    });
    await editChannel(store, world.channel, { title: "Renamed" });
    await editChannel(store, world.channel, { metadata: { only: "the owner's" } });
    const events = await readAll(store);
    expect(kindsOf(events)).toEqual([
      "channel.post_created",
      "channel.post_edited",
      "channel.post_deleted",
      "ticket.opened",
      "channel.updated",
    ]);
    expect(events[3]).toMatchObject({
      payload: { ticket: 7 },
      channel: { id: world.channelId, ownerUserId: OWNER },
    });
    expect(events[1]).toMatchObject({ partition: partitionOf(OWNER, engine.name === "sqlite" ? 1 : 16) });
  });

  it("tells what becomes of channels, bots and webhooks, once for each change", async () => {
    await switchFeedOn(store);
    const channelId = await makeChannel(store, "carol");
    const channel = { ownerUserId: "carol", channelId };
    const bot = await makeBot(store, "carol", "helper");
    await attach(store, bot, channelId);
    await attach(store, bot, channelId);
    for (const _ of ["changed", "the same"]) {
      await attach(store, bot, channelId, undefined, "member");
      await store.editBot(bot, { displayName: "Helper", updatedAt: NOW });
      await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
    }
    await store.replaceBotToken(bot, hashBotToken("another"));
    await store.setBotDisabled(bot, true, NOW);
    await store.setBotDisabled(bot, true, NOW);
    await store.setBotDisabled(bot, false, NOW);
    await store.putWebhook(bot, { url: "https://example.com/", sealedSecret: undefined }, NOW);
    await store.setWebhookPaused(bot, true, NOW);
    await store.setWebhookPaused(bot, true, NOW);
    await store.setWebhookPaused(bot, false, NOW);
    await store.deleteWebhook(bot, NOW);
    await store.deleteWebhook(bot, NOW);
    await detach(store, bot, channelId);
    await detach(store, bot, channelId);
    await store.deleteBot(bot);
    await store.deleteBot(bot);
    await store.deleteChannel(channel, aNotice("bot.detached"));
    await store.deleteChannel(channel, aNotice("bot.detached"));
    const events = await readAll(store);
    expect(kindsOf(events)).toEqual([
      "channel.created",
      "bot.created",
      "bot.attached",
      "bot.role_changed",
      "bot.updated",
      "bot.subscribed",
      "bot.token_rotated",
      "bot.disabled",
      "bot.enabled",
      "webhook.set",
      "webhook.paused",
      "webhook.resumed",
      "webhook.deleted",
      "bot.detached",
      "bot.deleted",
      "channel.deleted",
    ]);
    const aboutBot = { bot_id: bot.botId, username: "helper", owner_user_id: "carol" };
    const aboutChannel = { channel_id: channelId, owner_user_id: "carol" };
    const payloads = events.map(({ payload }) => payload);
    expect(payloads[0]).toEqual(aboutChannel);
    expect(payloads[1]).toEqual(aboutBot);
    expect(payloads[2]).toEqual({ ...aboutBot, ...aboutChannel });
    expect(payloads[3]).toEqual({ ...aboutBot, ...aboutChannel });
    expect(payloads.slice(4, 7)).toEqual([aboutBot, aboutBot, aboutBot]);
    expect(payloads[13]).toEqual({ ...aboutBot, ...aboutChannel });
    expect(payloads.at(-1)).toEqual(aboutChannel);
  });

  it("tells when a bot is out of service and in it again, whoever keeps it disabled, and not of what it does not feel", async () => {
    await switchFeedOn(store);
    const suspend = (isSuspended: boolean) =>
      store.putOwner("carol", { suspension: isSuspended ? { reason: "spam" } : null }, NOW);
    const bot = await makeBot(store, "carol", "helper");
    const platform = { ...bot, isPlatform: true };
    await store.setBotDisabled(bot, true, NOW);
    await store.setBotDisabled(platform, true, NOW);
    await suspend(true);
    await store.setBotDisabled(platform, false, NOW);
    await suspend(true);
    await suspend(false);
    await suspend(true);
    await store.setBotDisabled(platform, true, NOW);
    await suspend(false);
    await store.setBotDisabled(platform, false, NOW);
    const events = (await readAll(store)).slice(1);
    expect(events.map(({ eventType, by }) => [eventType, by?.type])).toEqual([
      ["bot.disabled", "owner"],
      ["bot.enabled", "platform"],
      ["bot.disabled", "platform"],
      ["bot.enabled", "platform"],
    ]);
    for (const { payload } of events)
      expect(payload).toEqual({ bot_id: bot.botId, username: "helper", owner_user_id: "carol" });
  });

  it("tells of a review once, and nothing of the same again", async () => {
    await switchFeedOn(store);
    const { botId } = await makeBot(store, "carol", "helper");
    const review = (reviewedAt: number, note = "") =>
      store.reviewBot(botId, { status: "approved", note, reviewedAt });
    const first = await review(NOW);
    expect(await review(NOW + 1)).toEqual(first);
    expect(await review(NOW + 2, "welcome")).toMatchObject({ reviewNote: "welcome", reviewedAt: NOW + 2 });
    expect(await store.reviewBot(newId(), { status: "approved", note: "", reviewedAt: NOW })).toBeUndefined();
    expect(kindsOf(await readAll(store)).slice(1)).toEqual(["bot.reviewed", "bot.reviewed"]);
  });

  it("names the external id of a channel that comes and goes", async () => {
    await switchFeedOn(store);
    const channel = { id: newId(), slug: "room", title: "Room", description: "", ownerUserId: OWNER };
    await store.createChannel({ ...channel, externalId: "room-42", createdAt: NOW });
    await deleteChannel(store, { ownerUserId: OWNER, channelId: channel.id });
    const payload = { channel_id: channel.id, external_id: "room-42", owner_user_id: OWNER };
    expect((await readAll(store)).map((event) => event.payload)).toEqual([payload, payload]);
  });

  it("tells when a webhook has been failing for a minute and when it has been well for one, and of no blip", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(store);
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: undefined }, NOW);
    await switchFeedOn(store);
    await publish(store, channelId, 33);
    let next = 0;
    /** Attempts of updates that were never attempted, at these seconds. */
    const record = async (error: string | undefined, ...atSeconds: number[]): Promise<void> => {
      const attempts = atSeconds.map((second) => ({
        updateId: (next += 1),
        failureCount: 0,
        attemptedAt: NOW + second * 1_000,
        ...(error && { failure: { error, nextRetryAt: NOW + 9_000_000 } }),
      }));
      await recordOutcomes(store, [{ destinationId: botId, nextFreshId: next + 1, attempts }]);
    };
    const told = async () =>
      (await readAll(store)).filter(({ eventType }) => eventType.startsWith("webhook."));
    const kinds = async () => kindsOf(await told());
    // Blips, four failures in a minute, and many in less than a minute.
    await record("500 Internal Server Error", 0);
    await record(undefined, 1);
    await record("500 Internal Server Error", 2, 20, 40, 70);
    await record(undefined, 71);
    await record("500 Internal Server Error", 100, 101, 102, 103, 104, 105, 159);
    expect(await kinds()).toEqual([]);
    await record("502 Bad Gateway", 160);
    expect(await kinds()).toEqual(["webhook.failing"]);
    await record("502 Bad Gateway", 170, 300);
    await record(undefined, 301);
    await record(undefined, 359);
    expect(await kinds()).toEqual(["webhook.failing"]);
    await record("500 Internal Server Error", 359);
    await record(undefined, 360);
    await record(undefined, 418);
    expect(await kinds()).toEqual(["webhook.failing"]);
    await record(undefined, 419);
    expect(await kinds()).toEqual(["webhook.failing", "webhook.recovered"]);
    await record(undefined, 600);
    await record("500 Internal Server Error", 601);
    await record(undefined, 602, 603);
    expect(await kinds()).toEqual(["webhook.failing", "webhook.recovered"]);
    // With nothing more to send, the lane is due again when the receiver has been well for a minute.
    await record("502 Bad Gateway", 700, 720, 740, 750, 761);
    await record(undefined, 770);
    const due = NOW + 821_000;
    const release = async (now: number): Promise<boolean> => {
      const lanes = await claim(store, now);
      await store.releaseLanes(
        "here",
        lanes.map(({ generation }) => ({ destinationId: botId, health: FRESH_HEALTH, generation })),
        now,
      );
      return lanes.length === 1;
    };
    expect(await release(NOW + 780_000)).toBe(true);
    expect(await release(due - 1)).toBe(false);
    expect((await kinds()).at(-1)).toBe("webhook.failing");
    expect(await release(due)).toBe(true);
    expect((await kinds()).at(-1)).toBe("webhook.recovered");
    expect(await release(due + 1)).toBe(false);
    const [first, second] = await told();
    expect(first?.payload).toMatchObject({ bot_id: botId, last_delivery_error: "502 Bad Gateway" });
    expect(second?.payload).not.toHaveProperty("last_delivery_error");
  });

  it("is told of in the order in which an owner did it, whatever they did", async () => {
    await switchFeedOn(store);
    for (let n = 0; n < 5; n += 1) {
      const bot = await makeBot(store, OWNER, `bot-${n}`);
      await world.post(`post ${n}`);
      await attach(store, bot, world.channelId);
      await store.deleteBot(bot);
    }
    const order = ["bot.created", "channel.post_created", "bot.attached", "bot.deleted"];
    expect(kindsOf(await readAll(store))).toEqual(Array.from({ length: 5 }, () => order).flat());
  });
});
