import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Bot } from "@botyard/sdk";
import { webhookHandler } from "@botyard/sdk/node";
import { signWebhook } from "@botyard/sdk/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { type Death, mortal } from "../support/mortal.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

const QUESTIONS = ["a", "b"];
const SECRET = "open-sesame";
let service: RealService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

function newBot(world: World, send: typeof fetch): Bot {
  const bot = new Bot(world.token, { url: service.url, fetch: send });
  bot.onPost(async (ctx) => {
    await ctx.reply(`${ctx.payload.body}!`);
    await ctx.reply(`${ctx.payload.body}?`);
  });
  return bot;
}

const start = (bot: Bot, signal?: AbortSignal) =>
  bot.start({ stopTimeoutMs: 0, signals: false, onPollFailure() {}, ...(signal ? { signal } : {}) });

async function bodiesIn({ channel }: World): Promise<string[]> {
  const { items } = await service.owner.listChannelPosts(channel.id);
  return items.map(({ body }) => body).toSorted();
}

async function ask(world: World): Promise<string[]> {
  for (const body of QUESTIONS) await service.owner.createChannelPost(world.channel.id, { body });
  return QUESTIONS.flatMap((body) => [body, `${body}!`, `${body}?`]).toSorted();
}

async function lagOf({ bot }: World): Promise<number | undefined> {
  const { items } = await service.owner.listBotConsumers(bot.id);
  return items.find(({ name }) => name === "main")?.lag;
}

/** Polls with a new process until everything is answered and its position is kept. */
async function pollToTheEnd(world: World): Promise<void> {
  const bot = newBot(world, fetch);
  const running = start(bot);
  await eventually("all is handled", async () => (await lagOf(world)) === 0);
  await bot.stop();
  await running;
}

/**
 * Polls until the process dies, or until everything is answered.
 *
 * @returns whether it died
 */
async function pollUntil(world: World, death: Death): Promise<boolean> {
  const { send, dead } = mortal(death);
  const ended = new AbortController();
  let hasDied = false;
  void dead.then(() => {
    hasDied = true;
  });
  // A process that waits for ever never ends; it is dead.
  start(newBot(world, send), ended.signal).catch(() => {});
  await eventually("it is dead or done", async () => hasDied || (await lagOf(world)) === 0);
  ended.abort();
  return hasDied;
}

describe("every update is answered exactly once", () => {
  it("whatever request of its polling a bot dies at", async () => {
    let request = 1;
    for (let isAlive = false; !isAlive; request++) {
      const survived = await Promise.all([
        dieOnce({ request, when: "before" }),
        dieOnce({ request, when: "after" }),
      ]);
      isAlive = survived.includes(true);
    }
    // Who it is, its consumers, a new one, its consumers, updates, 4 replies, its position.
    expect(request).toBeGreaterThan(9);
  }, 180_000);

  it("through deaths, repeated deliveries, and moves between polling and a webhook", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    const death = fc.record({
      request: fc.integer({ min: 1, max: 14 }),
      when: fc.constantFrom("before" as const, "after" as const),
    });
    const step = fc.oneof(
      fc.record({ by: fc.constant("polling" as const), death }),
      fc.record({ by: fc.constant("webhook" as const), death, again: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const world = await makeWorld(service);
        const wanted = await ask(world);
        for (const one of steps) {
          if (one.by === "polling") await pollUntil(world, one.death);
          else await receiveUntil(world, one.death, one.again);
        }
        await pollToTheEnd(world);
        expect(await bodiesIn(world)).toEqual(wanted);
      }),
      { numRuns: 12 },
    );
    said.mockRestore();
  }, 180_000);

  /** @returns whether the bot had less to ask than that */
  async function dieOnce(death: Death): Promise<boolean> {
    const world = await makeWorld(service);
    const wanted = await ask(world);
    const hasDied = await pollUntil(world, death);
    await pollToTheEnd(world);
    expect(await bodiesIn(world), `${death.when} request ${death.request}`).toEqual(wanted);
    return !hasDied;
  }

  /** Delivers every update of the log as the service does, to a receiver that dies. */
  async function receiveUntil(world: World, death: Death, again: boolean): Promise<void> {
    const { send, dead } = mortal(death);
    const server = createServer(webhookHandler(newBot(world, send), { secret: SECRET })).listen(
      0,
      "127.0.0.1",
    );
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { items } = await new Bot(world.token, { url: service.url }).api.pollUpdates();
    const delivering = (async () => {
      for (const update of again ? [...items, ...items] : items) {
        const body = JSON.stringify(update);
        const headers = await signWebhook({ secret: SECRET, body });
        await (await fetch(url, { method: "POST", headers, body })).arrayBuffer();
      }
    })();
    await Promise.race([delivering.catch(() => {}), dead]);
    server.close();
    server.closeAllConnections();
    await delivering.catch(() => {});
  }
});
