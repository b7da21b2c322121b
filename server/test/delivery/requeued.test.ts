import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failUntil } from "../support/attached-bot.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { recordOutcomes } from "../support/store-fixtures.js";

/** More than are gathered in one round. */
const SCHEDULED = 700;

describe(`a new webhook over a long backlog on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    await bot.putWebhook("https://old.example.com/");
    await bot.post(SCHEDULED);
    const failure = failUntil(Date.now() + 3_600_000);
    const attempts = Array.from({ length: SCHEDULED }, (_, i) => ({
      updateId: i + 1,
      failureCount: 0,
      attemptedAt: Date.now(),
      failure,
    }));
    await recordOutcomes(world.store, [{ destinationId: bot.botId, nextFreshId: SCHEDULED + 1, attempts }]);
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  it("is sent everything that waited for a retry, once", async () => {
    const receiver = await world.startReceiver();
    await bot.putWebhook(receiver.url);
    world.startDispatcher();
    await bot.delivered(SCHEDULED);
    expect(receiver.requests.length).toBe(SCHEDULED);
  });

  it("is sent the rest when the previous holder had sent a part", async () => {
    const receiver = await world.startReceiver();
    await bot.putWebhook(receiver.url);
    const reads = [{ destinationId: bot.botId, afterUpdateId: 0, limit: 300 }];
    const [putBack] = await world.store.readDueUpdates(reads, Date.now());
    const attempts = (putBack?.updates ?? []).map(({ updateId }) => ({
      updateId,
      failureCount: 0,
      attemptedAt: Date.now(),
    }));
    await recordOutcomes(world.store, [{ destinationId: bot.botId, nextFreshId: 1, attempts }]);
    expect((await bot.stats()).delivered).toBeLessThan(SCHEDULED);
    world.startDispatcher();
    await bot.delivered(SCHEDULED);
    expect(receiver.requests.length).toBe(SCHEDULED - attempts.length);
  });
});
