import { createBackOff } from "../../../domain/back-off.js";
import { newId } from "../../../domain/ids.js";
import { type CarriedEntry, type CarriedLog, type LogHead, RELAY, StoreUnavailable } from "../../store.js";
import type { Cell, Cells } from "../cell.js";
import { carryEntries } from "./carry-entry.js";
import { type CellAfter, followChanges } from "./follow-changes.js";
import { cellOfLog, isChanges, isLogId } from "./guests.js";
import { createSettling, type Settle } from "./settling.js";

/** How often outboxes are looked for that no hint told of. */
const LOOK_INTERVAL_MS = 2_000;
const ENTRIES_PER_STEP = 100;
/** Each takes some twenty statements; how far a step has come is known at its end. */
const CHANGES_PER_STEP = 16;
/** For so long the instance that carries an outbox does so alone; it asks again for each step. */
const LEASE_MS = 2_000;

/** Of a log that is carried. */
type CarriedRef = Pick<CarriedLog, "botId" | "ownerUserId">;

/** Something that is done once more when it was asked for meanwhile. */
interface Running {
  again: boolean;
  done: Promise<void>;
}

/** Carries what happens in the channels of one cell to the bots of others that are guests there, and what changes of bots to their guests. */
export interface Relay {
  settle: Settle;
  /** Carries soon what the logs of the cell have got. */
  wake(from: Cell): void;
  stop(): Promise<void>;
}

/**
 * @param isThere whether there is a cell with this number, which may be served by other instances
 * @param onError called with what is no failure of a database
 */
export function startRelay(
  cells: Cells,
  isThere: (cell: number) => boolean,
  onError: (error: unknown) => void,
): Relay {
  const reader = newId();
  const backOff = createBackOff(onError);
  const running = new Map<string, Running>();
  const watched = new WeakSet<Cell>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  /** Undefined when another instance serves that cell. */
  const cellFor = (owner: string): Cell | undefined =>
    cells().find(({ number }) => number === cellOfLog(owner));

  const cellAfter: CellAfter = async ({ name, store }, holder) => {
    const move = await store.readOwnerMove(holder);
    if (move?.state !== "left" || move.otherCell === name) return undefined;
    const cell = cells().find((one) => one.name === move.otherCell);
    if (!cell) throw new StoreUnavailable(`the holder of a channel has moved to the cell ${move.otherCell}`);
    return cell;
  };

  const carryTo = async (
    from: Cell,
    to: Cell,
    { botId, ownerUserId }: CarriedRef,
    entries: readonly CarriedEntry[],
  ): Promise<void> => {
    if (!isChanges(ownerUserId)) return await carryEntries(to.store, entries);
    await followChanges({ home: from, away: to }, entries, cellAfter);
    // They name owners, of whom nothing may stay.
    await from.store.removeCarried(botId, entries.at(-1)?.number ?? 0);
  };

  const carry = async (from: Cell, log: CarriedRef): Promise<void> => {
    const { botId } = log;
    const perStep = isChanges(log.ownerUserId) ? CHANGES_PER_STEP : ENTRIES_PER_STEP;
    const to = cellFor(log.ownerUserId);
    if (!to) return;
    let isHeld = false;
    try {
      for (;;) {
        const now = Date.now();
        if (isStopped) return;
        const other = await from.store.holdConsumer(botId, RELAY, reader, now + LEASE_MS, now);
        if (other !== undefined) return;
        isHeld = true;
        const at = await from.store.findConsumer(botId, RELAY);
        const entries = at ? await from.store.readCarried(botId, at.position, perStep) : [];
        const last = entries.at(-1);
        if (!last) return;
        await carryTo(from, to, log, entries);
        const moved = { position: last.number, done: [], rewind: false };
        await from.store.moveConsumer(botId, RELAY, moved, Date.now());
      }
    } finally {
      // Otherwise another instance waits for the end of the lease.
      if (isHeld) await release(from, botId).catch(() => {});
    }
  };

  const release = async (from: Cell, botId: string): Promise<void> => {
    const now = Date.now();
    await from.store.holdConsumer(botId, RELAY, reader, now - 1, now);
  };

  const look = async (from: Cell): Promise<void> => {
    const logs = await from.store.listOutboxes();
    // Not waited for: where one cell hangs, the others hear all the same.
    for (const log of logs)
      if (log.head > log.position) runOnce(`${from.name} ${log.botId}`, () => carry(from, log));
  };

  const failed = (error: unknown): void => {
    if (!(error instanceof StoreUnavailable)) backOff.failed(error);
  };

  /** One after the other under the same name: a lease keeps others away from a log, not us. */
  const runOnce = (name: string, task: () => Promise<void>): void => {
    const known = running.get(name);
    if (known) {
      known.again = true;
      return;
    }
    if (isStopped) return;
    const state: Running = { again: false, done: Promise.resolve() };
    running.set(name, state);
    state.done = task()
      .then(() => backOff.succeeded(), failed)
      .finally(() => {
        running.delete(name);
        if (state.again) runOnce(name, task);
      });
  };
  const run = (from: Cell): void => runOnce(from.name, () => look(from));

  const watch = (cell: Cell): void => {
    if (watched.has(cell)) return;
    watched.add(cell);
    cell.store.events.on("appended", (heads: readonly LogHead[]) => {
      if (heads.some(({ botId }) => isLogId(botId))) run(cell);
    });
  };

  const later = (): void => {
    for (const cell of cells()) {
      watch(cell);
      run(cell);
    }
    if (isStopped) return;
    timer = setTimeout(later, LOOK_INTERVAL_MS);
    timer.unref();
  };
  later();

  return {
    wake: run,
    settle: createSettling(run, isThere),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      // A look may have begun to carry something at its end.
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
