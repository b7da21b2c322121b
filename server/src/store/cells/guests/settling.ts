import { setTimeout as sleep } from "node:timers/promises";
import { NotCarriedYet } from "../../store.js";
import type { Cell } from "../cell.js";
import { cellOfLog } from "./guests.js";

/** How long a call waits for a log of which nothing is carried: longer than until another instance takes it from one that has died. */
const STALLED_MS = 6_000;
/** How long it waits at most, while others have much to be carried before it. */
const MOST_MS = 20_000;
const LOOK_MS = 20;
/** A hint may have been lost. */
const LOOKS_PER_RUN = 10;

/** What these logs have now is carried when this resolves. @throws StoreUnavailable when it cannot be */
export type Settle = (from: Cell, logIds: readonly string[]) => Promise<void>;

/** A call that waits. */
interface Waiting {
  /** Of each log, up to which number. */
  heads: ReadonlyMap<string, number>;
  /** How much of that was left when it was looked last. */
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
        const logs = await from.store.listOutboxes();
        const positions = new Map(logs.map(({ botId, position }) => [botId, position]));
        for (const one of waiting) if (isOver(one, positions)) waiting.delete(one);
      } catch (error) {
        for (const one of waiting) one.reject(error);
        waiting.clear();
      }
    }
    waitingIn.delete(from);
  };

  return async (from, logIds) => {
    if (logIds.length === 0) return;
    // Nobody hears in a cell that was removed. In one that is not served here others may.
    const behind = (await from.store.listOutboxes()).filter(
      ({ botId, ownerUserId, head, position }) =>
        head > position && logIds.includes(botId) && isThere(cellOfLog(ownerUserId) ?? -1),
    );
    if (behind.length === 0) return;
    const heads = new Map(behind.map(({ botId, head }) => [botId, head]));
    run(from);
    await new Promise<void>((resolve, reject) => {
      const now = performance.now();
      const one = { heads, left: Number.MAX_SAFE_INTEGER, stalledSince: now, endsAt: now + MOST_MS };
      const waiting = waitingIn.get(from) ?? new Set();
      waiting.add({ ...one, resolve, reject });
      if (waitingIn.has(from)) return;
      waitingIn.set(from, waiting);
      void look(from, waiting);
    });
  };
}

/** Whether it has to wait no more. */
function isOver(one: Waiting, positions: ReadonlyMap<string, number>): boolean {
  let left = 0;
  // A log that is gone has nothing to be carried.
  for (const [botId, head] of one.heads) left += Math.max(head - (positions.get(botId) ?? head), 0);
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
