import { describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { SettingsEdit } from "#botyard/domain/delivery/webhook-settings.js";
import { MAX_RELEASED_TOGETHER, MAX_RELEASED_UPDATES } from "#botyard/domain/limits.js";
import type { AttemptFailure, AttemptOutcome, BotRef, Skip, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { attach, claim, makeChannel, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

const RETRY_AT = NOW + 3_600_000;
const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last + 1 - first }, (_, i) => first + i);

describe(`held updates on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { stats, run } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });

  const set = (settings: SettingsEdit = { order: "channel" }, skip?: Skip) =>
    store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null, settings, skip }, NOW);
  const failed = (updateId: number, failure: AttemptFailure, failureCount = 0): AttemptOutcome => ({
    updateId,
    failureCount,
    attemptedAt: NOW,
    durationMs: 0,
    failure,
  });
  const accepted = (updateId: number, failureCount = 0): AttemptOutcome => ({
    updateId,
    failureCount,
    attemptedAt: NOW,
    durationMs: 0,
  });
  const held = (updateId: number): AttemptOutcome => ({ ...accepted(updateId), notSent: "held" });
  const record = (nextFreshId: number, ...attempts: AttemptOutcome[]) =>
    recordOutcomes(store, [{ destinationId: botId, nextFreshId, attempts }]);
  const read = async (order: "none" | "channel" | "bot" = "channel", limit = 500) => {
    const [due] = await store.readDueUpdates([{ destinationId: botId, order, afterUpdateId: 0, limit }], NOW);
    return due?.updates ?? [];
  };
  const dueIds = async (order?: "none" | "channel" | "bot", limit?: number) =>
    (await read(order, limit)).map(({ updateId }) => updateId);
  const pending = async () =>
    (await store.listUpdatesInState(botId, "pending", 100)).updates.map(({ updateId }) => updateId);
  /** The first update fails, and the others of its channel are held behind it. */
  const holdBehindFirst = async (last: number) => {
    await set();
    await publish(store, channelId, last);
    await record(last + 1, failed(1, failUntil(RETRY_AT)), ...upTo(last, 2).map(held));
  };

  it("are pending, and in no read, until the one before them is accepted", async () => {
    await holdBehindFirst(5);
    expect(await dueIds()).toEqual([]);
    expect(await pending()).toEqual([5, 4, 3, 2]);
    expect(await stats()).toMatchObject({ total: 5, pending: 4, scheduled: 1, oldestPendingAt: NOW });
    await record(6, accepted(1, 1));
    expect(await read()).toMatchObject([
      { updateId: 2, wasHeld: true, attemptCount: 0 },
      { updateId: 3, waitsFor: 2 },
      { updateId: 4, waitsFor: 3 },
      { updateId: 5, waitsFor: 4 },
    ]);
    expect(await stats()).toMatchObject({ pending: 4, scheduled: 0, delivered: 1 });
    await record(6, ...upTo(5, 2).map((id) => accepted(id)));
    expect(await stats()).toMatchObject({ pending: 0, delivered: 5 });
  });

  it("say of fresh ones of their channel what they wait for, and nothing of other channels", async () => {
    await holdBehindFirst(3);
    const other = await makeChannel(store);
    await attach(store, ref, other);
    await publish(store, other, 1);
    await publish(store, channelId, 1);
    const last = (await stats())?.total ?? 0;
    expect(await read()).toMatchObject(
      [{}, { updateId: last - 1 }, { updateId: last, waitsFor: 3 }].slice(-2),
    );
    const [, sent] = (await read()).slice(-2);
    expect(sent?.channelKey).toBeGreaterThan(0);
    expect((await read()).at(-2)).not.toHaveProperty("waitsFor");
  });

  it("come after all that have no row, in a read that asks for that", async () => {
    await set();
    await publish(store, channelId, 6);
    await record(1, failed(4, failUntil(NOW)), failed(5, failUntil(NOW)));
    const ask = { destinationId: botId, order: "channel", afterUpdateId: 0 } as const;
    const readFirst = async (limit: number, isFreshFirst: boolean) => {
      const [due] = await store.readDueUpdates([{ ...ask, limit, isFreshFirst }], NOW);
      return due?.updates.map(({ updateId }) => updateId);
    };
    expect(await readFirst(4, false)).toEqual([4, 1, 2, 3]);
    expect(await readFirst(4, true)).toEqual([1, 2, 3, 6]);
    expect(await readFirst(5, true)).toEqual([1, 2, 3, 6, 4]);
  });

  const endsAfterRelease = async (order: "channel" | "bot") => {
    await set({ order });
    await publish(store, channelId, 3);
    const [lane] = await claim(store, NOW);
    const retryAt = Date.now() + 3_600_000;
    await record(2, failed(1, failUntil(retryAt)), ...(order === "channel" ? [held(2), held(3)] : []));
    const { generation = 0, health = FRESH_HEALTH } = lane ?? {};
    await store.releaseLanes("here", [{ destinationId: botId, order, generation, health }], Date.now());
    expect(await claim(store, Date.now())).toEqual([]);
  };
  const claimedIds = async () =>
    (await claim(store, Date.now())).flatMap(({ updates }) => updates.map(({ updateId }) => updateId));

  it.each(["channel", "bot"] as const)(
    "are due when the outcome before them comes after their lane was released, with the order %s",
    async (order) => {
      await endsAfterRelease(order);
      await record(2, accepted(1, 1));
      expect(await claimedIds()).toEqual([2, 3]);
    },
  );

  it.each(["channel", "bot"] as const)(
    "are due when the one before them expires, with the order %s",
    async (order) => {
      await endsAfterRelease(order);
      await run(
        "UPDATE events SET created_at = 5 WHERE event_key IN (SELECT event_key FROM entries WHERE number = 1)",
      );
      while (await expireUpdates(store, 6, 1_000));
      expect(await claimedIds()).toEqual([2, 3]);
    },
  );

  it("are released, at most a hundred at once, by number", async () => {
    await holdBehindFirst(MAX_RELEASED_UPDATES + 20);
    await record(0, accepted(1, 1));
    expect(await dueIds()).toEqual(upTo(MAX_RELEASED_UPDATES + 1, 2));
    await record(0, ...upTo(MAX_RELEASED_UPDATES + 1, 2).map((id) => accepted(id)));
    expect(await dueIds()).toEqual(upTo(MAX_RELEASED_UPDATES + 20, MAX_RELEASED_UPDATES + 2));
  });

  it("are released fewer of each of many channels together, and the last of them releases the others", async () => {
    await set();
    const channels = 40;
    const each = Math.floor(MAX_RELEASED_TOGETHER / channels);
    for (let i = 1; i < channels; i += 1) await attach(store, ref, await makeChannel(store));
    const all = channels * (each + 2);
    await publish(store, channelId, all);
    // As if every channel had posted in turn.
    await run(`
      UPDATE events SET channel_key = 1 + (
        SELECT number FROM entries WHERE entries.event_key = events.event_key) % ${channels} WHERE event_type IS NULL`);
    const firsts = upTo(channels);
    await record(
      all + 1,
      ...firsts.map((id) => failed(id, failUntil(RETRY_AT))),
      ...upTo(all, channels + 1).map(held),
    );
    await record(all + 1, ...firsts.map((id) => accepted(id, 1)));
    expect(await dueIds("channel", all)).toEqual(upTo(channels * (each + 1), channels + 1));
    await record(all + 1, ...upTo(channels * (each + 1), channels + 1).map((id) => accepted(id)));
    expect(await dueIds("channel", all)).toEqual(upTo(all, channels * (each + 1) + 1));
  });

  it("are released behind an update that fails for good, is skipped by its owner, or expires", async () => {
    await holdBehindFirst(4);
    await record(0, failed(1, failUntil(undefined), 1));
    expect(await dueIds()).toEqual([2, 3, 4]);
    await record(0, failed(2, failUntil(RETRY_AT)), held(3), held(4));
    expect(await dueIds()).toEqual([]);
    expect(await store.skipUpdate(ref, 2, NOW)).toBe(true);
    expect(await dueIds()).toEqual([3, 4]);
    await record(0, failed(3, failUntil(RETRY_AT)), held(4));
    await run(
      "UPDATE events SET created_at = 5 WHERE event_key IN (SELECT event_key FROM entries WHERE number <= 3)",
    );
    await expireUpdates(store, 6, 1_000);
    await expireUpdates(store, 6, 1_000);
    expect(await dueIds()).toEqual([4]);
    expect(await stats()).toMatchObject({ total: 4, pending: 1, scheduled: 0, failed: 3 });
  });

  it("can be skipped by their owner, replayed, and delivered by an attempt in flight", async () => {
    await holdBehindFirst(4);
    expect(await store.skipUpdate(ref, 3, NOW)).toBe(true);
    expect(await pending()).toEqual([4, 2]);
    await record(0, accepted(2));
    expect(await stats()).toMatchObject({ delivered: 1, failed: 1, pending: 1, scheduled: 1 });
    await store.replayUpdates(ref, [3], NOW);
    expect(await read()).toMatchObject([{ updateId: 3, waitsFor: 1 }]);
    await record(0, held(3));
    expect(await dueIds()).toEqual([]);
    await record(0, accepted(1, 1));
    expect(await dueIds()).toEqual([3, 4]);
  });

  it("are due at once when nothing before them waits any more", async () => {
    await set();
    await publish(store, channelId, 3);
    await record(4, held(2), held(3), accepted(1));
    expect(await dueIds()).toEqual([2, 3]);
    await record(0, held(2), held(3));
    expect(await dueIds()).toEqual([2, 3]);
  });

  it("are due when the order is another one by now", async () => {
    await set();
    await publish(store, channelId, 2);
    await set({ order: null });
    await record(3, failed(1, failUntil(RETRY_AT)), held(2));
    expect(await dueIds("none")).toEqual([2]);
  });

  it("are skipped by a webhook that skips them, and released behind those that it skips", async () => {
    await holdBehindFirst(600);
    await set({}, { through: 598, done: [] });
    for (let step = 0; step < 4; step += 1) await store.skipRemaining([botId]);
    expect(await dueIds()).toEqual([599, 600]);
    expect(await stats()).toMatchObject({ skipped: 598, pending: 2, scheduled: 0 });
  });

  it("are released in steps when the order is no longer that of channels", async () => {
    await holdBehindFirst(600);
    await set({ order: null });
    const [due] = await store.readDueUpdates([{ destinationId: botId, afterUpdateId: 0, limit: 1_000 }], NOW);
    expect(due).toMatchObject({ isSkipping: true });
    expect(await dueIds("none")).toEqual([1]);
    for (let step = 0; step < 3; step += 1) await store.skipRemaining([botId]);
    expect((await dueIds("none")).length).toBe(500);
    const [after] = await store.readDueUpdates(
      [{ destinationId: botId, afterUpdateId: 0, limit: 1_000 }],
      NOW,
    );
    expect(after).toMatchObject({ isSkipping: false });
    expect(after?.updates.length).toBe(600);
  });

  it("keep their order when that of channels comes back while they are being released", async () => {
    await holdBehindFirst(600);
    await set({ order: null });
    await store.skipRemaining([botId]);
    await record(0, accepted(1));
    await set({ order: "channel" });
    expect((await dueIds()).slice(0, 3)).toEqual([2, 3, 4]);
    const released = await dueIds();
    await record(0, ...released.map((id) => accepted(id)));
    for (let i = 0; i < 10; i += 1) await record(0, ...(await dueIds()).map((id) => accepted(id)));
    expect(await stats()).toMatchObject({ delivered: 600, pending: 0 });
  });

  it("are read by number with the order of bots, from the first one on as far as they are due", async () => {
    await set({ order: "bot" });
    await publish(store, channelId, 4);
    const [lane] = await claim(store, NOW);
    expect(await dueIds("bot")).toEqual([1, 2, 3, 4]);
    await record(2, failed(1, failUntil(NOW - 1)));
    expect(await dueIds("bot")).toEqual([1, 2, 3, 4]);
    await record(2, failed(1, failUntil(RETRY_AT), 1));
    expect(await dueIds("bot")).toEqual([]);
    const { generation = 0, health } = lane ?? {};
    if (health)
      await store.releaseLanes("here", [{ destinationId: botId, order: "bot", health, generation }], NOW);
    await publish(store, channelId, 1);
    expect(await claim(store, NOW + 1_000)).toEqual([]);
    expect(await store.skipUpdate(ref, 1, NOW)).toBe(true);
    expect(await claim(store, Date.now())).toMatchObject([{ updates: [{ updateId: 2 }, {}, {}, {}] }]);
  });

  it("gives nothing to a holder that knows another order", async () => {
    await set();
    await publish(store, channelId, 1);
    for (const order of ["none", "bot"] as const) {
      const [due] = await store.readDueUpdates(
        [{ destinationId: botId, order, afterUpdateId: 0, limit: 5 }],
        NOW,
      );
      expect(due).toMatchObject({
        updates: [],
        isCutShort: true,
        target: { settings: { order: "channel" } },
      });
    }
  });
});
