import { describe, expect, it } from "vitest";
import { DELIVERY_STATES } from "#botyard/domain/events/update.js";
import { skipUpdateIds } from "#botyard/operations/logs/skip-update-ids.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { claim, makeBot, NOW, publish } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

const SKIP = 1_000_000;

describe(`numbers that are skipped on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record, release, stats, reopen } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const skip = (count = SKIP) => skipUpdateIds(store, count, () => {});
  const numbersAbove = async (offset: number) =>
    (await store.readUpdates(botId, offset, 100)).map(({ updateId }) => updateId);
  /** 1 delivered, 2 scheduled, 3 failed, 4 and 5 fresh. */
  const fill = async () => {
    await putWebhook();
    await publish(store, channelId, 5);
    await record(1, NOW);
    await record(2, NOW, failUntil(NOW + 60_000));
    await record(3, NOW, failUntil());
  };
  const everything = async () => ({
    stats: await stats(),
    overviews: await store.listOverviews(ref.ownerUserId, NOW),
    webhook: await store.readWebhook(ref),
    survey: await store.surveyLanes(0, 100, NOW),
    history: await store.listRecentUpdates(botId, 100),
    states: await Promise.all(DELIVERY_STATES.map((state) => store.listUpdatesInState(botId, state, 100))),
    errors: await store.listDeliveryErrors(botId, 100),
  });

  it("change no list or counter, and the next update comes after them", async () => {
    await fill();
    const before = await everything();
    expect(await store.readLogHead(botId)).toBe(5);
    expect(await skip()).toBe(1);
    expect(await everything()).toEqual(before);
    expect(await store.readLogHead(botId)).toBe(5 + SKIP);
    await publish(store, channelId, 2);
    expect(await numbersAbove(5)).toEqual([SKIP + 6, SKIP + 7]);
    expect(await numbersAbove(3)).toEqual([4, 5, SKIP + 6, SKIP + 7]);
    expect(await stats()).toMatchObject({ total: 7, delivered: 1, scheduled: 1, failed: 1, pending: 4 });
    await skip(3);
    await reopen();
    await publish(store, channelId, 1);
    expect(await numbersAbove(SKIP + 7)).toEqual([SKIP + 11]);
    expect(await stats()).toMatchObject({ total: 8, pending: 5 });
    expect(await store.readLogHead(ref.ownerUserId)).toBeUndefined();
  });

  it("do not block deliveries before and after them", async () => {
    await fill();
    await skip();
    const [lane] = await claim(store, NOW);
    expect(lane?.updates.map(({ updateId }) => updateId)).toEqual([4, 5]);
    for (const id of [4, 5]) await record(id, NOW);
    await release(NOW);
    // Only the retry is still due: above the last update all numbers are skipped.
    const next = { holder: "here", leaseMs: 60_000, targetAgeMs: 250, limit: 10, updatesPerLane: 10 };
    expect(await store.claimLanes({ ...next, now: NOW })).toEqual({ lanes: [], nextDueAt: NOW + 60_000 });

    await publish(store, channelId, 2);
    const [again] = await claim(store, NOW);
    expect(again?.updates.map(({ updateId }) => updateId)).toEqual([SKIP + 6, SKIP + 7]);
    for (const id of [SKIP + 6, SKIP + 7]) await record(id, NOW);
    await release(NOW);
    expect(await store.claimLanes({ ...next, now: NOW })).toEqual({ lanes: [], nextDueAt: NOW + 60_000 });
    expect(await stats()).toMatchObject({ total: 7, delivered: 5, scheduled: 1, failed: 1, pending: 0 });
    expect(await store.replayFailed(ref, 100, NOW)).toBe(2);
    expect((await claim(store, NOW))[0]?.updates.map(({ updateId }) => updateId)).toEqual([2, 3]);
  });

  it("leave an idle lane idle", async () => {
    await putWebhook();
    await publish(store, channelId, 1);
    await claim(store, NOW);
    await record(1, NOW);
    await release(NOW);
    await skip();
    await putWebhook(NOW + 1);
    await claim(store, NOW + 1);
    await release(NOW + 1);
    const claimed = await store.claimLanes({
      holder: "here",
      now: NOW + 9e9,
      leaseMs: 1,
      targetAgeMs: 250,
      limit: 1,
      updatesPerLane: 1,
    });
    expect(claimed).toEqual({ lanes: [] });
  });

  it("cost the search for delivered updates one step, not one for each 5,000", async () => {
    await putWebhook();
    await publish(store, channelId, 2);
    for (const id of [1, 2]) await record(id, NOW);
    await skip();
    await publish(store, channelId, 1);
    await record(SKIP + 3, NOW);
    const first = await store.listUpdatesInState(botId, "delivered", 100);
    expect(first.updates.map(({ updateId }) => updateId)).toEqual([SKIP + 3]);
    const second = await store.listUpdatesInState(botId, "delivered", 100, first.next);
    expect(second.updates.map(({ updateId }) => updateId)).toEqual([2, 1]);
    expect(second.next).toBeUndefined();
  });

  it("do not count when earlier updates expire", async () => {
    await fill();
    await skip();
    await publish(store, channelId, 1, NOW + 1_000);
    while (await expireUpdates(store, NOW + 1, 100));
    expect(await stats()).toMatchObject({ total: 6, delivered: 1, scheduled: 0, failed: 4, pending: 1 });
    expect(await numbersAbove(0)).toEqual([SKIP + 6]);
    expect((await claim(store, NOW + 1_000))[0]?.updates.map(({ updateId }) => updateId)).toEqual([SKIP + 6]);
  });

  // Over cells a step ends with its cell.
  it.skipIf(engine.name === "cells")("are skipped in steps, each log once", async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => makeBot(store)));
    let from: number | undefined = 0;
    const steps: number[] = [];
    while (from !== undefined) {
      const step: { logs: number; next?: number } = await store.skipUpdateIds(from, 3, 10);
      steps.push(step.logs);
      from = step.next;
    }
    expect(steps).toEqual([3, 3, 1]);
    for (const { botId: other } of [...others, ref]) expect(await store.readLogHead(other)).toBe(10);
  });
});
