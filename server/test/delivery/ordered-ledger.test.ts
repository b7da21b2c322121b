import { array, assert, constantFrom, nat, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import type { LaneLedger } from "#botyard/delivery/ledger/lane-ledger.js";
import { createOrderedLedger } from "#botyard/delivery/ledger/ordered-ledger.js";
import type { AttemptOutcome } from "#botyard/domain/delivery/attempt.js";
import type { DueUpdate } from "#botyard/domain/events/update.js";
import { type Order, type Read, StoreModel } from "../support/ordered-store-model.js";

const STEPS = [
  "post",
  "read",
  "serve",
  "take",
  "send",
  "accept",
  "refuse",
  "fail",
  "collect",
  "commit",
  "recorded",
  "retry",
  "startOver",
] as const;

/** A ledger, its store and its receiver, whose events come in any order in which they can. */
function createLane(order: Order, maxBatch: number) {
  const store = new StoreModel(order);
  const ledger = createOrderedLedger([], { order, nextFreshId: 1, mayHaveMore: true });
  const groupOf = (id: number): number => (order === "bot" ? 0 : (store.updates[id - 1]?.channel ?? 0));
  const accepted = new Set<number>();
  const sending: DueUpdate[][] = [];
  let read: Read | undefined;
  let served: ReturnType<StoreModel["read"]> | undefined;
  let collected: { outcomes: ReturnType<LaneLedger["collect"]>; isStored: boolean } | undefined;

  const checkOrder = (batch: readonly DueUpdate[]): void => {
    const together = new Set(batch.map(({ updateId }) => updateId));
    for (const { updateId } of batch)
      for (let earlier = 1; earlier < updateId; earlier += 1) {
        if (groupOf(earlier) !== groupOf(updateId) || together.has(earlier)) continue;
        const hasEnded = accepted.has(earlier) || store.updates[earlier - 1]?.state === "failed";
        if (!hasEnded) throw new Error(`${updateId} was sent before ${earlier} had ended`);
      }
  };
  /** One that was sent alone had none before it, so it may be held neither then nor later: that would lose its refusals. */
  const checkHeld = (attempts: readonly AttemptOutcome[]): void => {
    for (const { updateId, notSent } of attempts)
      if (notSent === "held" && maxBatch === 1 && (store.updates[updateId - 1]?.failures ?? 0) > 0)
        throw new Error(`${updateId} was held after it had been refused`);
  };
  const end = (place: number, failure?: AttemptOutcome["failure"]): void => {
    const [batch] = sending.splice(place % Math.max(1, sending.length), 1);
    for (const { updateId, failureCount } of batch ?? []) {
      if (!failure) accepted.add(updateId);
      ledger.settle({ updateId, failureCount, attemptedAt: 1, durationMs: 0, ...(failure && { failure }) });
    }
  };

  const run = (step: (typeof STEPS)[number], number: number): void => {
    if (step === "post") {
      store.updates.push({
        channel: 1 + (number % 3),
        state: "fresh",
        attempts: 0,
        failures: 0,
        isDue: false,
      });
      ledger.logGrew({ lastUpdateId: store.updates.length });
    }
    if (step === "read" && !read && ledger.mayHaveMore()) read = ledger.beginRead(1 + (number % 5));
    if (step === "serve" && read) served ??= store.read(read);
    if (step === "take" && served) {
      ledger.endRead(served.updates, served.hasMore);
      read = undefined;
      served = undefined;
    }
    if (step === "send" && ledger.canSend()) {
      const batch = ledger.next(maxBatch) ?? [];
      if (batch.length === 0) throw new Error("it can send, and has nothing");
      checkOrder(batch);
      sending.push([...batch]);
    }
    if (step === "accept") end(number);
    if (step === "refuse") end(number, { error: "500", nextRetryAt: 1 });
    if (step === "fail") end(number, { error: "500" });
    if (step === "collect" && ledger.unrecordedCount() > 0)
      collected ??= { outcomes: ledger.collect(), isStored: false };
    if (step === "commit" && collected && !collected.isStored) {
      checkHeld(collected.outcomes.attempts);
      store.record(collected.outcomes);
      collected.isStored = true;
    }
    if (step === "recorded" && collected?.isStored) {
      ledger.recorded();
      collected = undefined;
    }
    if (step === "retry")
      for (const update of store.updates) if (update.state === "waiting") update.isDue = true;
    if (step === "startOver" && !read) ledger.startOver();
  };
  return { store, ledger, run };
}

describe.each(["channel", "bot"] as const)("the ledger of a lane with the order %s", (order) => {
  it.each([1, 4])(
    "never sends an update before those before it have ended, and sends all, with batches to %i",
    (maxBatch) => {
      assert(
        property(
          array(tuple(constantFrom(...STEPS, "post", "send", "read"), nat(1_000)), {
            minLength: 60,
            maxLength: 200,
            size: "max",
          }),
          (steps) => {
            const { store, ledger, run } = createLane(order, maxBatch);
            for (const [step, number] of steps) run(step, number);
            const isDone = () =>
              store.updates.every(({ state }) => state === "delivered" || state === "failed");
            for (let i = 0; i < 2_000 && !isDone(); i += 1) {
              for (const step of [
                "retry",
                "read",
                "serve",
                "take",
                "send",
                "accept",
                "collect",
                "commit",
                "recorded",
              ] as const)
                run(step, i);
              // A lane that has nothing is claimed anew when something is due.
              if (ledger.queuedCount() === 0 && !ledger.mayHaveMore()) run("startOver", 0);
            }
            expect(store.updates.filter(({ state }) => state !== "delivered" && state !== "failed")).toEqual(
              [],
            );
            expect(ledger.queuedCount()).toBe(0);
          },
        ),
        { numRuns: 1_000 },
      );
    },
  );

  it.each([0, 1])(
    "sends what has rows above those that have none, which are %i, with small reads",
    (fresh) => {
      const { store, ledger, run } = createLane(order, 1);
      for (let i = 0; i < 40; i += 1)
        store.updates.push({
          channel: i < fresh ? 100 : i,
          state: i < fresh ? "fresh" : "waiting",
          attempts: i < fresh ? 0 : 1,
          failures: 0,
          isDue: true,
        });
      for (let i = 0; i < 200; i += 1)
        for (const step of [
          "read",
          "serve",
          "take",
          "send",
          "accept",
          "collect",
          "commit",
          "recorded",
        ] as const)
          run(step, 3);
      expect(store.updates.filter(({ state }) => state !== "delivered")).toEqual([]);
      expect(ledger.mayHaveMore()).toBe(false);
    },
  );
});

const due = (updateId: number, channelKey: number, waitsFor?: number): DueUpdate => ({
  updateId,
  payload: "{}",
  createdAt: 0,
  attemptCount: 0,
  failureCount: 0,
  channelKey,
  ...(waitsFor !== undefined && { waitsFor }),
});
const idsOf = (updates: readonly { updateId: number }[] | undefined) =>
  updates?.map(({ updateId }) => updateId);

describe("the ledger of a lane with the order channel", () => {
  const create = (updates: DueUpdate[]) =>
    createOrderedLedger(updates, { order: "channel", nextFreshId: 1, mayHaveMore: false });

  it("lets others overtake a channel with an update in flight, and counts what waits there", () => {
    const ledger = create([due(1, 7), due(2, 7), due(3, 8)]);
    expect(idsOf(ledger.next())).toEqual([1]);
    expect(idsOf(ledger.next())).toEqual([3]);
    expect([ledger.queuedCount(), ledger.blockedCount(), ledger.canSend()]).toEqual([1, 1, false]);
    ledger.settle({ updateId: 1, failureCount: 0, attemptedAt: 1, durationMs: 0 });
    expect([ledger.queuedCount(), ledger.blockedCount(), ledger.canSend()]).toEqual([1, 0, true]);
  });

  it("sends updates of several channels together, those of a channel by number", () => {
    const ledger = create([due(1, 7), due(2, 8), due(3, 7), due(4, 8), due(5, 9)]);
    expect(idsOf(ledger.next(4))).toEqual([1, 2, 3, 4]);
    expect(idsOf(ledger.next(4))).toEqual([5]);
  });

  it("holds what is behind an update that is not here, and what waits behind one that fails", () => {
    const ledger = create([due(4, 7, 2), due(5, 8), due(6, 8)]);
    expect(idsOf(ledger.next())).toEqual([5]);
    ledger.settle({ updateId: 5, failureCount: 0, attemptedAt: 1, durationMs: 0, failure: { error: "500" } });
    expect(ledger.collect().attempts.map(({ updateId, notSent }) => [updateId, notSent])).toEqual([
      [4, "held"],
      [5, undefined],
      [6, "held"],
    ]);
    expect(ledger.queuedCount()).toBe(0);
  });

  it("does not let an update wait for those behind it, which are not recorded as held yet", () => {
    const ledger = create([due(1, 7)]);
    const failure = { error: "500", nextRetryAt: 1 };
    ledger.next();
    ledger.settle({ updateId: 1, failureCount: 0, attemptedAt: 1, durationMs: 0, failure });
    ledger.collect();
    ledger.recorded();
    ledger.beginRead(10);
    ledger.endRead([due(2, 7, 1)]);
    ledger.beginRead(10);
    ledger.endRead([{ ...due(1, 7), attemptCount: 1, failureCount: 1 }, due(3, 7, 1)]);
    expect(ledger.collect().attempts.map(({ updateId, notSent }) => [updateId, notSent])).toEqual([
      [2, "held"],
      [3, "held"],
    ]);
    expect(ledger.next()).toMatchObject([{ updateId: 1, failureCount: 1 }]);
    ledger.settle({ updateId: 1, failureCount: 1, attemptedAt: 2, durationMs: 0 });
    ledger.beginRead(10);
    ledger.endRead([due(4, 7, 1)]);
    expect([ledger.canSend(), ledger.collect().attempts.at(-1)?.notSent]).toEqual([false, "held"]);
  });

  it("does not send what has a row before those below it that have none are known", () => {
    const released = { ...due(5, 7), wasHeld: true as const };
    const options = { order: "channel", nextFreshId: 3, mayHaveMore: true } as const;
    const ledger = createOrderedLedger([released], options);
    expect([ledger.queuedCount(), ledger.mayHaveMore()]).toEqual([0, true]);
    ledger.beginRead(10);
    ledger.endRead([released, due(3, 7), due(4, 8)]);
    expect([idsOf(ledger.next()), idsOf(ledger.next()), ledger.next()]).toEqual([[3], [4], undefined]);
    ledger.settle({ updateId: 3, failureCount: 0, attemptedAt: 1, durationMs: 0 });
    expect(idsOf(ledger.next())).toEqual([5]);
  });

  it("reads again after an outcome that was recorded during a read, which may have released others", () => {
    const ledger = create([due(1, 7), due(2, 7)]);
    ledger.next();
    ledger.beginRead(10);
    ledger.settle({ updateId: 1, failureCount: 0, attemptedAt: 1, durationMs: 0, failure: { error: "500" } });
    ledger.collect();
    ledger.recorded();
    ledger.endRead([]);
    expect(ledger.mayHaveMore()).toBe(true);
  });

  it("neither sends again nor reads for a retry whose outcome the store refuses", () => {
    const again = { ...due(1, 7), attemptCount: 1, failureCount: 1 };
    const ledger = createOrderedLedger([again], { order: "channel", nextFreshId: 2, mayHaveMore: true });
    ledger.next();
    ledger.settle({ updateId: 1, failureCount: 1, attemptedAt: 1, durationMs: 0 });
    ledger.collect();
    ledger.beginRead(10);
    ledger.recorded(1, true);
    ledger.endRead([again]);
    expect([ledger.canSend(), ledger.mayHaveMore()]).toEqual([false, false]);
  });

  it("reads no more while many outcomes wait to be recorded", () => {
    const held = Array.from({ length: 1_100 }, (_, i) => due(i + 2, 7, 1));
    const ledger = createOrderedLedger(held, { order: "channel", nextFreshId: 1, mayHaveMore: true });
    expect([ledger.unrecordedCount(), ledger.mayHaveMore()]).toEqual([1_100, false]);
    ledger.collect();
    ledger.recorded();
    expect(ledger.mayHaveMore()).toBe(true);
  });
});
