import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { SettingsEdit } from "#botyard/domain/delivery/webhook-settings.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { watchOrder } from "../support/order-watch.js";
import type { Receiver } from "../support/receiver.js";
import { aPost, attach, claim, makeChannel, OWNER, recordOutcomes } from "../support/store-fixtures.js";
import { runSql } from "../support/stored-rows.js";

const RETRY_MS = 60;
const SCHEDULE = Array.from({ length: 12 }, () => RETRY_MS);

describe(`webhooks with an order on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  let bot: WorldBot;
  let receiver: Receiver;
  let channels: string[];
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
    bot = await world.createBot();
    receiver = await world.startReceiver();
    channels = [];
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const set = (settings: SettingsEdit) =>
    world.store.putWebhook(bot.ref, { url: receiver.url, sealedSecret: null, settings }, Date.now());
  const attachChannels = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const id = await makeChannel(world.store);
      await attach(world.store, bot.ref, id);
      channels.push(id);
    }
  };
  const postOf = (place: number) =>
    aPost(channels[place] ?? "", "a post", { ownerUserId: OWNER }, Date.now());
  /** One post in each of these channels, by their places, in this order. */
  const post = async (...places: number[]) => {
    for (const place of places) await world.store.appendPosts([postOf(place)]);
  };
  /** The same as one call, which numbers those of a channel together. */
  const postTogether = (places: number[]) => world.store.appendPosts(places.map(postOf));
  const total = async () => (await bot.stats()).total;
  const allEnded = () =>
    eventually("all are delivered or failed", async () => {
      const { total, delivered, failed } = await bot.stats();
      return total === delivered + failed;
    });

  it("sends one update of a channel after the other, and channels at the same time", async () => {
    await attachChannels(3);
    await set({ order: "channel" });
    const watch = watchOrder({ judge: () => "accept", delayMs: () => 20 });
    receiver.answerWith(watch.answer);
    await postTogether(Array.from({ length: 60 }, (_, i) => i % 3));
    world.startDispatcher();
    await bot.delivered(await total());
    expect(watch.faults).toEqual([]);
    expect(receiver.mostUnderWay()).toBe(3);
    expect(watch.requests).toHaveLength(60);
  });

  it("lets a channel whose update is refused hold up itself alone, until that is accepted", async () => {
    await attachChannels(2);
    await set({ order: "channel", holdAttempts: 10 });
    let isRefused = true;
    const refusedId = (await total()) + 1;
    const watch = watchOrder({ judge: (id) => (id === refusedId && isRefused ? "refuse" : "accept") });
    receiver.answerWith(watch.answer);
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await post(0, 0, 1, 0, 1, 0, 1);
    const others = [refusedId + 2, refusedId + 4, refusedId + 6];
    await eventually("the other channel", () => watch.accepted.length === 3);
    expect(watch.accepted.toSorted((a, b) => a - b)).toEqual(others);
    expect(await bot.update(refusedId + 1)).toMatchObject({ state: "pending", attemptCount: 0 });
    await post(0);
    await sleep(2 * RETRY_MS);
    expect(
      (await world.store.listUpdatesInState(bot.botId, "pending", 10)).updates.map(
        ({ updateId }) => updateId,
      ),
    ).toEqual([refusedId + 7, refusedId + 5, refusedId + 3, refusedId + 1]);
    isRefused = false;
    await allEnded();
    expect(watch.faults).toEqual([]);
    expect(watch.accepted.slice(3)).toEqual([
      refusedId,
      refusedId + 1,
      refusedId + 3,
      refusedId + 5,
      refusedId + 7,
    ]);
  });

  it("sets an update aside that is refused too often, and goes on behind it", async () => {
    await attachChannels(1);
    await set({ order: "channel", holdAttempts: 2 });
    const refusedId = (await total()) + 1;
    const watch = watchOrder({ judge: (id) => (id === refusedId ? "refuse" : "accept"), setAsideAfter: 2 });
    receiver.answerWith(watch.answer);
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await post(0, 0, 0);
    await allEnded();
    expect(watch.requests).toEqual([[refusedId], [refusedId], [refusedId + 1], [refusedId + 2]]);
    expect(await bot.update(refusedId)).toMatchObject({ state: "failed", attemptCount: 2 });
    expect(watch.faults).toEqual([]);
    expect(await world.store.replayFailed(bot.ref, 10, Date.now())).toBe(1);
    await eventually("it is sent again", () => watch.requests.length === 6);
  });

  it("sends one update of the bot after the other", async () => {
    await attachChannels(3);
    await set({ order: "bot", holdAttempts: 3 });
    const first = (await total()) + 1;
    const watch = watchOrder({
      judge: (id) => ((id - first) % 7 === 3 && (watch.refusals.get(id) ?? 0) < 2 ? "refuse" : "accept"),
      groupOf: () => "bot",
    });
    receiver.answerWith(watch.answer);
    world.startDispatcher({ retrySchedule: SCHEDULE });
    await post(...Array.from({ length: 30 }, (_, i) => i % 3));
    await allEnded();
    expect(watch.accepted).toEqual(Array.from({ length: 30 }, (_, i) => first + i));
    expect(watch.faults).toEqual([]);
    expect(receiver.mostUnderWay()).toBe(1);
  });

  it.each([
    ["channel", 1],
    ["channel", 8],
    ["bot", 1],
    ["bot", 8],
  ] as const)(
    "keeps the order %s with batches to %i over random failures and restarts",
    async (order, maxBatch) => {
      await attachChannels(6);
      await set({ order, maxBatch, holdAttempts: 10 });
      const first = (await total()) + 1;
      const judge = () => {
        const chance = Math.random();
        return chance < 0.08 ? "refuse" : chance < 0.1 ? "cut" : "accept";
      };
      const watch = watchOrder({
        judge,
        groupOf: (channelId) => (order === "bot" ? "bot" : channelId),
        delayMs: () => Math.random() * 10,
      });
      receiver.answerWith(watch.answer);
      const start = () => world.startDispatcher({ retrySchedule: Array.from({ length: 40 }, () => 5) });
      let dispatchers = [start(), start()];
      for (let round = 0; round < 8; round += 1) {
        await postTogether(Array.from({ length: 25 }, () => Math.floor(Math.random() * 6)));
        await sleep(60);
        const [older, newer] = dispatchers;
        await older?.stop(round % 2 === 0 ? 0 : 500);
        dispatchers = newer ? [newer, start()] : [start()];
      }
      await allEnded();
      expect(watch.faults).toEqual([]);
      const { delivered, failed } = await bot.stats();
      expect(delivered + failed).toBe(first + 199);
      expect(new Set(watch.accepted).size).toBeGreaterThan(190);
    },
  );

  it("takes another order without an inversion while updates are in flight", async () => {
    await attachChannels(4);
    let order: "none" | "channel" | "bot" = "none";
    const watch = watchOrder({
      judge: () => (Math.random() < 0.1 ? "refuse" : "accept"),
      delayMs: () => Math.random() * 40,
      groupOf: (channelId) => (order === "bot" ? "bot" : channelId),
    });
    receiver.answerWith(watch.answer);
    await set({ order: null, holdAttempts: 10 });
    world.startDispatcher({ retrySchedule: Array.from({ length: 40 }, () => 5) });
    for (const next of ["channel", "bot", "channel", "none", "bot", "none", "channel"] as const) {
      await postTogether(Array.from({ length: 40 }, (_, i) => i % 4));
      await eventually("some are in flight", () => receiver.underWay() > 0);
      await set({ order: next === "none" ? null : next });
      // What had a slot by then is sent in the order before, on a busy machine some time later.
      await sleep(200);
      order = next;
      watch.begin();
      await postTogether(Array.from({ length: 20 }, (_, i) => i % 4));
      if (next !== "none") await allEnded();
      if (next !== "none") expect(watch.faults).toEqual([]);
    }
    const { total: all, delivered } = await bot.stats();
    expect(delivered).toBe(all);
  });

  it("releases all that is held when the order is none", async () => {
    await attachChannels(2);
    await set({ order: "channel", holdAttempts: 10 });
    const first = (await total()) + 1;
    const watch = watchOrder({ judge: (id) => (id < first + 2 ? "refuse" : "accept") });
    receiver.answerWith(watch.answer);
    const dispatcher = world.startDispatcher({ retrySchedule: [60_000] });
    await post(0, 1);
    await postTogether(Array.from({ length: 598 }, (_, i) => i % 2));
    await eventually("the first of both is refused", () => watch.refusals.size === 2);
    await eventually("the others are held", async () => {
      const { updates } = await world.store.listUpdatesInState(bot.botId, "pending", 100);
      return updates.length === 100 && dispatcher.countLanes().held === 0;
    });
    expect(watch.accepted).toEqual([]);
    await set({ order: "none" });
    await eventually("the others are delivered", () => watch.accepted.length === 598);
  });

  it("cuts off a request when the lease runs out, before another holder sends the update again", async () => {
    await attachChannels(1);
    await set({ order: "channel" });
    const log: string[] = [];
    let isFirst = true;
    receiver.answerWith((response, { updateId }) => {
      log.push(`${updateId} came`);
      response.on("close", () =>
        log.push(`${updateId} ${response.writableFinished ? "accepted" : "cut off"}`),
      );
      if (!isFirst) response.end();
      isFirst = false;
    });
    const first = (await total()) + 1;
    await post(0, 0);
    // It is cut off from the store, as far as its leases are concerned.
    const lost = createDeliveryWorld({
      ...world.store,
      renewLeases: () => Promise.reject(new StoreUnavailable("unreachable", { cause: undefined })),
    }).startDispatcher();
    await eventually("the first request", () => log.length === 1);
    world.startDispatcher();
    await bot.delivered(first + 1);
    await lost.stop(0);
    expect(log).toEqual([
      `${first} came`,
      `${first} cut off`,
      `${first} came`,
      `${first} accepted`,
      `${first + 1} came`,
      `${first + 1} accepted`,
    ]);
  });

  it("reads as little with 10,000 held channels as with none", async () => {
    const HELD = 10_000;
    await attachChannels(1);
    await set({ order: "channel", holdAttempts: 10 });
    for (let i = 0; i < 20; i += 1) await postTogether(Array.from({ length: HELD / 10 }, () => 0));
    // As if each two of them had happened in a channel of their own, of which the first is refused.
    await runSql(
      home,
      `UPDATE events SET channel_key = 1000000 + e.number / 2 FROM entries e WHERE e.event_key = events.event_key`,
    );
    const [claimed] = await claim(world.store, Date.now());
    const numbers = Array.from({ length: 2 * HELD }, (_, i) => i + 1);
    for (let from = 0; from < numbers.length; from += 1_000) {
      const attempts = numbers.slice(from, from + 1_000).map((updateId) => ({
        updateId,
        failureCount: 0,
        attemptedAt: Date.now(),
        ...(updateId % 2 === 0 || updateId === 1
          ? { failure: { error: "500", nextRetryAt: Date.now() + 3_600_000 } }
          : { notSent: "held" as const }),
      }));
      await recordOutcomes(world.store, [{ destinationId: bot.botId, nextFreshId: from + 1_001, attempts }]);
    }
    const { generation = 0, health = FRESH_HEALTH } = claimed ?? {};
    await world.store.releaseLanes("here", [{ destinationId: bot.botId, health, generation }], Date.now());
    expect(await bot.stats()).toMatchObject({ scheduled: HELD + 1, pending: HELD - 1 });
    expect(await claim(world.store, Date.now() + 60_000)).toEqual([]);

    const reads: number[] = [];
    const { readDueUpdates, claimLanes } = world.store;
    world.store.readDueUpdates = async (...parameters) => {
      const found = await readDueUpdates(...parameters);
      reads.push(found.reduce((sum, { updates }) => sum + updates.length, 0));
      return found;
    };
    world.store.claimLanes = async (...parameters) => {
      const found = await claimLanes(...parameters);
      reads.push(found.lanes.reduce((sum, { updates }) => sum + updates.length, 0));
      return found;
    };
    const dispatcher = world.startDispatcher();
    let mostQueued = 0;
    receiver.answerWith((response) => {
      mostQueued = Math.max(mostQueued, dispatcher.countLanes().queuedUpdates);
      response.end();
    });
    for (let i = 0; i < 20; i += 1) await post(0);
    await bot.delivered(20);
    expect(receiver.requests).toHaveLength(20);
    expect(reads.reduce((sum, found) => sum + found, 0)).toBeLessThan(60);
    expect(mostQueued).toBeLessThan(20);
  });
});
