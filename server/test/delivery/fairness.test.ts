import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Dispatcher } from "#botyard/delivery/dispatcher.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { hang, type Receiver, refuse } from "../support/receiver.js";

describe(`one bot beside others on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const aBotAt = (url: string, owner?: string) => botAt(world, url, owner);

  it("gets everything while the receivers of others hang", async () => {
    const slow = await world.startReceiver(hang);
    const fast = await world.startReceiver();
    const slowBots = await Promise.all([1, 2, 3, 4, 5, 6].map(() => aBotAt(slow.url)));
    const fastBot = await aBotAt(fast.url);
    await Promise.all(slowBots.map((bot) => bot.post(50)));
    world.startDispatcher({ concurrency: 16 });
    // The limit for lanes with an attempt in flight: three quarters.
    await eventually("the slow bots to take their share", () => slow.underWay() === 12);
    await fastBot.post(200);
    await fastBot.delivered(200);
    expect(slow.requests).toHaveLength(12);
  });

  it("gets everything while busy, slow bots want more slots than there are", async () => {
    const slow = await world.startReceiver((response) => setTimeout(() => response.end(), 50));
    const fast = await world.startReceiver();
    const slowBots = await Promise.all(Array.from({ length: 8 }, () => aBotAt(slow.url)));
    await Promise.all(slowBots.map((bot) => bot.post(400)));
    world.startDispatcher({ concurrency: 16 });
    await eventually("the slow bots to fill their share", () => slow.underWay() >= 12);
    const fastBot = await aBotAt(fast.url);
    await fastBot.post(50);
    await fastBot.delivered(50);
    const undelivered = await Promise.all(slowBots.map(async (bot) => (await bot.stats()).pending));
    expect(Math.min(...undelivered)).toBeGreaterThan(0);
  });

  it("gets everything while far more receivers are dead than there are slots", async () => {
    const dead = await world.startReceiver(refuse(500));
    const fast = await world.startReceiver();
    const deadBots = await Promise.all(Array.from({ length: 40 }, (_, i) => aBotAt(dead.url, `owner ${i}`)));
    const fastBot = await aBotAt(fast.url);
    await Promise.all(deadBots.map((bot) => bot.post(5)));
    world.startDispatcher({ concurrency: 16, retrySchedule: Array.from({ length: 50 }, () => 50) });
    await eventually("all receivers to have failed", async () => {
      const stats = await Promise.all(deadBots.map((bot) => bot.stats()));
      return stats.every(({ scheduled }) => scheduled > 0);
    });
    dead.answerWith(hang);
    await eventually("the dead ones to take their half", () => dead.underWay() === 8);
    await fastBot.post(200);
    await fastBot.delivered(200);
    expect(dead.underWay()).toBe(8);
  });

  it("gets everything beside another owner with more slow receivers than there are slots", async () => {
    // A receiver that accepts slowly looks like a hanging one, but never counts as failing.
    const slow = await world.startReceiver(hang);
    const fast = await world.startReceiver();
    const slowBots = await Promise.all(Array.from({ length: 40 }, () => aBotAt(slow.url, "mallory")));
    await Promise.all(slowBots.map((bot) => bot.post(20)));
    world.startDispatcher({ concurrency: 16 });
    await eventually("the slow bots to take their share", () => slow.underWay() === 14);
    const fastBot = await aBotAt(fast.url, "alice");
    await fastBot.post(200);
    await fastBot.delivered(200);
    expect(slow.requests).toHaveLength(14);
  });
});

/** One after the other with the same bots, since to make these takes most of the time. */
describe(`one bot beside more bots than held lanes on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let slow: Receiver;
  let fast: Receiver;
  let bots: WorldBot[];
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    [slow, fast] = [await world.startReceiver(), await world.startReceiver()];
    bots = await manyBotsAt(600, slow.url);
  }, 180_000);
  afterAll(async () => {
    await world.close();
    await home.remove();
  });

  /** In groups: on a busy machine 600 at once wait for a connection longer than the store lets them. */
  const manyBotsAt = async (count: number, url: string): Promise<WorldBot[]> => {
    const made: WorldBot[] = [];
    while (made.length < count) {
      const group = Array.from({ length: Math.min(40, count - made.length) }, () => botAt(world, url));
      made.push(...(await Promise.all(group)));
    }
    return made;
  };

  it("gets updates", async () => {
    await Promise.all(bots.map((bot) => bot.post(2)));
    dispatcher = world.startDispatcher();
    for (const bot of bots) await bot.delivered(2);
  });

  /**
   * Lanes that wait replace others of their owner every two seconds, in the order in which they became due, so the late one waits
   * for a time: 5 s here, and on a busy machine longer than the patience of a test. What counts is that it does not wait until
   * the others have nothing left to send.
   */
  it("gets updates while they are always busy", { timeout: 180_000 }, async () => {
    // 64 at once, 0.6 s each: it takes 110 s until the others have nothing left, and little processor time meanwhile.
    slow.answerWith((response) => setTimeout(() => response.end(), 600));
    slow.requests.length = 0;
    await Promise.all(bots.map((bot) => bot.post(20)));
    await eventually("the busy bots to be under way", () => slow.requests.length > 100);
    const lateBot = await botAt(world, fast.url);
    await lateBot.post(3);
    const isServed = async () => (await lateBot.stats()).delivered === 3;
    while (!(await isServed())) {
      const sent = slow.requests.length;
      const goesOn = async () => slow.requests.length >= sent + 200 || (await isServed());
      await eventually("the late bot gets its updates, or the others more of theirs", goesOn);
    }
    const stats = await Promise.all(bots.map((bot) => bot.stats()));
    expect(stats.filter(({ pending }) => pending > 0).length).toBeGreaterThan(512);
  });

  it("is claimed when it is of another owner, too", async () => {
    await dispatcher.stop(0);
    slow.answerWith(hang);
    slow.requests.length = 0;
    dispatcher = world.startDispatcher({ concurrency: 16 });
    await eventually("the slow bots to take their share", () => dispatcher.countLanes().held >= 384);
    for (let count = 1; count <= 20; count += 1) {
      const fastBot = await botAt(world, fast.url, `newcomer ${count}`);
      await fastBot.post(2);
      await fastBot.delivered(2);
    }
    expect(slow.requests).toHaveLength(14);
    expect(dispatcher.countLanes().held).toBeLessThan(512);
  });
});

async function botAt(world: DeliveryWorld, url: string, owner?: string): Promise<WorldBot> {
  const bot = await world.createBot(owner);
  await bot.putWebhook(url);
  return bot;
}
