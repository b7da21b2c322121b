import { Bot, BotClient, type StartOptions } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { makeWorld, type RealService, startService } from "../support/service.js";

const TOLD_EVERY_MS = 15_000;

interface Copy {
  heard: string[];
  stop(): Promise<void>;
}

const copies: Copy[] = [];

/** Starts a copy of a bot, which says what it hears. */
function start({ url, token }: { url: string; token: string }, options: StartOptions = {}): Copy {
  const bot = new Bot(token, { url });
  const heard: string[] = [];
  bot.onPost((ctx) => void heard.push(ctx.payload.body));
  const running = bot.start({ signals: false, ...options });
  const copy = {
    heard,
    async stop() {
      await bot.stop();
      await running;
    },
  };
  copies.push(copy);
  return copy;
}

afterEach(() => {
  vi.restoreAllMocks();
});

async function stopCopies(): Promise<void> {
  vi.useRealTimers();
  for (const copy of copies.splice(0)) await copy.stop();
}

describe("a copy that stands by", () => {
  let real: RealService;
  beforeAll(async () => {
    real = await startService();
  });
  afterAll(() => real.stop());
  afterEach(stopCopies);

  it("hears nothing until the first has stopped, and then everything that is left", async () => {
    const printed = vi.spyOn(console, "error").mockReturnValue();
    const { token, channel } = await makeWorld(real);
    const at = { url: real.url, token };
    const publish = (body: string) => real.owner.createChannelPost(channel.id, { body });
    await publish("one");
    const first = start(at, { standby: true });
    await eventually("the first hears", () => first.heard.includes("one"));
    const second = start(at, { standby: true });
    await eventually("the second stands by", () => printed.mock.calls.flat().join().includes("standing by"));
    await publish("two");
    await eventually("the first hears the next", () => first.heard.includes("two"));
    await first.stop();
    await publish("three");
    await eventually("the second takes over", () => second.heard.length > 0);
    expect([first.heard, second.heard]).toEqual([["one", "two"], ["three"]]);
    expect(printed.mock.calls).toEqual([["botyard: another copy of this bot is running: standing by"]]);
  });

  it("stops at once", async () => {
    const printed = vi.spyOn(console, "error").mockReturnValue();
    const { token } = await makeWorld(real);
    const at = { url: real.url, token };
    const first = start(at, { standby: true });
    await eventually("the first reads", async () => {
      const { items } = await new BotClient(token, { url: real.url }).listConsumers();
      return items.length > 0;
    });
    const second = start(at, { standby: true });
    await eventually("the second stands by", () => printed.mock.calls.length > 0);
    await second.stop();
    await first.stop();
  });
});

describe("a second copy", () => {
  let fake: FakeService;
  beforeEach(async () => {
    fake = await startFakeService();
  });
  afterEach(async () => {
    await stopCopies();
    await fake.stop();
  });

  /** Polls of a process as the service sees them, beside those for updates. */
  const untilTold = async (tolds: number) => {
    for (let told = 0; told < tolds; told++) {
      const answered = answers;
      vi.advanceTimersByTime(TOLD_EVERY_MS);
      fake.advance(TOLD_EVERY_MS);
      await eventually("all copies have told the service", () => answers >= answered + copies.length);
    }
  };
  let answers = 0;
  const counted: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (String(input instanceof Request ? input.url : input).includes("reader=")) answers += 1;
    return answer;
  };

  const startCounted = (options: StartOptions) => {
    const bot = new Bot(fake.token, { url: fake.url, fetch: counted });
    bot.onPost(() => {});
    let running: Promise<void> | undefined;
    const started = new Promise<void>((resolve) => {
      running = bot.start({ signals: false, onStart: () => resolve(), ...options });
    });
    const stop = async () => {
      await bot.stop();
      await running;
    };
    copies.push({ heard: [], stop });
    return started;
  };
  const client = () => new BotClient(fake.token, { url: fake.url });

  it("is told once another one goes on reading, and the first is not", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const told: string[] = [];
    await startCounted({ onSecondReader: () => told.push("first") });
    await untilTold(1);
    await startCounted({ onSecondReader: () => told.push("second") });
    await untilTold(3);
    expect(told).toEqual([]);
    await untilTold(2);
    await eventually("the second is told", () => told.length > 0);
    await untilTold(4);
    expect(told).toEqual(["second"]);
  });

  it("is told by a line", async () => {
    const printed = vi.spyOn(console, "error").mockReturnValue();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await startCounted({});
    await untilTold(1);
    await startCounted({});
    await untilTold(5);
    await eventually("it is printed", () => printed.mock.calls.length > 0);
    expect(printed.mock.calls).toEqual([["botyard: another copy of this bot is running"]]);
  });

  it("is not told of one that was killed", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const api = client();
    await api.pollUpdates({ consumer: "main", reader: "killed" });
    const told: string[] = [];
    await startCounted({ onSecondReader: () => told.push("second") });
    await untilTold(6);
    expect(told).toEqual([]);
    expect(await api.pollUpdates({ consumer: "main", reader: "killed" })).toHaveProperty("otherReader");
  });
});
