import { setTimeout as sleep } from "node:timers/promises";
import { type CarriedRef, NotCarriedYet } from "../../store.js";
import type { Cell } from "../cell.js";
import { cellOfLog } from "./guests.js";

/** How long a call waits for a log of which nothing is carried: longer than until another instance takes it from one that has died. */
const STALLED_MS = 6_000;
/** How long it waits at most, while others have much to be carried before it. */
const MOST_MS = 20_000;
const LOOK_MS = 20;
/** A hint may have been lost. */
const LOOKS_PER_RUN = 10;

/**
 * What these logs have now is carried when this resolves; with an owner, what takes their turns, which does not wait for what others have.
 *
 * @throws StoreUnavailable when it cannot be
 */
export type Settle = (from: Cell, logIds: readonly string[], owner?: string) => Promise<void>;

/** A call that waits. */
interface Waiting {
  /** The last entries for which it does, one of a log. */
  ends: readonly CarriedRef[];
  /** Whether everything up to these has to be carried, or these themselves. */
  isAll: boolean;
  /** How much of their logs was left when it was looked last. */
  left: number;
  stalledSince: number;
  endsAt: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * @param run has what the logs of a cell have carried
 * @param isThere whether there is a cell with this number
 */
export function createSettling(run: (from: Cell) => void, isThere: (cell: number) => boolean): Settle {
  const waitingIn = new Map<Cell, Set<Waiting>>();

  /** For all who wait in the cell, as long as there are any. */
  const look = async (from: Cell, waiting: Set<Waiting>): Promise<void> => {
    for (let looks = 1; waiting.size > 0; looks += 1) {
      await sleep(LOOK_MS);
      if (looks % LOOKS_PER_RUN === 0) run(from);
      try {
        const asked = [...waiting];
        const logs = await from.store.listOutboxes();
        const positions = new Map(logs.map(({ botId, position }) => [botId, position]));
        const alone = asked.flatMap(({ ends, isAll }) => (isAll ? [] : ends));
        const areLeft = alone.length > 0 ? await from.store.areUncarried(alone) : [];
        const left = new Set(alone.filter((_, i) => areLeft[i]));
        for (const one of asked) if (isOver(one, positions, left)) waiting.delete(one);
      } catch (error) {
        for (const one of waiting) one.reject(error);
        waiting.clear();
      }
    }
    waitingIn.delete(from);
  };

  return async (from, logIds, owner) => {
    if (logIds.length === 0) return;
    // Nobody hears in a cell that was removed. In one that is not served here others may.
    const behind = (await from.store.listOutboxes()).filter(
      ({ botId, ownerUserId, head, position }) =>
        head > position && logIds.includes(botId) && isThere(cellOfLog(ownerUserId) ?? -1),
    );
    if (behind.length === 0) return;
    const isAll = owner === undefined;
    const ends = isAll
      ? behind.map(({ botId, head }) => ({ botId, number: head }))
      : await from.store.findLastUncarried(
          behind.map(({ botId }) => botId),
          owner,
        );
    if (ends.length === 0) return;
    run(from);
    await new Promise<void>((resolve, reject) => {
      const now = performance.now();
      const one = { ends, isAll, left: Number.MAX_SAFE_INTEGER, stalledSince: now, endsAt: now + MOST_MS };
      const waiting = waitingIn.get(from) ?? new Set();
      waiting.add({ ...one, resolve, reject });
      if (waitingIn.has(from)) return;
      waitingIn.set(from, waiting);
      void look(from, waiting);
    });
  };
}

/** @returns whether it has to wait no more */
function isOver(
  one: Waiting,
  positions: ReadonlyMap<string, number>,
  leftAlone: ReadonlySet<CarriedRef>,
): boolean {
  let left = 0;
  for (const end of one.ends) {
    // A log that is gone has nothing to be carried.
    const before = Math.max(end.number - (positions.get(end.botId) ?? end.number), 0);
    if (one.isAll || leftAlone.has(end)) left += before;
  }
  const now = performance.now();
  if (left < one.left) Object.assign(one, { left, stalledSince: now });
  const isLate = now >= Math.min(one.stalledSince + STALLED_MS, one.endsAt);
  if (left === 0) one.resolve();
  else if (isLate)
    one.reject(
      new NotCarriedYet("another cell has not heard of it yet, which may be away or busy: repeat the call"),
    );
  return left === 0 || isLate;
}
