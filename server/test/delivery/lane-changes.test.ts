import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_IN_FLIGHT_PER_BOT } from "#botyard/domain/limits.js";
import { putOwner } from "#botyard/operations/owners/put-owner.js";
import { pauseWebhook, resumeWebhook } from "#botyard/operations/webhooks/pause-webhook.js";
import { type ControlledReceiver, startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { accept, type Receiver } from "../support/receiver.js";

const TOKEN_HEADER = "x-service-bot-api-secret-token";

describe(`a lane that changes while it sends on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: ControlledReceiver;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    receiver = await startControlledReceiver(world);
    await bot.putWebhook(receiver.url, "old-secret");
    await bot.post(40);
    world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  /** Lets the attempts in flight succeed, and waits until they are recorded. */
  const finishFirstFour = async (): Promise<void> => {
    receiver.answerWith(accept);
    receiver.answerAll();
    await bot.delivered(4);
  };
  const updatesAt = ({ requests }: Receiver): number[] =>
    requests.map(({ updateId }) => updateId).sort((a, b) => a - b);
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

  it("starts nothing at the old URL once a new one is set, which gets everything at once", async () => {
    const other = await world.startReceiver();
    await bot.putWebhook(other.url);
    await bot.delivered(40);
    expect(updatesAt(receiver)).toEqual([1, 2, 3, 4]);
    expect(updatesAt(other)).toEqual(upTo(40));
    await eventually("the attempts at the old one to be cut off", () => receiver.underWay() === 0);
  });

  it("signs with the new secret from then on", async () => {
    await bot.putWebhook(receiver.url, "new-secret");
    receiver.answerWith(accept);
    receiver.answerAll();
    await bot.delivered(40);
    const secrets = receiver.requests.map(({ headers }) => headers[TOKEN_HEADER]);
    expect(secrets.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => "old-secret"));
    expect(new Set(secrets.slice(4))).toEqual(new Set(["new-secret"]));
  });

  it("stops when the webhook is deleted, and its updates stay pending", async () => {
    await world.store.deleteWebhook(bot.ref, Date.now());
    await eventually("the attempts to be cut off", () => receiver.underWay() === 0);
    expect(await bot.stats()).toMatchObject({ delivered: 0, pending: 40 });
    // The next request shows that there was no other one before it.
    const other = await world.startReceiver();
    await bot.putWebhook(other.url);
    await bot.delivered(40);
    expect(updatesAt(receiver)).toEqual([1, 2, 3, 4]);
    expect(updatesAt(other)).toEqual(upTo(40));
  });

  it.each([
    [
      "the bot is disabled",
      (isStopped: boolean) => world.store.setBotDisabled(bot.ref, isStopped, Date.now()),
    ],
    [
      "the webhook is paused",
      (isStopped: boolean) =>
        isStopped ? pauseWebhook(world.store, bot.ref) : resumeWebhook(world.store, bot.ref),
    ],
  ])("pauses while %s", async (_, stop) => {
    await stop(true);
    await finishFirstFour();
    await bot.post(5);
    const other = await world.createBot();
    await other.putWebhook((await world.startReceiver()).url);
    await other.post(5);
    await other.delivered(5);
    expect(updatesAt(receiver)).toEqual([1, 2, 3, 4]);

    await stop(false);
    await bot.delivered(45);
    expect(updatesAt(receiver)).toEqual(upTo(45));
  });

  it("sends each of ten thousand updates once when the owner is suspended in the middle", async () => {
    const others = await world.createBot("bob");
    const counting = await world.startReceiver();
    await others.putWebhook(counting.url);
    for (let n = 0; n < 20; n += 1) await others.post(500);
    await eventually("some are sent", () => counting.requests.length > 1_000);
    await putOwner(world.store, "bob", { suspended: true, reason: "spam" });
    // Attempts that had begun may still arrive: as many as one webhook may have in flight.
    const most = counting.requests.length + MAX_IN_FLIGHT_PER_BOT;
    await others.post(1);
    await putOwner(world.store, "bob", { suspended: true, reason: "still" });
    await eventually("those that had begun are recorded", async () => {
      const { delivered } = await others.stats();
      return counting.underWay() === 0 && delivered === counting.requests.length;
    });
    expect(counting.requests.length).toBeLessThanOrEqual(most);
    expect(most).toBeLessThan(10_000);

    await putOwner(world.store, "bob", { suspended: false });
    await eventually("all are delivered", async () => (await others.stats()).delivered === 10_001, 60_000);
    expect(updatesAt(counting)).toEqual(upTo(10_001));
  });

  it("forgets a bot that is deleted", async () => {
    await world.store.deleteBot(bot.ref);
    receiver.answerWith(accept);
    receiver.answerAll();
    const other = await world.createBot();
    await other.putWebhook((await world.startReceiver()).url);
    await other.post(100);
    await other.delivered(100);
    expect(updatesAt(receiver)).toEqual([1, 2, 3, 4]);
  });

  it("tries failed updates at once when the owner replays them", async () => {
    for (const updateId of [1, 2, 3, 4]) receiver.answer(updateId, 500);
    await eventually("the failures to be recorded", async () => (await bot.stats()).scheduled === 4);
    receiver.answerWith(accept);
    expect(await world.store.replayFailed(bot.ref, 100, Date.now())).toBe(4);
    await bot.delivered(40);
    expect(await bot.update(1)).toMatchObject({ attemptCount: 2 });
  });

  it("keeps a replay when an attempt in flight fails after it", async () => {
    receiver.answer(1, 500);
    await eventually("the failure to be recorded", async () => (await bot.stats()).scheduled === 1);
    await world.store.replayFailed(bot.ref, 100, Date.now());
    await eventually("update 1 to come again", () => receiver.waiting().includes(1));
    await world.store.replayFailed(bot.ref, 100, Date.now());
    receiver.answerWith(accept);
    receiver.answer(1, 500);
    receiver.answerAll();
    await bot.delivered(39);
    await world.store.replayFailed(bot.ref, 100, Date.now());
    await bot.delivered(40);
  });
});
