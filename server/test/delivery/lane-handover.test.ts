import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Store, StoreUnavailable } from "#botyard/store/store.js";
import { startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";

describe(`claiming and releasing lanes on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let world: DeliveryWorld | undefined;
  /** The bots whose lanes were claimed, in that order. */
  let claimed: string[];
  beforeEach(async () => {
    home = await engine.createHome();
    const opened = await home.open();
    claimed = [];
    store = {
      ...opened,
      async claimLanes(claim) {
        const answer = await opened.claimLanes(claim);
        claimed.push(...answer.lanes.map(({ botId }) => botId));
        return answer;
      },
    };
  });
  afterEach(async () => {
    await world?.close();
    await home.remove();
  });

  it("keeps a lane that was claimed again before its release was confirmed", async () => {
    let answerRelease = (): void => {};
    let releases = 0;
    const slow: Store = {
      ...store,
      async releaseLanes(...parameters) {
        await store.releaseLanes(...parameters);
        releases += 1;
        // The store has released the lane; its answer is late, once.
        if (releases === 1)
          await new Promise<void>((resolve) => {
            answerRelease = resolve;
          });
      },
    };
    world = createDeliveryWorld(slow);
    const receiver = await startControlledReceiver(world);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(1);
    const dispatcher = world.startDispatcher();
    await receiver.shows([1]);
    receiver.answer(1);
    await eventually("the release to be on its way", () => releases === 1);

    await bot.post(1);
    await receiver.shows([2]);
    answerRelease();
    await bot.post(1);
    await receiver.shows([2, 3]);
    expect(dispatcher.countLanes()).toMatchObject({ held: 1, inFlight: 2 });
    // Once before the release and once after it: no lease had to run out for the third update.
    expect(claimed).toEqual([bot.botId, bot.botId]);
    expect(dispatcher.tally.lostLanes).toBe(0);
    receiver.answerAll();
    await bot.delivered(3);
  });

  it("releases a lane that has nothing to send before its lease must be renewed", async () => {
    const renewed: string[] = [];
    const watched: Store = {
      ...store,
      renewLeases(holder, botIds, ...lease) {
        renewed.push(...botIds);
        return store.renewLeases(holder, botIds, ...lease);
      },
    };
    world = createDeliveryWorld(watched);
    const bot = await world.createBot();
    await bot.putWebhook((await world.startReceiver()).url);
    const dispatcher = world.startDispatcher();
    await eventually("the lane to be claimed", () => claimed.includes(bot.botId));
    await eventually("the lane to be released", () => dispatcher.countLanes().held === 0);
    expect(renewed).toEqual([]);
  });

  it("releases no lane with an order after its lease, when it may have claimed it anew", async () => {
    const released: string[] = [];
    let answerClaim = (): void => {};
    /** Until the lease has run out, and the lane was claimed once more; then only the answer to that is late. */
    const refuseAtFirst = (): void => {
      if (claimed.length < 2) throw new StoreUnavailable("down");
    };
    const failing: Store = {
      ...store,
      async claimLanes(claim) {
        const answer = await store.claimLanes(claim);
        if (answer.lanes.length > 0 && claimed.length === 2)
          await new Promise<void>((resolve) => {
            answerClaim = resolve;
          });
        return answer;
      },
      async renewLeases(...parameters) {
        refuseAtFirst();
        return await store.renewLeases(...parameters);
      },
      async releaseLanes(holder, lanes, now) {
        refuseAtFirst();
        released.push(...lanes.map(({ destinationId }) => destinationId));
        await store.releaseLanes(holder, lanes, now);
      },
    };
    world = createDeliveryWorld(failing);
    const bot = await world.createBot();
    const { url } = await world.startReceiver();
    await store.putWebhook(bot.ref, { url, sealedSecret: null, settings: { order: "channel" } }, Date.now());
    world.startDispatcher();
    await eventually("the lane to be claimed again", () => claimed.length === 2, 20_000);
    await sleep(3_000);
    expect(released).toEqual([]);
    answerClaim();
    await eventually("the lane to be released", () => released.length === 1);
  });
});
