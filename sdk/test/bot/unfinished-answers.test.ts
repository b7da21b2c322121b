import { once } from "node:events";
import type { Bot, Context, Update } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { onLiveBot } from "../support/live-bot.js";
import type { RealService, World } from "../support/service.js";

let service: RealService;
let world: World;
let bot: Bot;
const { publish, bodies } = onLiveBot((live) => {
  ({ service, world, bot } = live);
});

/** A text that never ends, until it is told to. */
async function* endless() {
  for (let i = 0; ; i++) {
    yield `word${i} `;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("an answer that is still being written", () => {
  it("ends when somebody says so, with what was written", async () => {
    bot.order("none").command("stop", (ctx) => void ctx.cancelOthers());
    bot.onPost((ctx) => ctx.reply.stream(endless()));
    const running = bot.start();
    await publish("question");
    await eventually("it is shown", async () => (await bodies()).some((body) => body.includes("word5")));
    await publish("/stop");
    await eventually(
      "the position is behind it",
      async () => (await bot.api.listConsumers()).items[0]?.lag === 0,
    );
    const shown = async () => (await bodies()).find((body) => body.startsWith("word"));
    const before = await shown();
    expect(before).toMatch(/word5/);
    await publish("/stop");
    await eventually("that is handled", async () => (await bot.api.listConsumers()).items[0]?.lag === 0);
    expect(await shown()).toBe(before);
    await bot.stop();
    await running;
  });

  it("goes on when only another one is meant", async () => {
    bot.order("none").command("stop", (ctx) => {
      const isOfBob = ({ update }: Context) => (update.payload as { body: string }).body === "of bob";
      expect(ctx.cancelOthers(isOfBob)).toBe(1);
    });
    const begun: string[] = [];
    const ended: string[] = [];
    bot.onPost(async (ctx) => {
      begun.push(ctx.payload.body);
      await once(ctx.signal, "abort");
      ended.push(ctx.payload.body);
    });
    const running = bot.start({ order: "author", stopTimeoutMs: 0 });
    await publish("of alice", "alice");
    await publish("of bob", "bob");
    await eventually("both have begun", () => begun.length === 2);
    await publish("/stop", "carol");
    await eventually("it has ended", () => ended.length > 0);
    await eventually("that is handled", async () => (await bot.api.listConsumers()).items[0]?.lag === 1);
    expect(ended).toEqual(["of bob"]);
    await bot.stop();
    await running;
  });

  it.each(["by polling", "by webhook"])("ends when its question is deleted, %s", async (way) => {
    const aborted: string[] = [];
    bot.on("channel.post_deleted", () => void aborted.push("deletion"));
    bot.onPost(async (ctx) => {
      ctx.signal.addEventListener("abort", () => aborted.push((ctx.signal.reason as Error).message));
      await ctx.reply.stream(endless());
    });
    await bot.subscribe();
    const running = way === "by polling" ? bot.start() : undefined;
    const { id } = await publish("question");
    const [question] = (await bot.api.pollUpdates({ timeout: 10 })).items;
    const handling = running ? undefined : bot.process(question as never);
    await eventually("it is shown", async () => (await bodies()).some((body) => body.includes("word3")));
    await service.owner.deleteChannelPost(world.channel.id, id);
    if (!running) {
      const [deletion] = (await bot.api.pollUpdates({ offset: question?.update_id ?? 0, timeout: 10 })).items;
      expect(await bot.process(deletion as never)).toBe("done");
      expect(await handling).toBe("done");
    }
    await eventually("both are handled", () => aborted.length === 2);
    expect(aborted).toEqual(["the post that is answered was deleted", "deletion"]);
    await bot.stop();
    await running;
  });

  it("does not begin when its question was deleted while it waited", async () => {
    const heard: string[] = [];
    const read: number[] = [];
    bot.order("none").on("channel.post_deleted", () => void heard.push("deletion"));
    let letGo = () => {};
    bot.onPost(async (ctx) => {
      heard.push(ctx.payload.body);
      if (ctx.payload.body === "first") await new Promise<void>((resolve) => (letGo = resolve));
    });
    await bot.subscribe();
    const order = ({ update_id: id }: Update) => String(read.push(id) && "one after the other");
    const running = bot.start({ order });
    await publish("first");
    const { id } = await publish("second");
    await eventually("both are read", () => read.length === 2);
    await service.owner.deleteChannelPost(world.channel.id, id);
    await publish("third");
    await eventually("all are read", () => heard.includes("deletion") && read.length === 3);
    letGo();
    await eventually("all are handled", async () => (await bot.api.listConsumers()).items[0]?.lag === 0);
    expect(heard).toEqual(["first", "deletion", "third"]);
    await bot.stop();
    await running;
  });

  it("is not tried again when its question was deleted", async () => {
    let failures = 0;
    bot.catch(() => void (failures += 1));
    bot.on("channel.post_deleted", () => {});
    bot.onPost(() => Promise.reject(new Error("never")));
    await bot.subscribe();
    const running = bot.start({ attempts: Number.POSITIVE_INFINITY });
    const { id } = await publish("question");
    await eventually("it has failed", () => failures > 0);
    await service.owner.deleteChannelPost(world.channel.id, id);
    await eventually("both are handled", async () => (await bot.api.listConsumers()).items[0]?.lag === 0);
    await bot.stop();
    await running;
  });

  it("ends quietly when it was deleted itself", async () => {
    const failures: unknown[] = [];
    bot.catch((error) => void failures.push(error.cause));
    let ended = 0;
    bot.onPost(async (ctx) => {
      await ctx.reply.stream(endless());
      ended += 1;
    });
    const running = bot.start();
    await publish("question");
    const own = await eventually("it is shown", async () =>
      (await service.owner.listChannelPosts(world.channel.id)).items.find(({ body }) =>
        body.includes("word3"),
      ),
    );
    await service.owner.deleteChannelPost(world.channel.id, own.id);
    await eventually("its handler has ended", () => ended === 1);
    expect(failures).toEqual([]);
    expect(await bodies()).toEqual(["question"]);
    await bot.stop();
    await running;
  });

  it("is told when the bot has stopped and waited, and comes again", async () => {
    let reasons = "";
    bot.onPost(async (ctx) => {
      ctx.signal.addEventListener("abort", () => {
        reasons += (ctx.signal.reason as Error).message;
      });
      await ctx.reply.stream(endless());
    });
    const running = bot.start({ stopTimeoutMs: 200 });
    await publish("question");
    await eventually("it is shown", async () => (await bodies()).some((body) => body.includes("word3")));
    await bot.stop();
    await running;
    expect(reasons).toBe("the bot stops");
    expect((await bot.api.listConsumers()).items[0]).toMatchObject({
      lag: expect.toSatisfy((lag) => lag > 0),
    });
  });
});
