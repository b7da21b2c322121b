import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import type { Receiver } from "../support/receiver.js";

/** A refused update is due again whenever a rest of the receiver would end. */
const RETRY_MS = 200;
const RETRIES = 200;
const POSTED = 60;

describe(`updates that a receiver always refuses on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: Receiver;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const attemptsOf = (updateId: number): number =>
    receiver.requests.filter((request) => request.updateId === updateId).length;

  /** Posts while the poisonous updates are retried all the time. */
  const start = async (poison: ReadonlySet<number>): Promise<void> => {
    receiver = await world.startReceiver((response, { updateId }) => {
      response.writeHead(poison.has(updateId) ? 422 : 200).end();
    });
    await bot.putWebhook(receiver.url);
    await bot.post(POSTED);
    world.startDispatcher({ retrySchedule: Array.from({ length: RETRIES }, () => RETRY_MS) });
    await bot.delivered(POSTED - poison.size);
    await eventually("they are refused again and again", () => [...poison].every((id) => attemptsOf(id) > 3));
    for (let posts = 1; posts <= 5; posts += 1) {
      await bot.post(POSTED);
      await bot.delivered((posts + 1) * POSTED - poison.size);
    }
  };
  const wasProbed = (): boolean => world.logLines.some(({ event }) => event === "webhook_failing");

  it("delay no others, and the receiver counts as healthy", async () => {
    await start(new Set([10, 30, 50]));
    expect(wasProbed()).toBe(false);
    expect(await bot.stats()).toMatchObject({ scheduled: 3, pending: 0 });
  });

  it("delay the others for one rest when they are the first that the receiver gets", async () => {
    await start(new Set([1, 2, 3, 4]));
    expect(wasProbed()).toBe(true);
    expect(world.logLines.filter(({ event }) => event === "webhook_recovered")).toHaveLength(1);
    expect(await bot.stats()).toMatchObject({ scheduled: 4, pending: 0 });
  });
});
