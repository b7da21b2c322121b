import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";

describe(`deliveries while ${engine.name} cannot be written to`, () => {
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

  const logged = (text: string): number =>
    world.logLines.filter(({ msg }) => String(msg).includes(text)).length;

  it("keep their outcomes, lose none and continue afterwards", async () => {
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(4);
    world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);

    const unlock = await home.lockWrites();
    receiver.answerAll();
    await eventually("the outage to be noticed", () => logged("the store is unavailable") > 0);
    expect((await bot.stats()).delivered).toBe(0);
    await unlock();

    await bot.delivered(4);
    expect(receiver.requests).toHaveLength(4);
    // The outcomes are stored a moment before the service hears of it.
    const again = () => logged("the store serves again") === logged("the store is unavailable");
    await eventually("the end of the outage to be noticed", again);
  });

  it("send no more than may stay unrecorded, however long it lasts", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(2000);
    world.startDispatcher();
    await eventually("deliveries to begin", () => receiver.requests.length > 0);
    const unlock = await home.lockWrites();
    const { delivered } = await bot.stats();
    await eventually("the second failure", () => logged("the store is unavailable") > 0);
    await eventually("sending to come to rest", async () => {
      const before = receiver.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return receiver.requests.length === before;
    });
    expect(receiver.requests.length - delivered).toBeLessThanOrEqual(256 + 16);
    expect(logged("the store is unavailable")).toBe(1);
    await unlock();
    await bot.delivered(2000);
    expect(receiver.requests).toHaveLength(2000);
  });

  it("do not prevent a stop of the service", async () => {
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(4);
    const dispatcher = world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);
    const unlock = await home.lockWrites();
    receiver.answerAll();
    await dispatcher.stop(1000);
    await unlock();
    // A statement that still waited for the lock may record them now; what is not recorded is sent again later.
    const { delivered, pending } = await bot.stats();
    expect(delivered + pending).toBe(4);
  });
});
