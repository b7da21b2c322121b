import { array, assert, constantFrom, nat, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { createLaneLedger, type LaneLedger } from "#botyard/delivery/ledger/lane-ledger.js";
import type { DueUpdate } from "#botyard/domain/events/update.js";

const fresh = (updateId: number): DueUpdate => ({
  updateId,
  payload: "{}",
  createdAt: 0,
  attemptCount: 0,
  failureCount: 0,
});
const retry = (updateId: number): DueUpdate => ({ ...fresh(updateId), attemptCount: 1, failureCount: 1 });
const freshUpTo = (last: number): DueUpdate[] => Array.from({ length: last }, (_, i) => fresh(i + 1));
const accepted = ({ updateId }: DueUpdate) => ({ updateId, failureCount: 0, attemptedAt: 0, durationMs: 0 });
const read = (ledger: LaneLedger, updates: readonly DueUpdate[]): void => {
  ledger.beginRead(10);
  ledger.endRead(updates);
};
/** With requests of one update each. */
const nextOf = (ledger: LaneLedger): DueUpdate | undefined => ledger.next()?.[0];
const postsOf = (...updateIds: number[]) => updateIds.map(fresh);
const ids = (items: readonly { updateId: number }[]): number[] => items.map(({ updateId }) => updateId);

describe("the ledger of a lane", () => {
  it("lets refused and fresh updates take turns, each in their order, after what was requeued", () => {
    const ledger = createLaneLedger([fresh(8), fresh(9)], { mayHaveMore: true });
    const requeued = { ...retry(2), failureCount: 0 };
    read(ledger, [requeued, retry(3), retry(1), fresh(10), fresh(11)]);
    expect(ids([1, 2, 3, 4, 5, 6, 7].map(() => nextOf(ledger) ?? fresh(0)))).toEqual([2, 3, 8, 1, 9, 10, 11]);
    expect(ledger.next()).toBeUndefined();
  });

  it("begins with the kind whose turn it is, if it has any", () => {
    const first = (updates: DueUpdate[]) =>
      nextOf(createLaneLedger(updates, { mayHaveMore: true, isTurnOfRefused: false }))?.updateId;
    expect(first([retry(1), fresh(2)])).toBe(2);
    expect(first([retry(1)])).toBe(1);
  });

  it("takes nothing twice, whatever stage it is in", () => {
    const updates = [retry(1), retry(2), fresh(5), fresh(6)];
    const ledger = createLaneLedger(updates, { mayHaveMore: true });
    read(ledger, updates);
    expect(ledger.queuedCount()).toBe(4);
    const first = nextOf(ledger) ?? fresh(0);
    read(ledger, updates);
    expect(ledger.queuedCount()).toBe(3);
    ledger.settle(accepted(first));
    ledger.collect();
    read(ledger, updates);
    expect(ledger.queuedCount()).toBe(3);
  });

  it("takes a retry again once its outcome is recorded, but not from a read made before", () => {
    const ledger = createLaneLedger([retry(1)], { mayHaveMore: true });
    const update = nextOf(ledger) ?? fresh(0);
    ledger.beginRead(10);
    ledger.settle(accepted(update));
    ledger.collect();
    ledger.recorded();
    ledger.endRead([retry(1)]);
    expect(ledger.queuedCount()).toBe(0);
    read(ledger, [retry(1)]);
    expect(ledger.queuedCount()).toBe(1);
  });

  it("does not take a retry again whose outcome the store refuses", () => {
    const ledger = createLaneLedger([retry(1), retry(2)], { mayHaveMore: true });
    for (let i = 0; i < 2; i += 1) ledger.settle(accepted(nextOf(ledger) ?? fresh(0)));
    ledger.collect();
    ledger.recorded(1, true);
    ledger.recorded(1);
    read(ledger, [retry(1), retry(2)]);
    expect([nextOf(ledger), nextOf(ledger)]).toEqual([retry(2), undefined]);
  });

  it("does not take a retry twice when a read brought it before its first failure was reported as recorded", () => {
    const ledger = createLaneLedger([fresh(1)], { mayHaveMore: true });
    ledger.settle(accepted(nextOf(ledger) ?? fresh(0)));
    ledger.collect();
    ledger.beginRead(10);
    ledger.recorded();
    ledger.endRead([retry(1)]);
    expect(nextOf(ledger)).toEqual(retry(1));
    read(ledger, [retry(1)]);
    expect(ledger.queuedCount()).toBe(0);
  });

  it("asks for enough to get past the retries it has", () => {
    const ledger = createLaneLedger([retry(1), retry(2), fresh(7)], { mayHaveMore: true });
    ledger.next();
    expect(ledger.beginRead(10)).toEqual({ afterUpdateId: 7, limit: 12 });
  });

  it("reads again from the first one it dropped, and keeps attempts in flight", () => {
    const ledger = createLaneLedger([retry(1), ...freshUpTo(9).slice(4)], { mayHaveMore: false });
    ledger.next();
    ledger.next();
    ledger.startOver();
    expect(ledger.queuedCount()).toBe(0);
    expect(ledger.mayHaveMore()).toBe(true);
    expect(ledger.beginRead(10)).toEqual({ afterUpdateId: 5, limit: 11 });
    ledger.endRead([retry(1), fresh(6)]);
    expect(nextOf(ledger)?.updateId).toBe(6);
  });

  it("knows when the store may have more: after a full read, or when the log grew during the read", () => {
    const ledger = createLaneLedger([], { mayHaveMore: false });
    ledger.logGrew({ lastUpdateId: 1 });
    expect(ledger.mayHaveMore()).toBe(true);
    ledger.beginRead(2);
    ledger.endRead(freshUpTo(2));
    expect(ledger.mayHaveMore()).toBe(true);
    ledger.beginRead(2);
    ledger.logGrew({ lastUpdateId: 3 });
    ledger.endRead([fresh(3)]);
    expect(ledger.mayHaveMore()).toBe(false);
    ledger.logGrew({ lastUpdateId: 3 });
    expect(ledger.mayHaveMore()).toBe(false);
    ledger.beginRead(2);
    ledger.logGrew({ lastUpdateId: 4 });
    ledger.endRead([]);
    expect(ledger.mayHaveMore()).toBe(true);
  });

  it("queues new updates, unless an earlier one is missing", () => {
    const ledger = createLaneLedger([fresh(4)], { mayHaveMore: false });
    ledger.logGrew({ lastUpdateId: 6, events: postsOf(5, 6) });
    expect(ids([1, 2, 3].map(() => nextOf(ledger) ?? fresh(0)))).toEqual([4, 5, 6]);
    expect(ledger.mayHaveMore()).toBe(false);
    ledger.logGrew({ lastUpdateId: 8, events: postsOf(8) });
    expect(ledger.queuedCount()).toBe(0);
    expect(ledger.mayHaveMore()).toBe(true);
    ledger.logGrew({ lastUpdateId: 9, events: postsOf(7, 8, 9) });
    expect(ledger.queuedCount()).toBe(0);
    read(ledger, [fresh(7), fresh(8), fresh(9)]);
    expect(ledger.queuedCount()).toBe(3);
  });

  it("collects unrecorded outcomes again", () => {
    const ledger = createLaneLedger(freshUpTo(3), { mayHaveMore: false });
    const [one, two] = [nextOf(ledger) ?? fresh(0), nextOf(ledger) ?? fresh(0)];
    ledger.settle(accepted(one));
    expect(ids(ledger.collect().attempts)).toEqual([1]);
    ledger.settle(accepted(two));
    expect(ids(ledger.collect().attempts)).toEqual([1, 2]);
    expect(ledger.unrecordedCount()).toBe(2);
    ledger.recorded();
    expect(ledger.unrecordedCount()).toBe(0);
    expect(ledger.collect()).toEqual({ attempts: [], nextFreshId: 3 });
  });

  it("skips nothing, sends nothing twice and has no next fresh id above an update without an outcome", () => {
    const kinds = ["grow", "growWithPosts", "ask", "take", "send", "end", "collect", "drop"] as const;
    const steps = array(tuple(constantFrom(...kinds), nat(9)), { maxLength: 200, size: "max" });
    assert(
      property(steps, (moves) => {
        const ledger = createLaneLedger([], { mayHaveMore: true });
        const underWay: DueUpdate[] = [];
        const collected = new Set<number>();
        const sent: number[] = [];
        let head = 0;
        let answer: DueUpdate[] | undefined;
        const ask = (count: number): void => {
          const { afterUpdateId, limit } = ledger.beginRead(count);
          answer = freshUpTo(head).slice(afterUpdateId, afterUpdateId + limit);
        };
        const take = (): void => {
          if (answer) ledger.endRead(answer);
          answer = undefined;
        };
        for (const [move, choice] of moves) {
          if (move === "grow" || move === "growWithPosts") {
            const posts = freshUpTo(head + choice).slice(head);
            head += choice;
            ledger.logGrew({ lastUpdateId: head, events: move === "growWithPosts" ? posts : [] });
          } else if (move === "ask") {
            if (!answer) ask(choice);
          } else if (move === "take") {
            take();
          } else if (move === "send") {
            const update = nextOf(ledger);
            if (update) {
              underWay.push(update);
              sent.push(update.updateId);
            }
          } else if (move === "end") {
            const [ended] = underWay.splice(choice % Math.max(1, underWay.length), 1);
            if (ended) ledger.settle(accepted(ended));
          } else if (move === "collect") {
            const { attempts, nextFreshId } = ledger.collect();
            for (const { updateId } of attempts) collected.add(updateId);
            for (let id = 1; id < nextFreshId; id += 1) expect(collected.has(id)).toBe(true);
            ledger.recorded();
          } else {
            // A read from before the lane was started over is discarded.
            if (answer) ledger.cancelRead();
            answer = undefined;
            ledger.startOver();
          }
        }
        take();
        while (ledger.mayHaveMore() || ledger.queuedCount() > 0) {
          ask(10);
          take();
          for (let update = nextOf(ledger); update; update = nextOf(ledger)) sent.push(update.updateId);
        }
        // Each is sent once, in order, whatever was dropped and read again.
        expect(sent).toEqual(freshUpTo(head).map(({ updateId }) => updateId));
      }),
      { numRuns: 300 },
    );
  });
});

it("a ledger reports how the memory of its queue changes, down to nothing", () => {
  let bytes = 0;
  const ledger = createLaneLedger([fresh(1), fresh(2), retry(9)], {
    mayHaveMore: true,
    onQueued: (change) => {
      bytes += change;
    },
  });
  const each = fresh(1).payload.length * 2;
  expect(bytes).toBe(3 * each);
  ledger.next();
  expect(bytes).toBe(2 * each);
  ledger.beginRead(10);
  ledger.endRead([fresh(2), fresh(3), fresh(4)], true);
  expect(bytes).toBe(4 * each);
  expect(ledger.mayHaveMore()).toBe(true);
  ledger.startOver();
  expect(bytes).toBe(0);
  ledger.beginRead(10);
  ledger.endRead([fresh(3)]);
  ledger.abandon();
  expect(bytes).toBe(0);
});
