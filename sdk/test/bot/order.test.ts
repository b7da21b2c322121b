import { once } from "node:events";
import {
  Bot,
  type BotError,
  type Context,
  type Order,
  type StartOptions,
  type Update,
  webhookHandler,
} from "@botyard/sdk";
import { signWebhook, startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

let service: RealService;
let world: World;
let bot: Bot;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  world = await makeWorld(service);
  bot = new Bot(world.token, { url: service.url });
});
afterEach(() => bot.stop());

const publish = (body: string, author = "alice") =>
  service.owner.createChannelPost(world.channel.id, { body, author: { id: author, username: author } });

/** A text that never ends, until it is told to. */
async function* endless() {
  for (let i = 0; ; i++) {
    yield `word${i} `;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const bodies = async () =>
  (await service.owner.listChannelPosts(world.channel.id)).items.map(({ body }) => body);

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

describe("a start before the service", () => {
  it("waits for it when asked to, and says so once", async () => {
    const fake = await startFakeService();
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => lines.push(line);
    try {
      fake.answerNext({ status: 503, headers: {}, body: '{"error":"later"}' }, 2);
      const early = new Bot(fake.token, { url: fake.url, retries: 0 });
      const started: string[] = [];
      const running = early.start({ wait: true, onStart: ({ me }) => void started.push(me.username) });
      await eventually("it has started", () => started.length === 1);
      await early.stop();
      await running;
      expect(lines.filter((line) => line.includes("waiting for the service"))).toHaveLength(1);
    } finally {
      console.error = error;
      await fake.stop();
    }
  });

  it("ends by a stop", async () => {
    const early = new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0 });
    const { error } = console;
    console.error = () => {};
    const running = early.start({ wait: true });
    await early.stop();
    await running;
    console.error = error;
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

describe("an option that there is not", () => {
  it("is refused, with the one that was meant", async () => {
    const url = service.url;
    expect(() => new Bot("bot_x", { url, timeout: 1 } as never)).toThrow(
      'a bot has no option "timeout": did you mean "timeoutMs"?',
    );
    await expect(bot.start({ onGiveUp() {} } as never)).rejects.toThrow('did you mean "onGivenUp"?');
    expect(() => webhookHandler(bot, { secret: "s", onRefuse() {} } as never)).toThrow(
      'did you mean "onRefused"?',
    );
  });
});

describe("a webhook request that is refused", () => {
  it("is printed, at most once a minute", async () => {
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => lines.push(line);
    try {
      const handle = webhookHandler(bot, { secret: "one" });
      for (let i = 0; i < 3; i++) {
        const body = JSON.stringify({ update_id: 1 });
        const headers = await signWebhook({ secret: "another", body });
        const answer = await handle(new Request("http://bot", { method: "POST", body, headers }));
        expect(answer.status).toBe(401);
      }
      expect(lines).toEqual([expect.stringMatching(/^botyard: a webhook request was refused: /)]);
    } finally {
      console.error = error;
    }
  });
});
