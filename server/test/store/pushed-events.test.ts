import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Update } from "#botyard/domain/events/update.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { type ResponseToAppend, type Store, updatesAbove } from "#botyard/store/store.js";
import { type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { aNotice, aPost, NOW, OWNER } from "../support/store-fixtures.js";

/** Each has a payload of its own. */
function anEvent(eventType: string) {
  const event = aNotice(eventType);
  return { ...event, payload: JSON.stringify({ of: event.id }) };
}

/** Whoever waits for a log gets what was appended with the hint that it grew: it must be what a read would return. */
describe(`the events that come with a hint on ${engine.name}`, () => {
  let opened: Awaited<ReturnType<typeof openChannelWorld>>;
  let world: ChannelWorld;
  let store: Store;
  let bot: Awaited<ReturnType<ChannelWorld["addBot"]>>;
  let other: typeof bot;
  let pushed: { botId: string; update: Update }[];
  beforeEach(async () => {
    opened = await openChannelWorld();
    ({ store, world } = opened);
    bot = await world.addBot("one", { eventTypes: ["*"] });
    other = await world.addBot("other", { eventTypes: ["*"] });
    pushed = [];
    store.events.on("appended", (heads) => {
      for (const head of heads)
        for (const update of updatesAbove(head.lastUpdateId - 1, head))
          pushed.push({ botId: head.botId, update });
    });
  });
  afterEach(() => opened.close());

  const expectPushed = async (count: number): Promise<void> => {
    expect(pushed).toHaveLength(count);
    for (const { botId, update } of pushed) {
      const { cause: _, ...sent } = update;
      expect(await store.readUpdates(botId, update.updateId - 1, 1)).toEqual([sent]);
    }
  };

  it("are an interaction, and the post or the edit that a response to it is", async () => {
    const { channelId } = world;
    const { post } = await world.post("press me");
    pushed = [];
    const interactionId = randomUUID();
    const event = { ...anEvent("interaction.created"), id: interactionId };
    await store.appendInteraction({ botId: bot.botId, ownerUserId: OWNER, channelId, event });
    await expectPushed(1);
    const response: ResponseToAppend = {
      interactionId,
      channelId,
      botId: bot.botId,
      event: anEvent("interaction.responded"),
      idempotencyKey: undefined,
    };
    await store.appendResponse(response);
    await expectPushed(1);
    const answer = aPost(channelId, "an answer", { botId: bot.botId });
    await store.appendResponse({ ...response, event: anEvent("interaction.responded"), post: answer });
    await expectPushed(3);
    const edit = {
      channelId,
      postId: post.id,
      replaces: 1,
      payload: JSON.stringify({ post_id: post.id, body: "pressed" }),
      editedAt: NOW,
      event: anEvent("channel.post_edited"),
      mentions: [],
      editorBotId: bot.botId,
    };
    await store.appendResponse({ ...response, event: anEvent("interaction.responded"), edit });
    await expectPushed(4);
    expect(pushed.map(({ update }) => update.eventType)).toEqual([
      "interaction.created",
      undefined,
      undefined,
      "channel.post_edited",
    ]);
  });

  it("are custom events, edits and deletions", async () => {
    const { channelId } = world;
    const to = { channelId };
    await store.appendEvent({
      ownerUserId: OWNER,
      to,
      event: anEvent("custom.one"),
      idempotencyKey: undefined,
    });
    await expectPushed(2);
    await store.appendEvent({
      ownerUserId: OWNER,
      to: { botId: bot.botId },
      event: anEvent("custom.two"),
      idempotencyKey: undefined,
    });
    await expectPushed(3);
    await store.appendBotEvent({
      botId: other.botId,
      channelId,
      event: anEvent("custom.three"),
      idempotencyKey: undefined,
    });
    await expectPushed(4);
    const { post } = await world.post("a");
    const ref = { channelId, postId: post.id };
    await editPost(store, { ownerUserId: OWNER }, ref, { body: "b" });
    await expectPushed(8);
    pushed = [];
    await deletePost(store, { ownerUserId: OWNER }, ref);
    await expectPushed(2);
  });
});
