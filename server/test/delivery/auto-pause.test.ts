import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { readAll, switchFeedOn } from "../support/feed-world.js";
import { type Receiver, refuse } from "../support/receiver.js";

const SCHEDULE = Array.from({ length: 50 }, () => 50);

describe(`webhooks that are paused because of their receivers, on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: Receiver;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    receiver = await world.startReceiver();
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const set = async (autoPauseMs?: number, url = receiver.url) =>
    await world.store.putWebhook(
      bot.ref,
      { url, sealedSecret: null, settings: { autoPauseMs: autoPauseMs ?? null } },
      Date.now(),
    );
  const webhook = async () => await world.store.readWebhook(bot.ref);
  const paused = (reason: string) =>
    eventually(`it is paused: ${reason}`, async () => (await webhook())?.pauseReason === reason);

  it("pauses at once when the receiver answers 410, keeps the updates, and goes on when it is resumed", async () => {
    receiver.answerWith(refuse(410));
    await set();
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await bot.post(30);
    await paused("gone");
    const sent = receiver.requests.length;
    await bot.post(10);
    await sleep(200);
    expect(receiver.requests.length).toBe(sent);
    expect(await webhook()).toMatchObject({ pausedAt: expect.any(Number), pendingUpdates: 40 });
    receiver.answerWith((response) => response.end());
    const resumed = await world.store.setWebhookPaused(bot.ref, false, Date.now());
    expect(resumed).not.toHaveProperty("pauseReason");
    await bot.delivered(40);
  });

  it("goes on at another URL, and not when the same is set again", async () => {
    receiver.answerWith(refuse(410));
    await set();
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await bot.post(3);
    await paused("gone");
    await set(60_000);
    expect(await webhook()).toMatchObject({ pauseReason: "gone" });
    const another = await world.startReceiver();
    await set(undefined, another.url);
    await bot.delivered(3);
    expect(await webhook()).not.toHaveProperty("pausedAt");
  });

  it("leaves a webhook that its owner has paused so at another URL, and says who has paused it", async () => {
    await set();
    await world.store.setWebhookPaused(bot.ref, true, Date.now());
    expect(await webhook()).toMatchObject({ pauseReason: "owner" });
    await set(undefined, `${receiver.url}/other`);
    expect(await webhook()).toMatchObject({ pauseReason: "owner" });
    await world.store.setWebhookPaused(bot.ref, false, Date.now());
    await world.store.setWebhookPaused({ ...bot.ref, isPlatform: true }, true, Date.now());
    expect(await webhook()).toMatchObject({ pauseReason: "platform" });
  });

  it("pauses after failing for as long as is set, and not before", async () => {
    receiver.answerWith(refuse(500));
    await set(1_500);
    world.startDispatcher({ retrySchedule: SCHEDULE });
    const began = Date.now();
    await bot.post(3);
    await paused("failing");
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_500);
    expect(receiver.requests.length).toBeGreaterThan(3);
  });

  it("does not pause one that accepts something now and then, nor one without a limit", async () => {
    let count = 0;
    receiver.answerWith((response) => {
      count += 1;
      response.writeHead(count % 4 === 0 ? 200 : 500).end();
    });
    await set(1_000);
    world.startDispatcher({ retrySchedule: SCHEDULE });
    const until = Date.now() + 2_500;
    while (Date.now() < until) {
      await bot.post(1);
      await sleep(50);
    }
    expect(await webhook()).not.toHaveProperty("pausedAt");
    receiver.answerWith(refuse(500));
    await set(Number.MAX_SAFE_INTEGER);
    await bot.post(3);
    await sleep(1_500);
    expect(await webhook()).not.toHaveProperty("pausedAt");
  });

  it("does not pause what was set while the receiver answered 410", async () => {
    const waiting: (() => void)[] = [];
    receiver.answerWith((response) => waiting.push(() => response.writeHead(410).end()));
    await set();
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await bot.post(2);
    await eventually("requests", () => waiting.length === 2);
    const another = await world.startReceiver();
    await set(undefined, another.url);
    for (const answer of waiting) answer();
    await bot.delivered(2);
    await sleep(300);
    expect(await webhook()).not.toHaveProperty("pausedAt");
  });

  it("tells the feed once, of itself", async () => {
    await switchFeedOn(world.store);
    receiver.answerWith(refuse(410));
    await set();
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await bot.post(20);
    await paused("gone");
    await sleep(200);
    const events = await readAll(world.store);
    const told = events.filter(({ eventType }) => eventType === "webhook.paused");
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ payload: { bot_id: bot.ref.botId, reason: "gone" } });
    expect(told[0]?.by).toBeUndefined();
  });
});
