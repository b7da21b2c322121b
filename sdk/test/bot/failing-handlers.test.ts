import { Bot, type BotError } from "@botyard/sdk";
import { describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { onLiveBot } from "../support/live-bot.js";
import type { RealService, World } from "../support/service.js";

let service: RealService;
let world: World;
let bot: Bot;
const { publish, bodies } = onLiveBot((live) => {
  ({ service, world, bot } = live);
});

describe("an update whose handler keeps failing", () => {
  it("lets those behind it go on after its second failure, and is told when it is given up", async () => {
    const heard: string[] = [];
    const givenUp: BotError[] = [];
    bot.catch(() => {});
    bot.onPost((ctx) => {
      heard.push(ctx.payload.body);
      if (ctx.payload.body.startsWith("bad")) throw new Error("never");
    });
    for (const body of ["bad1", "bad2", "bad3", "good"]) await publish(body);
    const running = bot.start({ attempts: 3, onGivenUp: (error) => void givenUp.push(error) });
    await eventually("the good one is handled", () => heard.includes("good"));
    expect(heard.slice(0, 2)).toEqual(["bad1", "bad1"]);
    expect(givenUp.length).toBeLessThan(3);
    await eventually("they are given up", () => givenUp.length === 3);
    // Which is given up first depends on the jitter of their retries.
    const told = givenUp.map(({ ctx, isFinal }) => [(ctx.payload as { body: string }).body, isFinal]);
    expect(told.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ["bad1", true],
      ["bad2", true],
      ["bad3", true],
    ]);
    expect(heard.filter((body) => body === "bad1")).toHaveLength(3);
    await bot.stop();
    await running;
    expect((await bot.api.listConsumers()).items[0]).toMatchObject({ lag: 0 });
  });

  it("is handed in again by its number, beside the bot, and publishes nothing twice", async () => {
    let isMended = false;
    const makeBot = () =>
      new Bot(world.token, { url: service.url }).onPost(async (ctx) => {
        await ctx.reply(`1 ${ctx.payload.body}`);
        if (!isMended) throw new Error("not yet");
        await ctx.reply(`2 ${ctx.payload.body}`);
      });
    const givenUp: number[] = [];
    bot = makeBot().catch(() => {});
    await publish("order");
    const running = bot.start({
      attempts: 1,
      onGivenUp: ({ ctx }) => void givenUp.push(ctx.update.update_id),
    });
    const number = await eventually("it is given up", () => givenUp[0]);
    await publish("behind it");
    await eventually("the next one is given up", () => givenUp.length === 2);

    isMended = true;
    const again = makeBot();
    const { items } = await again.api.pollUpdates({ offset: number - 1, limit: 1 });
    expect(items.map(({ update_id: id }) => id)).toEqual([number]);
    for (const update of items) await again.handle(update);
    expect(await bodies()).toEqual(["2 order", "1 behind it", "behind it", "1 order", "order"]);
    await bot.stop();
    await running;
  });

  it("refuses another word", async () => {
    await expect(bot.start({ afterFailure: "skip" as "pass" })).rejects.toThrow(/must be "pass" or "hold"/);
  });
});

describe("a handler that never settles", () => {
  it("is named once it has run for a minute", async () => {
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => lines.push(line);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      let begun = 0;
      bot.onPost(async () => {
        begun += 1;
        await new Promise(() => {});
      });
      const running = bot.start({ stopTimeoutMs: 1 });
      await publish("question");
      await eventually("it has begun", () => begun === 1);
      vi.advanceTimersByTime(60_000);
      expect(lines).toEqual([]);
      vi.advanceTimersByTime(120_000);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines[0]).toMatch(/^botyard: the handler of update 1 \(channel.post_created\) has run/);
      await bot.stop();
      await running;
    } finally {
      console.error = error;
      vi.useRealTimers();
    }
  });
});
