import { describe, expect, it } from "vitest";
import { DELIVERY_STATES, type DeliveryState } from "#botyard/domain/events/update.js";
import { listHistory } from "#botyard/operations/logs/list-history.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { aPost, NOW, OWNER, publish, recordOutcomes } from "../support/store-fixtures.js";

describe(`the history of a bot on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const idsOf = (updates: readonly { updateId: number }[] = []) => updates.map(({ updateId }) => updateId);
  const inState = async (state: DeliveryState, limit = 100, before?: number) =>
    idsOf((await store.listUpdatesInState(botId, state, limit, before)).updates);

  /** 1 and 4 delivered, 2 and 6 scheduled, 3 and 7 failed, 5 requeued, 8 to 10 fresh. */
  const fill = async (): Promise<void> => {
    await putWebhook();
    await publish(store, channelId, 10);
    await record(5, NOW, failUntil(undefined));
    await store.replayUpdates(ref, [5], NOW);
    for (const id of [1, 4]) await record(id, NOW);
    for (const id of [2, 6]) await record(id, NOW, failUntil(NOW + 60_000));
    for (const id of [3, 7]) await record(id, NOW, failUntil(undefined));
  };

  it("shows updates below a number, newest first", async () => {
    await fill();
    expect(idsOf(await store.listRecentUpdates(botId, 3, 5))).toEqual([4, 3, 2]);
    expect(idsOf(await store.listRecentUpdates(botId, 100, 1))).toEqual([]);
    expect(idsOf(await store.listRecentUpdates(botId, 2))).toEqual([10, 9]);
  });

  it("shows updates in one state", async () => {
    for (const state of DELIVERY_STATES) expect(await inState(state)).toEqual([]);
    await fill();
    expect(await inState("pending")).toEqual([10, 9, 8, 5]);
    expect(await inState("pending", 2, 10)).toEqual([9, 8]);
    expect(await inState("pending", 2, 8)).toEqual([5]);
    expect(await inState("scheduled")).toEqual([6, 2]);
    expect(await inState("scheduled", 1)).toEqual([6]);
    expect(await inState("failed", 100, 7)).toEqual([3]);
    expect(await inState("delivered")).toEqual([4, 1]);
    expect(await inState("delivered", 1, 4)).toEqual([1]);
    const [scheduled] = (await store.listUpdatesInState(botId, "scheduled", 1)).updates;
    expect(scheduled).toMatchObject({ state: "scheduled", nextRetryAt: NOW + 60_000, attemptCount: 1 });
  });

  it("finds delivered updates below a long backlog in steps, down to the oldest", async () => {
    await putWebhook();
    const author = { ownerUserId: OWNER };
    for (const _ of Array.from({ length: 12 }))
      await store.appendPosts(Array.from({ length: 1_000 }, () => aPost(channelId, "x", author, NOW)));
    const attempts = [1, 5, 9].map((updateId) => ({
      updateId,
      failureCount: 0,
      attemptedAt: NOW,
    }));
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 2, attempts }]);
    const steps = [await store.listUpdatesInState(botId, "delivered", 2)];
    for (let last = steps[0]; last?.next; last = steps.at(-1))
      steps.push(await store.listUpdatesInState(botId, "delivered", 2, last.next));
    expect(steps.map(({ updates }) => idsOf(updates))).toEqual([[], [], [9, 5]]);

    const wanted = { limit: 100, state: "delivered" } as const;
    expect(idsOf(await listHistory(store, botId, wanted, () => true))).toEqual([9, 5, 1]);
    expect(idsOf(await listHistory(store, botId, { ...wanted, limit: 2 }, () => true))).toEqual([9, 5]);
    expect(idsOf(await listHistory(store, botId, { ...wanted, before: 9 }, () => true))).toEqual([5, 1]);
    // Nothing waits for it any more: it ends with the first step.
    expect(await listHistory(store, botId, wanted, () => false)).toEqual([]);
  });

  it("requeues named updates that have failed", async () => {
    await fill();
    expect(await store.replayUpdates(ref, [7, 2, 1, 9, 5, 77], NOW)).toBe(2);
    expect(await inState("pending")).toEqual([10, 9, 8, 7, 5, 2]);
    expect(await inState("scheduled")).toEqual([6]);
    expect(await inState("failed")).toEqual([3]);
    expect(await store.readStats(ref)).toMatchObject({ scheduled: 1, failed: 1, delivered: 2, pending: 6 });
    expect(await store.replayUpdates(ref, [2, 7], NOW)).toBe(0);
    expect(await store.replayUpdates({ ...ref, ownerUserId: "bob" }, [3], NOW)).toBeUndefined();
    // The oldest of both states come first, in any order of the indexes.
    expect(await store.replayFailed(ref, 1, NOW)).toBe(1);
    expect(await inState("failed")).toEqual([]);
  });
});
