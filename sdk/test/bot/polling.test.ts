import { setTimeout as sleep } from "node:timers/promises";
import { Bot, memoryStore, type Position, type PositionStore } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { onLiveBot } from "../support/live-bot.js";
import { makeWorld, type RealService, startKillableService, type World } from "../support/service.js";

describe("bot.start()", () => {
  let service: RealService;
  let world: World;
  let bot: Bot;
  onLiveBot((live) => {
    ({ service, world, bot } = live);
  });

  const newBot = () => new Bot(world.token, { url: service.url });
  const publish = (body: string, channelId = world.channel.id) =>
    service.owner.createChannelPost(channelId, { body });
  const another = async () => {
    const channel = await service.owner.createChannel({ slug: `${world.channel.slug}-b`, title: "B" });
    await service.owner.attachBot(world.bot.id, channel.id);
    return channel.id;
  };

  it("echoes, and ignores its own posts", async () => {
    const heard: string[] = [];
    bot.onPost(async (ctx) => {
      heard.push(ctx.payload.body);
      expect((await ctx.channel.get())?.slug).toBe(world.channel.slug);
      await ctx.reply(`echo: ${ctx.payload.body}`);
    });
    const running = bot.start();
    await publish("one");
    await publish("two");
    const bodies = await eventually("two echoes", async () => {
      const { items } = await service.owner.listChannelPosts(world.channel.id);
      return items.length === 4 ? items.map(({ body }) => body) : undefined;
    });
    expect(bodies.sort()).toEqual(["echo: one", "echo: two", "one", "two"]);
    await bot.stop();
    await running;
    expect(heard).toEqual(["one", "two"]);
  });

  it("reads full pages, however slow its handlers are", async () => {
    const count = 2_000;
    const limits: number[] = [];
    let handled = 0;
    const slow = new Bot(world.token, {
      url: service.url,
      me: world.me,
      fetch: async (input) => {
        const { searchParams: query } = new URL(input instanceof Request ? input.url : input);
        const [limit, offset] = [Number(query.get("limit")), Number(query.get("offset"))];
        limits.push(limit);
        const items = Array.from({ length: Math.min(limit, count - offset) }, (_, index) => ({
          update_id: offset + index + 1,
          event_type: "channel.post_created",
          payload: { channel_id: `channel-${index % 40}`, body: "x", author_username: "alice", post_id: "p" },
          created_at: "2026-01-01T00:00:00.000Z",
        }));
        return Response.json({ items });
      },
    });
    slow.onPost(async () => {
      await sleep(0);
      handled += 1;
      if (handled === count) void slow.stop();
    });
    await slow.start({ store: memoryStore(), signals: false });
    expect(new Set(limits)).toEqual(new Set([100]));
    expect(handled).toBe(count);
  });

  it("keeps the order within a channel while others overtake, with no more handlers than allowed", async () => {
    const channels = [world.channel.id, await another()];
    for (let i = 0; i < 40; i++) await publish(String(i), channels[i % 2]);
    const heard: Record<string, number[]> = {};
    let underWay = 0;
    let most = 0;
    bot.onPost(async (ctx) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(Math.random() * 4);
      (heard[ctx.channel.id] ??= []).push(Number(ctx.payload.body));
      underWay -= 1;
    });
    const running = bot.start({ concurrency: 2 });
    await eventually("all are handled", () => Object.values(heard).flat().length === 40);
    await bot.stop();
    await running;
    for (const numbers of Object.values(heard)) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(most).toBe(2);
  });

  it("stops repeatedly without losing or repeating handled updates", async () => {
    const channels = [world.channel.id, await another()];
    for (let i = 0; i < 150; i++) await publish(String(i), channels[i % 3 === 0 ? 0 : 1]);
    const store = memoryStore();
    const handled: number[] = [];
    for (let run = 0; handled.length < 150; run++) {
      expect(run).toBeLessThan(150);
      const stopping = new AbortController();
      let left = 7;
      const one = newBot().onPost(async (ctx) => {
        // One channel is much slower, so that the other one is ahead of it at each stop.
        await sleep(ctx.channel.id === channels[0] ? 20 : 1);
        handled.push(ctx.update.update_id);
        if (--left === 0) stopping.abort();
      });
      if (handled.length > 140) setTimeout(() => stopping.abort(), 500);
      await one.start({ store, signal: stopping.signal });
    }
    expect(handled.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, i) => i + 1));
    expect(await store.load()).toMatchObject({ offset: 150, handled: [] });
  });

  it("saves only handled updates", async () => {
    const saved: Position[] = [];
    const store: PositionStore = {
      load: async () => undefined,
      save: async (position) => void saved.push(position),
    };
    const slow = await another();
    await publish("held", slow);
    for (const body of ["a", "b"]) await publish(body);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    bot.onPost((ctx) => (ctx.payload.body === "held" ? held : undefined));
    const running = bot.start({ store });
    await eventually("the others are handled", () => saved.at(-1)?.handled.length === 2);
    expect(saved.at(-1)).toEqual({ bot_id: world.bot.id, offset: 0, handled: [2, 3] });
    letGo();
    await eventually("all are", () => saved.at(-1)?.offset === 3);
    await bot.stop();
    await running;
  });

  it("retries an update after a wait until it succeeds; other channels continue", async () => {
    const other = await another();
    for (const body of ["bad", "after"]) await publish(body);
    await publish("other", other);
    const heard: string[] = [];
    const attempts: number[] = [];
    bot.onPost((ctx) => {
      heard.push(ctx.payload.body);
      if (ctx.payload.body === "bad" && attempts.length < 2) throw new Error("not yet");
    });
    bot.catch((error) => void attempts.push(error.attempt));
    const running = bot.start({ afterFailure: "hold" });
    await eventually("all are handled", () => heard.includes("after"));
    expect(heard.filter((body) => body !== "other")).toEqual(["bad", "bad", "bad", "after"]);
    expect(heard.indexOf("other")).toBeLessThan(3);
    expect(attempts).toEqual([1, 2]);
    await bot.stop();
    await running;
  });

  it("continues after a skipped update", async () => {
    for (const body of ["bad", "after"]) await publish(body);
    const store = memoryStore();
    bot.onPost((ctx) => {
      if (ctx.payload.body === "bad") throw new Error("never");
    });
    bot.catch(() => "skip");
    const running = bot.start({ store });
    await eventually("both are dealt with", async () => (await store.load())?.offset === 2);
    await bot.stop();
    await running;
  });

  it("ends with what bot.catch throws, and gets the update again at the next start", async () => {
    await publish("bad");
    const store = memoryStore();
    bot.onPost(() => {
      throw new Error("boom");
    });
    bot.catch((error) => {
      throw error;
    });
    await expect(bot.start({ store })).rejects.toMatchObject({
      name: "BotError",
      message: "update 1 (channel.post_created) failed: boom",
    });
    const heard: number[] = [];
    const next = newBot().onPost((ctx) => void heard.push(ctx.update.update_id));
    const running = next.start({ store });
    await eventually("it is handled", () => heard.length === 1);
    await next.stop();
    await running;
  });

  it("limits the wait for handlers at a stop; their updates come again", async () => {
    await publish("long");
    const store = memoryStore();
    let isBegun = false;
    let end = () => {};
    bot.onPost(() => {
      isBegun = true;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const running = bot.start({ store, stopTimeoutMs: 20 });
    await eventually("it has begun", () => isBegun);
    await bot.stop();
    await running;
    end();
    await sleep(20);
    expect(await store.load()).toBeUndefined();
  });

  it("ends with a clear error when the token is rotated", async () => {
    const running = bot.start();
    const ended = running.catch((error: unknown) => error);
    await service.owner.rotateBotToken(world.bot.id);
    // A poll that began with the old token may wait until its time-out; a post ends it.
    await publish("wake up");
    expect(await ended).toMatchObject({ name: "ServiceError", status: 401 });
  });

  it("refuses another bot's position, and to run twice", async () => {
    const store = memoryStore();
    await store.save({ bot_id: "other", offset: 9, handled: [] });
    await expect(bot.start({ store })).rejects.toThrow("the saved position belongs to bot other");
    await expect(bot.start({ concurrency: 0 })).rejects.toThrow("concurrency must be");
    const running = bot.start();
    await expect(bot.start()).rejects.toThrow("running already");
    await bot.stop();
    await running;
    await bot.start({ signal: AbortSignal.abort() });
  });

  it("ends with the store's error", async () => {
    await publish("x");
    const store: PositionStore = {
      load: async () => undefined,
      save: () => Promise.reject(new Error("disk full")),
    };
    await expect(bot.onPost(() => {}).start({ store })).rejects.toThrow("disk full");
  });
});

describe("bot.start() during an outage of the service", () => {
  it("continues, with no update lost or repeated", async () => {
    const service = await startKillableService();
    const world = await makeWorld(service);
    const heard: string[] = [];
    const failures: number[] = [];
    const bot = new Bot(world.token, { url: service.url });
    bot.onPost((ctx) => void heard.push(ctx.payload.body));
    const running = bot.start({ onPollFailure: ({ failures: count }) => failures.push(count) });
    await service.owner.createChannelPost(world.channel.id, { body: "before" });
    await eventually("the first is handled", () => heard.length === 1);
    await service.kill();
    await eventually("polls fail", () => failures.length >= 2);
    await service.restart();
    await service.owner.createChannelPost(world.channel.id, { body: "after" });
    await eventually("the second is handled", () => heard.length === 2);
    expect(heard).toEqual(["before", "after"]);
    expect(failures.slice(0, 2)).toEqual([1, 2]);
    await bot.stop();
    await running;
    await service.stop();
  });
});
