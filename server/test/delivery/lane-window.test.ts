import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlledReceiver, startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { accept, refuse } from "../support/receiver.js";

const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe(`the window of a lane on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: ControlledReceiver;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    receiver = await startControlledReceiver(world);
    await bot.putWebhook(receiver.url);
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const attempted = async (): Promise<number[]> =>
    (await world.store.listRecentUpdates(bot.botId, 100))
      .filter(({ attemptCount }) => attemptCount > 0)
      .map(({ updateId }) => updateId)
      .toReversed();

  it("starts with four, grows by one with each success and holds sixteen, in the order of the updates", async () => {
    await bot.post(80);
    world.startDispatcher();
    await receiver.shows(from(1, 4));
    receiver.answer(3);
    await receiver.shows([1, 2, 4, 5, 6]);
    receiver.answer(1);
    await receiver.shows([2, 4, 5, 6, 7, 8]);
    for (let next = 9; receiver.waiting().length < 16; next += 2) {
      receiver.answer(Math.min(...receiver.waiting()));
      const expected = receiver.waiting();
      await receiver.shows([...expected, next, next + 1]);
    }
    for (let answered = 0; answered < 5; answered += 1) {
      const [oldest = 0, ...others] = receiver.waiting();
      receiver.answer(oldest);
      await receiver.shows([...others, Math.max(...others) + 1]);
    }
    receiver.answerWith(accept);
    receiver.answerAll();
    await bot.delivered(80);
    expect(receiver.mostUnderWay()).toBe(16);
  });

  it("falls to one with a failure and grows again with success", async () => {
    await bot.post(30);
    world.startDispatcher();
    await receiver.shows(from(1, 4));
    receiver.answer(1, 500);
    await eventually("the failure to be recorded", async () => (await attempted()).length === 1);
    receiver.answer(2);
    await bot.delivered(1);
    // The window is two now, and two attempts are in flight.
    receiver.answer(3);
    await receiver.shows([4, 5, 6]);
    receiver.answer(4);
    await receiver.shows([5, 6, 7, 8]);
    expect(receiver.mostUnderWay()).toBe(4);
    receiver.answerWith(accept);
    receiver.answerAll();
    await bot.delivered(29);
  });

  it("probes a receiver that keeps failing with one update at a time, without attempts of the others", async () => {
    await bot.post(60);
    world.startDispatcher({ retrySchedule: [30, 30, 30, 30, 60_000, 60_000] });
    await receiver.shows(from(1, 4));
    for (const updateId of from(1, 4)) receiver.answer(updateId, 500);
    for (let probe = 0; probe < 4; probe += 1) {
      await eventually("a probe", () => receiver.waiting().length > 0);
      expect(receiver.waiting()).toHaveLength(1);
      receiver.answerAll(500);
    }
    expect(receiver.mostUnderWay()).toBe(4);
    await eventually("the last probe to be recorded", async () => {
      const updates = await world.store.listRecentUpdates(bot.botId, 100);
      return updates.reduce((sum, { attemptCount }) => sum + attemptCount, 0) === 8;
    });
    expect((await bot.stats()).pending).toBeGreaterThanOrEqual(52);
    expect(Math.max(...(await attempted()))).toBeLessThanOrEqual(8);
  });

  it("opens when a probe is accepted, and everything is delivered", async () => {
    receiver.answerWith(refuse(502));
    await bot.post(60);
    world.startDispatcher({ retrySchedule: [20, 20, 20, 20, 20, 20] });
    await eventually("the lane to probe", () =>
      world.logLines.some(({ msg }) => msg === "webhook keeps failing; probing it"),
    );
    receiver.answerWith(accept);
    await bot.delivered(60);
    expect(world.logLines.some(({ msg }) => msg === "webhook answers again")).toBe(true);
    expect(receiver.mostUnderWay()).toBeLessThanOrEqual(16);
  });

  it("is kept in the store: a new dispatcher continues to probe", async () => {
    const quick = from(1, 20).map(() => 10);
    receiver.answerWith(refuse(502));
    await bot.post(60);
    const first = world.startDispatcher({ retrySchedule: quick });
    await eventually("some probes", () => receiver.requests.length >= 8);
    await first.stop(10_000);

    // Slow enough to see several attempts in flight, if there were several.
    receiver.answerWith((response) => setTimeout(() => response.writeHead(502).end(), 20));
    const before = receiver.requests.length;
    world.startDispatcher({ retrySchedule: quick });
    await eventually("more probes", () => receiver.requests.length > before + 5);
    expect(receiver.mostUnderWay()).toBe(1);
  });

  it("rests as long as the schedule says, until the owner sets the webhook again", async () => {
    receiver.answerWith(refuse(502));
    await bot.post(10);
    world.startDispatcher({ retrySchedule: [3_600_000] });
    await eventually("the burst to be recorded", async () => (await bot.stats()).scheduled === 4);
    const other = await world.startReceiver();
    await bot.putWebhook(other.url);
    await bot.delivered(10);
    expect(receiver.requests).toHaveLength(4);
  });
});
