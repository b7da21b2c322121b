import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";

describe(`what ${engine.name} refuses for a lasting reason`, () => {
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

  const events = (name: string) => world.logLines.filter(({ event }) => event === name);

  // Of twelve: with others behind it, and with none.
  it.each([7, 12])("delays nothing else when it is the outcome of update %i", async (refusedId) => {
    const receiver = await world.startReceiver();
    const bots = await Promise.all([1, 2, 3].map(() => world.createBot()));
    const [culprit] = bots;
    if (!culprit) throw new Error("there is no bot");
    for (const bot of bots) await bot.putWebhook(receiver.url);
    await culprit.post(12);
    for (const bot of bots.slice(1)) await bot.post(5);
    // Only one bot has an update of this number.
    const forgive = await home.refuse(
      "INSERT",
      "deliveries",
      `NEW.first_number <= ${refusedId} AND NEW.last_number >= ${refusedId}`,
    );
    const dispatcher = world.startDispatcher();
    await culprit.delivered(11);
    for (const bot of bots.slice(1)) await bot.delivered(5);
    await eventually("the line", () => events("outcome_refused").length > 0);
    expect(events("outcome_refused")[0]).toMatchObject({ botId: culprit.botId, updateId: refusedId });

    // It is dropped: neither recorded nor sent again.
    await eventually("the lane to be given back", () => dispatcher.countLanes().held === 0);
    await forgive();
    await culprit.post(3);
    await culprit.delivered(14);
    expect(receiver.requests).toHaveLength(25);
    expect((await culprit.stats()).pending).toBe(1);
  });

  it("affects one lane when it is its release, and others are released", async () => {
    const receiver = await world.startReceiver();
    const bots = await Promise.all([1, 2, 3].map(() => world.createBot()));
    const [culprit] = bots;
    if (!culprit) throw new Error("there is no bot");
    for (const bot of bots) await bot.putWebhook(receiver.url);
    for (const bot of bots) await bot.post(2);
    await culprit.post(4);
    const forgive = await home.refuse("UPDATE", "destinations", "OLD.delivered_count = 6");
    const dispatcher = world.startDispatcher();
    for (const bot of bots.slice(1)) await bot.delivered(2);
    await culprit.delivered(6);
    await eventually("the line", () => events("lane_refused").length > 0);
    await eventually("all lanes to be let go of", () => dispatcher.countLanes().held === 0);
    expect(events("lane_refused")).toMatchObject([{ botId: culprit.botId }]);
    await forgive();
  });
});
