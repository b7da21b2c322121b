import { Bot } from "@botyard/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { mortal } from "../support/mortal.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

let service: RealService;
let world: World;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  world = await makeWorld(service);
});

/** A bot that answers, and fails at posts with "bad" until it is mended. */
function newBot(mended: { yes: boolean }, send: typeof fetch = fetch): Bot {
  const bot = new Bot(world.token, { url: service.url, fetch: send });
  bot.onPost(async (ctx) => {
    if (ctx.payload.body.includes("bad") && !mended.yes)
      throw new TypeError(`bad\0 indeed ${"🤖".repeat(200)}`);
    await ctx.reply(`${ctx.payload.body}!`);
  });
  bot.catch(() => {});
  return bot;
}

const start = (bot: Bot, signal?: AbortSignal) =>
  bot.start({
    attempts: 1,
    signals: false,
    stopTimeoutMs: 0,
    onPollFailure() {},
    ...(signal ? { signal } : {}),
  });

const say = (body: string) => service.owner.createChannelPost(world.channel.id, { body });
const listed = async () => (await service.owner.listGivenUp(world.bot.id)).items;
const lagOf = async () => (await service.owner.listBotConsumers(world.bot.id)).items[0]?.lag;
const bodies = async () => {
  const { items } = await service.owner.listChannelPosts(world.channel.id);
  return items.map(({ body }) => body).toSorted();
};

describe("an update that a polling bot gives up", () => {
  it("is listed, and handled by the running bot when its owner hands it in", async () => {
    const mended = { yes: false };
    const bot = newBot(mended);
    const onGivenUp = vi.fn();
    const running = bot.start({ attempts: 1, signals: false, onGivenUp });
    await say("bad");
    await say("good");
    await eventually("both are done", async () => (await lagOf()) === 0);
    expect(await bodies()).toEqual(["bad", "good", "good!"]);
    expect(await listed()).toMatchObject([
      { update_id: 1, consumer: "main", error: `TypeError: bad indeed ${"🤖".repeat(138)}` },
    ]);
    expect(onGivenUp).toHaveBeenCalledTimes(1);

    await service.owner.handInGivenUp(world.bot.id, { all: true });
    await eventually("it is given up again", async () => onGivenUp.mock.calls.length === 2, 15_000);
    expect(await listed()).toMatchObject([{ update_id: 1 }]);

    await bot.stop();
    await running;
    mended.yes = true;
    await service.owner.handInGivenUp(world.bot.id, { update_ids: [1] });
    const ended = new AbortController();
    const again = start(newBot(mended), ended.signal);
    await eventually("it is handled", async () => (await listed()).length === 0);
    expect(await bodies()).toEqual(["bad", "bad!", "good", "good!"]);
    ended.abort();
    await again;
  }, 40_000);

  it("is listed and handled once, whatever request the bot dies at", async () => {
    const mended = { yes: false };
    await say("bad");
    let request = 1;
    for (let isAlive = true; isAlive; request++) {
      isAlive = await diesAt(mended, request, async () => (await lagOf()) === 0);
    }
    expect(await listed()).toMatchObject([{ update_id: 1 }]);
    mended.yes = true;
    await service.owner.handInGivenUp(world.bot.id, { all: true });
    // Of the bot's clocks only that by which it looks for what is handed in.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      request = 1;
      for (let isAlive = true; isAlive; request++) {
        isAlive = await diesAt(mended, request, async () => {
          vi.advanceTimersByTime(5_000);
          return (await listed()).length === 0;
        });
      }
    } finally {
      vi.useRealTimers();
    }
    expect(await bodies()).toEqual(["bad", "bad!"]);
  }, 40_000);
});

/**
 * Runs a bot until it dies, before its request of this number arrives, or until it is done.
 *
 * @returns whether it died
 */
async function diesAt(
  mended: { yes: boolean },
  request: number,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const { send, dead } = mortal({ request, when: "before" });
  const ended = new AbortController();
  let hasDied = false;
  void dead.then(() => {
    hasDied = true;
  });
  start(newBot(mended, send), ended.signal).catch(() => {});
  await eventually("it is dead or done", async () => hasDied || (await isDone()));
  ended.abort();
  return hasDied;
}
