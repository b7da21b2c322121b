import { fileURLToPath } from "node:url";
import { Bot, type BotError, memoryStore, type Started } from "@botyard/sdk";
import { startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { type Program, run } from "../../../server/test/support/program.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

describe("bot.start() without any option", () => {
  let service: RealService;
  let world: World;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    world = await makeWorld(service);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const newBot = (heard: string[] = []) => {
    const bot = new Bot(world.token, { url: service.url });
    return bot.onPost((ctx) => void heard.push(ctx.payload.body));
  };
  const publish = (body: string) => service.owner.createChannelPost(world.channel.id, { body });
  const lag = async (name = "main") => {
    const { items } = await service.owner.listBotConsumers(world.bot.id);
    return items.find((consumer) => consumer.name === name)?.lag;
  };
  const stop = async (bot: Bot, running: Promise<void>) => {
    await bot.stop();
    await running;
  };

  it("goes on where it stopped, also as another process", async () => {
    const heard: string[] = [];
    for (const body of ["one", "two"]) await publish(body);
    for (const more of ["three", "four"]) {
      const bot = newBot(heard);
      const running = bot.start();
      await publish(more);
      await eventually("all are handled", () => heard.includes(more));
      await stop(bot, running);
      expect(await lag()).toBe(0);
    }
    expect(heard).toEqual(["one", "two", "three", "four"]);
  });

  it("moves its position seldom while there is much to do", async () => {
    let moves = 0;
    const counting: typeof fetch = (input, init) => {
      if (init?.method === "PUT") moves += 1;
      return fetch(input, init);
    };
    await Promise.all(Array.from({ length: 600 }, () => publish("x")));
    const bot = new Bot(world.token, { url: service.url, fetch: counting }).onPost(() => {});
    const startedAt = Date.now();
    const running = bot.start();
    await eventually("all are handled", async () => (await lag()) === 0);
    await stop(bot, running);
    // The first at once, then one every 250 ms, and the last at the stop.
    expect(moves).toBeLessThanOrEqual(3 + (Date.now() - startedAt) / 250);
  });

  it.each([
    ["now", ["new"]],
    ["start", ["old", "new"]],
  ] as const)("begins as from: %s says, once", async (from, wanted) => {
    await publish("old");
    const heard: string[] = [];
    const bot = newBot(heard);
    const running = bot.start({ from, consumer: "other" });
    await eventually("it has a position", async () => (await lag("other")) !== undefined);
    await publish("new");
    await eventually("the new one is handled", () => heard.includes("new"));
    await stop(bot, running);
    expect(heard).toEqual(wanted);

    await publish("newer");
    const next = newBot(heard);
    const again = next.start({ from, consumer: "other" });
    await eventually("the next one is handled", () => heard.includes("newer"));
    await stop(next, again);
    expect(heard).toEqual([...wanted, "newer"]);
  });

  it("keeps what from: now says in a store too", async () => {
    await publish("old");
    const store = memoryStore();
    const heard: string[] = [];
    const bot = newBot(heard);
    const running = bot.start({ from: "now", store });
    await eventually("the position is kept", async () => (await store.load())?.offset === 1);
    await publish("new");
    await eventually("the new one is handled", () => heard.length === 1);
    await stop(bot, running);
    expect(heard).toEqual(["new"]);
  });

  it("prints failures, gives up what the service will never take, and goes on", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    const heard: string[] = [];
    const bot = new Bot(world.token, { url: service.url });
    bot.onPost(async (ctx) => {
      heard.push(ctx.payload.body);
      await ctx.reply(`You said: ${ctx.payload.body}`);
    });
    await publish("x".repeat(4_096));
    await publish("after");
    const running = bot.start();
    await eventually("the next one is handled", async () => (await lag()) === 0 && heard.includes("after"));
    await stop(bot, running);
    expect(heard).toHaveLength(2);
    expect(said.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^botyard: update 1 .* failed: the service said 400: body .*; it is given up, and the bot goes on$/,
        ),
        expect.objectContaining({ name: "ServiceError", status: 400 }),
      ],
    ]);
  });

  it("gives up after as many attempts as it may make, and says which was the last", async () => {
    const failures: [number, boolean][] = [];
    const heard: string[] = [];
    const failing = new Bot(world.token, { url: service.url });
    failing.onPost((ctx) => {
      heard.push(ctx.payload.body);
      if (ctx.payload.body === "bad") throw new Error("never");
    });
    failing.catch(({ attempt, isFinal }: BotError) => void failures.push([attempt, isFinal]));
    for (const body of ["bad", "after"]) await publish(body);
    const running = failing.start({ attempts: 2 });
    await eventually("the next one is handled", () => heard.includes("after"));
    await stop(failing, running);
    expect(heard).toEqual(["bad", "bad", "after"]);
    expect(failures).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it("gives up nothing while the service cannot be reached, and with attempts: Infinity", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    await publish("x");
    const tries: boolean[] = [];
    let left = 2;
    const bot = new Bot(world.token, { url: service.url });
    const nowhere = new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0 });
    bot.onPost(async () => {
      if (left-- > 0) await nowhere.api.getMe();
    });
    bot.catch(({ isFinal }) => void tries.push(isFinal));
    const running = bot.start({ attempts: 1 });
    await eventually("it is handled", async () => (await lag()) === 0);
    await stop(bot, running);
    expect(tries).toEqual([false, false]);

    await publish("y");
    const refused = new Bot(world.token, { url: service.url });
    let isRefused = true;
    const finals: boolean[] = [];
    refused.onPost(async (ctx) => {
      if (isRefused) await ctx.reply(" ");
    });
    refused.catch(({ isFinal }) => {
      finals.push(isFinal);
      isRefused = false;
    });
    const again = refused.start({ attempts: Number.POSITIVE_INFINITY });
    await eventually("it is handled", async () => (await lag()) === 0);
    await stop(refused, again);
    expect(finals).toEqual([false]);
  });

  it("says on a terminal who it is and where, or what to do", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    const { isTTY } = process.stderr;
    process.stderr.isTTY = true;
    try {
      const bot = newBot();
      const running = bot.start();
      await eventually("it is said", () => said.mock.calls.length === 1);
      await stop(bot, running);
      await service.owner.detachBot(world.bot.id, world.channel.id);
      const lonely = newBot();
      const again = lonely.start();
      await eventually("it is said", () => said.mock.calls.length === 2);
      await stop(lonely, again);
    } finally {
      process.stderr.isTTY = isTTY;
    }
    const { username } = world.bot;
    expect(said.mock.calls).toEqual([
      [`botyard: ${username} is running, in 1 channel: ${world.channel.slug}`],
      [
        `botyard: ${username} is running, in no channel yet. Its owner attaches it: botyard bot attach ${username} CHANNEL, or in the console`,
      ],
    ]);
  });

  it("tells onStart instead", async () => {
    const started: Started[] = [];
    const bot = newBot();
    const running = bot.start({ onStart: (one) => void started.push(one) });
    await eventually("it is told", () => started.length === 1);
    await stop(bot, running);
    expect(started).toMatchObject([{ me: world.me, channels: [{ slug: world.channel.slug }] }]);
  });

  describe("as a program", () => {
    const program = fileURLToPath(new URL("signalled.mjs", import.meta.url));
    let bot: Program;
    const begin = async (handlingMs: string) => {
      bot = run(process.execPath, [program, service.url, world.token, handlingMs]);
      await publish("x");
      await eventually("it is being handled", () => bot.stdout().includes("handling"));
    };

    it.each(["SIGINT", "SIGTERM"] as const)(
      "ends in good order at %s: what is begun is finished",
      async (signal) => {
        await begin("300");
        expect(await bot.stop(signal)).toBe(0);
        expect({ stdout: bot.stdout(), stderr: bot.stderr() }).toEqual({
          stdout: "handling\nended\n",
          stderr: "",
        });
        expect(await lag()).toBe(1); // Its own reply.
        const { items } = await service.owner.listChannelPosts(world.channel.id);
        expect(items.map(({ body }) => body)).toEqual(["done", "x"]);
      },
    );

    it("ends at once at a second signal", async () => {
      await begin("60000");
      bot.child.kill("SIGINT");
      const ended = bot.exit.then(() => true);
      await eventually("the second one ends it", async () => {
        bot.child.kill("SIGINT");
        return await Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve(false), 20))]);
      });
      expect(await bot.exit).toBe("SIGINT");
      expect(bot.stdout()).toBe("handling\n");
    });
  });
});

