import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { watchOrder } from "../support/order-watch.js";
import { runSql } from "../support/stored-rows.js";

describe(`refusals with an order on ${engine.name}`, () => {
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

  it("count while later updates of the channel come, and are not recorded as held yet", async () => {
    const bot = await world.createBot();
    const receiver = await world.startReceiver();
    const settings = { order: "channel", holdAttempts: 2 } as const;
    await world.store.putWebhook(bot.ref, { url: receiver.url, sealedSecret: null, settings }, Date.now());
    const refusedId = (await bot.stats()).total + 1;
    const watch = watchOrder({ judge: (id) => (id === refusedId ? "refuse" : "accept"), setAsideAfter: 2 });
    receiver.answerWith(watch.answer);

    // The store is slow to record what is held, and quick to read.
    let endSlowness = (): void => {};
    const slowness = new Promise<void>((resolve) => {
      endSlowness = resolve;
    });
    let heldCount = 0;
    let hasReadRefused = false;
    const { recordAttempts, readDueUpdates } = world.store;
    world.store.recordAttempts = async (lanes) => {
      const isHeld = lanes.some(({ attempts }) => attempts.some(({ notSent }) => notSent === "held"));
      if (isHeld) {
        heldCount += 1;
        await slowness;
      }
      await recordAttempts(lanes);
    };
    world.store.readDueUpdates = async (...parameters) => {
      const found = await readDueUpdates(...parameters);
      hasReadRefused ||= found.some(({ updates }) =>
        updates.some(({ updateId, failureCount }) => updateId === refusedId && failureCount === 1),
      );
      return found;
    };

    world.startDispatcher({ retrySchedule: [3_600_000] });
    await bot.post();
    await eventually("the failure is recorded", async () => (await bot.stats()).scheduled === 1);
    await bot.post();
    await eventually("the second one is held", () => heldCount === 1);
    await runSql(home, "UPDATE deliveries SET due_at = 1 WHERE due_at > 1");
    await eventually("the first one is due again, and read", async () => {
      // Each post makes the lane read.
      await bot.post();
      return hasReadRefused;
    });
    endSlowness();

    await eventually("the first one is set aside, and the others are delivered", async () => {
      const { total, delivered, failed } = await bot.stats();
      return total === delivered + failed;
    });
    expect(watch.requests.filter(([id]) => id === refusedId)).toHaveLength(2);
    expect(await bot.update(refusedId)).toMatchObject({ state: "failed", attemptCount: 2 });
    expect((await bot.stats()).failed).toBe(1);
    expect(watch.faults).toEqual([]);
  });
});
