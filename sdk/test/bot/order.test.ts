import type { Bot, BotError, Order, StartOptions } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { onLiveBot } from "../support/live-bot.js";

let bot: Bot;
const { publish } = onLiveBot((live) => {
  ({ bot } = live);
});

/** Starts the bot, whose handlers last until they are let go. */
function startHeld(options: StartOptions) {
  const begun: string[] = [];
  const letGo = new Map<string, () => void>();
  bot.onPost(async (ctx) => {
    begun.push(ctx.payload.body);
    await new Promise<void>((resolve) => letGo.set(ctx.payload.body, resolve));
  });
  const running = bot.start(options);
  return {
    begun,
    async end() {
      const ending = setInterval(() => letGo.forEach((go) => go()), 10);
      await bot.stop();
      clearInterval(ending);
      await running;
    },
  };
}

describe("the order of updates", () => {
  it.each<[Order, string[]]>([
    ["channel", ["a1"]],
    ["author", ["a1", "b1"]],
    ["post", ["a1", "a2", "b1"]],
    ["none", ["a1", "a2", "b1"]],
    [({ payload }) => (payload as { body: string }).body[1], ["a1", "a2"]],
  ])("%s begins those that need not wait", async (order, expected) => {
    await publish("a1", "alice");
    await publish("a2", "alice");
    await publish("b1", "bob");
    const held = startHeld({ order });
    await eventually("they have begun", () => held.begun.length >= expected.length);
    expect(held.begun.toSorted()).toEqual(expected);
    await held.end();
  });

  it("of a handler lets it begin while as many run as may, and while its channel's handler does", async () => {
    const heard: string[] = [];
    const letGo: (() => void)[] = [];
    bot.order("none").command("stop", (ctx) => {
      heard.push("stop");
      expect(ctx.cancelOthers()).toBe(1);
    });
    bot.onPost(async (ctx) => {
      heard.push(ctx.payload.body);
      await new Promise<void>((resolve, reject) => {
        letGo.push(resolve);
        ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error));
      });
    });
    const failures: BotError[] = [];
    bot.catch((error) => void failures.push(error));
    await publish("question");
    await publish("next");
    const running = bot.start({ concurrency: 1 });
    await eventually("the first has begun", () => heard.length === 1);
    await publish("/stop");
    await eventually("the next has begun", () => heard.includes("next"));
    expect(heard).toEqual(["question", "stop", "next"]);
    expect(failures).toEqual([]);
    for (const go of letGo) go();
    await bot.stop();
    await running;
    const [consumer] = (await bot.api.listConsumers()).items;
    expect(consumer).toMatchObject({ lag: 0 });
  });

  it.each(["chanel", 7, null])("refuses %j", async (order) => {
    await expect(bot.start({ order: order as Order })).rejects.toThrow(
      /^order must be one of channel, author/,
    );
    expect(() => bot.order(order as Order)).toThrow(/^order must be/);
  });
});
