import { afterEach, beforeEach, expect, it } from "vitest";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { onDatabase, type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { hang } from "../support/receiver.js";

let database: TestDatabase;
let world: DeliveryWorld;

beforeEach(async () => {
  database = await takePostgresDatabase();
  world = createDeliveryWorld(
    await openPostgresStore({ url: database.url, poolSize: 4, onConnectionError() {} }),
  );
});
afterEach(async () => {
  await world.close();
  await database.drop();
});

const lost = () => world.logLines.filter(({ event }) => event === "lanes_lost");

it("a lane that another instance has taken over is counted, logged and dropped", async () => {
  const receiver = await world.startReceiver(hang);
  const bot = await world.createBot();
  await bot.putWebhook(receiver.url);
  await bot.post();
  const dispatcher = world.startDispatcher();
  await eventually("the attempt is under way", () => receiver.underWay() === 1);
  expect(dispatcher.countLanes()).toEqual({ held: 1, failing: 0, queuedUpdates: 0, inFlight: 1 });
  await onDatabase(database.url, "UPDATE lanes SET holder = 'another' WHERE holder IS NOT NULL");
  await eventually("the loss is noticed", () => lost().length === 1);
  expect(lost()[0]).toMatchObject({ lanes: 1 });
  expect(dispatcher.tally.lostLanes).toBe(1);
  expect(dispatcher.countLanes().held).toBe(0);
});

it("a lane whose bot is deleted is not lost", async () => {
  const receiver = await world.startReceiver(hang);
  const bot = await world.createBot();
  await bot.putWebhook(receiver.url);
  await bot.post();
  const dispatcher = world.startDispatcher();
  await eventually("the attempt is under way", () => receiver.underWay() === 1);
  await world.store.deleteBot(bot.ref);
  await eventually("the lane is let go of", () => dispatcher.countLanes().held === 0);
  expect(lost()).toEqual([]);
});
