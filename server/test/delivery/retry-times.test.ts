import { expect, it } from "vitest";
import { startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld } from "../support/delivery-world.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";

const WAIT_MS = 60_000;

it(`the next attempt of each update is no earlier than the next probe, also while one hangs, on ${engine.name}`, async () => {
  const home = await engine.createHome();
  const world = createDeliveryWorld(await home.open());
  try {
    const bot = await world.createBot();
    const receiver = await startControlledReceiver(world);
    await bot.putWebhook(receiver.url);
    await bot.post(4);
    world.startDispatcher({ retrySchedule: [WAIT_MS, WAIT_MS] });
    await receiver.shows([1, 2, 3, 4]);
    const probeAt = Date.now() + WAIT_MS;
    for (const updateId of [1, 2, 3]) receiver.answer(updateId, 503);
    await eventually("the failures", async () => (await bot.stats()).scheduled === 3);
    // The lane is held for as long as the fourth attempt hangs.
    expect(receiver.waiting()).toEqual([4]);
    for (const updateId of [1, 2, 3])
      expect((await bot.update(updateId)).nextRetryAt).toBeGreaterThanOrEqual(probeAt);
    expect((await world.store.readWebhook(bot.ref))?.nextRetryAt).toBeGreaterThanOrEqual(probeAt);
  } finally {
    await world.close();
    await home.remove();
  }
});
