import { beforeEach, describe, expect, it } from "vitest";
import { partitionOf } from "#botyard/domain/feed.js";
import { newId } from "#botyard/domain/ids.js";
import { deletePost, editPost } from "#botyard/operations/change-post.js";
import { deleteChannel } from "#botyard/operations/delete-channel.js";
import { editChannel } from "#botyard/operations/edit-channel.js";
import { emitEvent } from "#botyard/operations/emit-event.js";
import type { Store } from "#botyard/store/store.js";
import { type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { kindsOf, readAll, switchFeedOn } from "../support/feed-world.js";
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
    expect(payloads[9]).toEqual({ ...aboutBot, ...aboutChannel });
    expect(payloads.at(-1)).toEqual(aboutChannel);
  });

  it("names the external id of a channel that comes and goes", async () => {
    await switchFeedOn(store);
    const channel = { id: newId(), slug: "room", title: "Room", description: "", ownerUserId: OWNER };
    await store.createChannel({ ...channel, externalId: "room-42", createdAt: NOW });
    await deleteChannel(store, { ownerUserId: OWNER, channelId: channel.id });
    const payload = { channel_id: channel.id, external_id: "room-42", owner_user_id: OWNER };
    expect((await readAll(store)).map((event) => event.payload)).toEqual([payload, payload]);
  });

  it("tells when a webhook begins to fail and when it is well again, and not of every attempt", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(store);
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: undefined }, NOW);
    await switchFeedOn(store);
    await publish(store, channelId, 5);
    const attempt = (updateId: number, error?: string) => ({
      updateId,
      failureCount: 0,
      attemptedAt: NOW + updateId,
      ...(error && { failure: { error, nextRetryAt: NOW + 60_000 } }),
    });
    const record = async (...attempts: ReturnType<typeof attempt>[]) =>
      await recordOutcomes(store, [{ botId, nextFreshId: 6, attempts }]);
    await record(attempt(1));
    await record(attempt(2, "502 Bad Gateway"));
    await record(attempt(3, "503 Service Unavailable"));
    await record(attempt(4));
    await record(attempt(5, "500 Internal Server Error"));
    await record({ ...attempt(2), failureCount: 1 });
    const told = (await readAll(store)).filter(({ eventType }) => eventType.startsWith("webhook."));
    expect(kindsOf(told)).toEqual([
      "webhook.failing",
      "webhook.recovered",
      "webhook.failing",
      "webhook.recovered",
    ]);
    expect(told[0]?.payload).toMatchObject({ bot_id: botId, last_delivery_error: "502 Bad Gateway" });
    expect(told[1]?.payload).not.toHaveProperty("last_delivery_error");
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
