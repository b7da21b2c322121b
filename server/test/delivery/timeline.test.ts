import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { accept, refuse } from "../support/receiver.js";

describe(`the timeline of a bot's deliveries on ${engine.name}`, () => {
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

  const sumsOf = async ({ botId }: WorldBot) => {
    const kept = await world.store.readTimeline(botId, 0);
    const sum = (of: (counts: (typeof kept)[number]) => number) =>
      kept.reduce((total, counts) => total + of(counts), 0);
    return {
      delivered: sum(({ delivered }) => delivered),
      retried: sum(({ retried }) => retried),
      failed: sum(({ failed }) => failed),
      answers: sum(({ answerTimes }) => answerTimes.reduce((total, count) => total + count, 0)),
    };
  };

  it("has each attempt once, whatever its outcome", async () => {
    const receiver = await world.startReceiver((response, request) => {
      if (request.updateId % 5 === 0) refuse(500)(response, request);
      else accept(response, request);
    });
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher({ retrySchedule: [1] });
    await bot.post(100);
    await eventually("the last failure", async () => (await bot.stats()).failed === 20);
    await bot.delivered(80);
    const sums = { delivered: 80, retried: 20, failed: 20, answers: 120 };
    await eventually("the timeline", async () => (await sumsOf(bot)).answers >= sums.answers);
    expect(await sumsOf(bot)).toEqual(sums);
    expect(receiver.requests).toHaveLength(sums.answers);
    expect((await world.store.readTimeline(bot.botId, 0)).at(-1)?.backlog).toBe(0);
  });

  it("includes the last attempts when delivery stops", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    const dispatcher = world.startDispatcher();
    for (let count = 1; count <= 5; count += 1) {
      await bot.post();
      await bot.delivered(count);
    }
    await dispatcher.stop(1_000);
    expect(await sumsOf(bot)).toEqual({ delivered: 5, retried: 0, failed: 0, answers: 5 });
  });
});
