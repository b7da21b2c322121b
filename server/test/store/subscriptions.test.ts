import { beforeEach, describe, expect, it } from "vitest";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { previewSubscription, subscribe, unsubscribe } from "#botyard/operations/bots/subscribe.js";
import { emitEvent } from "#botyard/operations/posts/emit-event.js";
import type { Store } from "#botyard/store/store.js";
import { bodiesOf, type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { detach, makeChannel, OWNER } from "../support/store-fixtures.js";

describe(`who hears what on ${engine.name}`, () => {
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    const opened = await openChannelWorld();
    ({ store, world } = opened);
    return opened.close;
  });

  const bodies = async (bot: { botId: string; ownerUserId: string }) => bodiesOf(await world.heardBy(bot));
  const emit = (eventType: string) =>
    emitEvent(store, {
      ownerUserId: OWNER,
      to: { channelId: world.channelId },
      eventType,
      payload: { body: eventType },
    });

  it("a bot hears every post by default, and only those that mention it if it asks for that", async () => {
    const all = await world.addBot("all");
    const echo = await world.addBot("Echo", { posts: "mentions" });
    const other = await world.addBot("echo.two", { posts: "mentions" });
    await world.post("nobody");
    await world.post("hello @echo, and @ECHO again");
    await world.post("@echo.two");
    await world.post("a sentence that ends with @echo.");
    await world.post("mail to me@echo or x@echo.two");
    expect(await bodies(all)).toHaveLength(5);
    expect(await bodies(echo)).toEqual(["hello @echo, and @ECHO again", "a sentence that ends with @echo."]);
    expect(await bodies(other)).toEqual(["@echo.two"]);
  });

  it("a bot that asks for others' posts does not hear its own, alone in the channel and among others", async () => {
    const shy = await world.addBot("shy", { ownPosts: false });
    await world.post("mine", shy);
    await world.post("yours");
    expect(await bodies(shy)).toEqual(["yours"]);
    const all = await world.addBot("all");
    const mentioned = await world.addBot("me", { posts: "mentions", ownPosts: false });
    await Promise.all([
      world.post("by shy @me", shy),
      world.post("by all @me", all),
      world.post("by me @me", mentioned),
    ]);
    expect(new Set(await bodies(shy))).toEqual(new Set(["by all @me", "by me @me", "yours"]));
    expect(new Set(await bodies(all))).toEqual(new Set(["by all @me", "by me @me", "by shy @me"]));
    expect(new Set(await bodies(mentioned))).toEqual(new Set(["by all @me", "by shy @me"]));
  });

  it("custom events reach bots without a subscription and those whose entries match", async () => {
    const byDefault = await world.addBot("default");
    const exact = await world.addBot("exact", { eventTypes: ["ticket.opened"] });
    const prefix = await world.addBot("prefix", { eventTypes: ["ticket.*", "ticket.opened"] });
    const every = await world.addBot("every", { eventTypes: ["*"] });
    const posts = await world.addBot("posts", { eventTypes: ["channel.*"] });
    await emit("ticket.opened");
    await emit("ticket.reply.sent");
    await emit("invoice.paid");
    await world.post("a post");
    expect(await bodies(byDefault)).toEqual(["ticket.opened", "ticket.reply.sent", "invoice.paid", "a post"]);
    expect(await bodies(exact)).toEqual(["ticket.opened"]);
    expect(await bodies(prefix)).toEqual(["ticket.opened", "ticket.reply.sent"]);
    expect((await bodies(every)).slice(1)).toEqual(await bodies(byDefault));
    expect(await bodies(posts)).toEqual(["a post"]);
    const [first] = await world.heardBy(exact);
    expect(first?.eventType).toBe("ticket.opened");
  });

  it("a change holds for what follows it, in every channel of the bot, and those attached later", async () => {
    const bot = await world.addBot("bot");
    const later = await makeChannel(store);
    await world.post("heard");
    await subscribe(store, bot, { eventTypes: ["ticket.*"], posts: "all", ownPosts: true });
    await attachBot(store, bot, later, {});
    await world.post("not heard");
    await emit("ticket.opened");
    await emitEvent(store, {
      ownerUserId: OWNER,
      to: { channelId: later },
      eventType: "ticket.closed",
      payload: { body: "ticket.closed" },
    });
    await unsubscribe(store, bot);
    await world.post("heard again");
    expect(await bodies(bot)).toEqual(["heard", "ticket.opened", "ticket.closed", "heard again"]);
    expect(await store.readSubscription(bot.botId)).toBeNull();
  });

  it("a detached bot hears nothing, whatever it has subscribed to", async () => {
    const bot = await world.addBot("bot", { eventTypes: ["*"] });
    await detach(store, bot, world.channelId);
    await emit("ticket.opened");
    await world.post("@bot");
    expect((await world.heardBy(bot)).map(({ eventType }) => eventType)).toEqual([
      "bot.attached",
      "bot.detached",
    ]);
  });

  it("an event to one bot reaches it alone, if it hears it", async () => {
    const bot = await world.addBot("bot");
    const deaf = await world.addBot("deaf", { eventTypes: ["ticket.*"] });
    const send = (to: { botId: string }) =>
      emitEvent(store, { ownerUserId: OWNER, to, eventType: "command.run", payload: { body: "run" } });
    await send(bot);
    await send(deaf);
    expect(await bodies(bot)).toEqual(["run"]);
    expect(await bodies(deaf)).toEqual([]);
    await expect(send({ botId: world.channelId })).rejects.toThrow("bot not found");
  });

  it("a preview says what would have been heard, and agrees with what was", async () => {
    const subscription = {
      eventTypes: ["channel.post_created", "ticket.*"],
      posts: "mentions",
      ownPosts: false,
    } as const;
    const wanted = { ...subscription, eventTypes: [...subscription.eventTypes] };
    const bot = await world.addBot("bot", wanted);
    await world.post("no");
    await world.post("yes @bot");
    await world.post("own @bot", bot);
    await emit("ticket.opened");
    await emit("invoice.paid");
    const preview = await previewSubscription(store, bot, world.channel, wanted);
    expect(preview.map(({ isHeard }) => isHeard)).toEqual([false, true, false, true, false]);
    const heard = preview.filter(({ isHeard }) => isHeard).map(({ event }) => JSON.parse(event.payload).body);
    expect(heard.toReversed()).toEqual(await bodies(bot));
  });
});