describe("bot.start()", () => {
  it("says what to do when the service keeps no positions", async () => {
    const fake = await startFakeService();
    const bot = new Bot(fake.token, { url: fake.url });
    await bot.me();
    fake.answerNext({ status: 404, body: '{"error":"there is no GET at this path"}' });
    await expect(bot.start()).rejects.toThrow(/^this service keeps no positions: .* option store or seen$/);
    await fake.stop();
  });

  it("leaves signals alone when it is told to", async () => {
    const fake = await startFakeService();
    const bot = new Bot(fake.token, { url: fake.url });
    const before = process.listenerCount("SIGTERM");
    const running = bot.start({ signals: false });
    expect(process.listenerCount("SIGTERM")).toBe(before);
    await bot.stop();
    await running;
    const other = bot.start();
    expect(process.listenerCount("SIGTERM")).toBe(before + 1);
    await bot.stop();
    await other;
    expect(process.listenerCount("SIGTERM")).toBe(before);
    await fake.stop();
  });

  it("refuses what cannot be, in one sentence", () => {
    const make = (token: unknown, options: unknown) => () =>
      new Bot(token as string, options as { url: string });
    expect(make("bot_x", undefined)).toThrow(
      /^say where the service is: \{ url: "http:\/\/127\.0\.0\.1:8080" \}$/,
    );
    expect(make(undefined, { url: "http://x" })).toThrow(/^there is no token: is its variable set\?$/);
    expect(make("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln", { url: "http://x" })).toThrow(
      /^this is the token of an owner: a bot needs its own, which begins with bot_$/,
    );
    expect(make("bot_x", {})).toThrow(/^url must be the address of the service/);
  });
});
