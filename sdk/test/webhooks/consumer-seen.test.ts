import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Bot, webhookHandler as fetchHandler, type WebhookOptions } from "@botyard/sdk";
import { webhookHandler } from "@botyard/sdk/node";
import { signWebhook } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

const secret = "open-sesame";

describe("updates that a webhook has handled", () => {
  let service: RealService;
  let world: World;
  let handled: number[];
  const servers: Server[] = [];
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    world = await makeWorld(service);
    handled = [];
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  const newBot = (url = service.url) => {
    const bot = new Bot(world.token, { url, me: world.me });
    return bot.onPost((ctx) => void handled.push(ctx.update.update_id));
  };
  /** A receiver, as a process just started has it. */
  const receiver = async (bot = newBot(), options: Partial<WebhookOptions> = {}) => {
    const server = createServer(webhookHandler(bot, { secret, ...options })).listen(0, "127.0.0.1");
    servers.push(server);
    await new Promise((resolve) => server.once("listening", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const send = async (url: string, updateId: number, ageMs = 0) => {
    const { items } = await newBot().api.pollUpdates({ offset: updateId - 1, limit: 1 });
    const created_at = new Date(Date.parse(items[0]?.created_at ?? "") - ageMs).toISOString();
    const body = JSON.stringify({ ...items[0], created_at });
    const headers = await signWebhook({ secret, body });
    return (await fetch(url, { method: "POST", headers, body })).status;
  };
  const publish = async (count: number) => {
    for (let n = 1; n <= count; n++)
      await service.owner.createChannelPost(world.channel.id, { body: `${n}` });
  };
  const main = async () =>
    (await service.owner.listBotConsumers(world.bot.id)).items.find(({ name }) => name === "main");
  /** An update that is recorded when the consumer is a minute old: those before are not sure. */
  const LATER = -120_000;

  it("are known after a restart, however they were sent", async () => {
    await publish(3);
    const first = await receiver();
    for (const id of [1, 3]) expect(await send(first, id, LATER)).toBe(200);
    await eventually("both are kept", async () => (await main())?.done.includes(3));
    expect(await main()).toMatchObject({ position: 1, done: [3], lag: 1 });
    const second = await receiver();
    for (const id of [1, 2, 3]) expect(await send(second, id, LATER)).toBe(200);
    expect(handled).toEqual([1, 3, 2]);
  });

  it("are not those that are older than the consumer: they may have failed, and be replayed", async () => {
    await publish(1);
    await newBot().api.moveConsumer("main", { position: 1 });
    const url = await receiver();
    expect(await send(url, 1)).toBe(200);
    expect(handled).toEqual([1]);
  });

  it("are where a bot goes on that changes to polling", async () => {
    await publish(2);
    const url = await receiver();
    for (const id of [1, 2]) await send(url, id);
    await eventually("both are kept", async () => (await main())?.lag === 0);
    await publish(1);
    const bot = newBot();
    const running = bot.start();
    await eventually("the next one is handled", () => handled.includes(3));
    await bot.stop();
    await running;
    expect(handled).toEqual([1, 2, 3]);
  });

  it("are kept with another name, if it is given", async () => {
    await publish(1);
    const url = await receiver(newBot(), { consumer: "hook" });
    await send(url, 1);
    expect(await main()).toBeUndefined();
    const options = { secret, consumer: "hook", seen: { has: () => false, add() {} } };
    expect(() => webhookHandler(newBot(), options)).toThrow("give a consumer or seen, not both");
  });

  it("are remembered in memory when the service cannot be reached, which is said once", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    await publish(2);
    const url = await receiver(newBot("http://127.0.0.1:1"));
    for (const id of [1, 2, 1]) expect(await send(url, id)).toBe(200);
    expect(handled).toEqual([1, 2]);
    expect(said.mock.calls).toEqual([
      [expect.stringMatching(/^botyard: no answer from .* may be handled again$/)],
    ]);
  });

  it("begin anew when too many follow one that never comes", async () => {
    await Promise.all(
      Array.from({ length: 1_002 }, () => service.owner.createChannelPost(world.channel.id, { body: "x" })),
    );
    const bot = newBot();
    await bot.api.pollUpdates({ consumer: "main", limit: 1 });
    const done = Array.from({ length: 1_000 }, (_, index) => index + 2);
    await bot.api.moveConsumer("main", { position: 0, done });
    const before = await main();
    const url = await receiver();
    expect(await send(url, 1_002)).toBe(200);
    await eventually("it is another one", async () => {
      const now = await main();
      return now !== undefined && now.created_at !== before?.created_at;
    });
  });
});

describe("a webhook handler", () => {
  const bot = new Bot("bot_x", { url: "http://127.0.0.1:1" });

  it("throws at once when it is called with something else", () => {
    const handle = webhookHandler(bot, { secret }) as unknown as (...args: unknown[]) => unknown;
    for (const args of [[], [{}], [{ method: "POST", headers: {} }, {}], ["event", {}]])
      expect(() => handle(...args)).toThrow(/^a webhook handler takes a Request of the fetch standard, or/);
  });

  it("asks for its bot and its secret", () => {
    expect(() => webhookHandler({ secret } as never, { secret })).toThrow("give the bot first");
    expect(() => webhookHandler(bot, undefined as never)).toThrow("is its variable set?");
  });

  it("says so when somebody has read the body of a Request", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const request = new Request("http://edge/", { method: "POST", body: "{}" });
    await request.json();
    expect((await fetchHandler(bot, { secret })(request)).status).toBe(400);
    vi.restoreAllMocks();
  });
});
