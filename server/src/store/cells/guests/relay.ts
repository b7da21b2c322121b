import { createBackOff } from "../../../domain/back-off.js";
import { newId } from "../../../domain/ids.js";
import { type CarriedLog, type LogHead, OwnerElsewhere, type Store, StoreUnavailable } from "../../store.js";
import type { Cell, Cells } from "../cell.js";
import { carryEntries } from "./carry-entry.js";
import { carryLog } from "./carry-log.js";
import { type CellAfter, cellNow } from "./follow-change.js";
import { followChanges } from "./follow-changes.js";
import { cellOfLog, isChanges, isLogId } from "./guests.js";
import { createSettling, type Settle } from "./settling.js";
import { createWakeUp, type WakeUp } from "./wake-up.js";

/** How often outboxes are looked for that no hint told of. */
const LOOK_INTERVAL_MS = 2_000;
const ENTRIES_PER_STEP = 100;
/** Each takes some twenty statements; how far a step has come is known at its end. */
const CHANGES_PER_STEP = 16;

/** Something that is done once more when it was asked for meanwhile. */
interface Running {
  again: boolean;
  wakeUp: WakeUp;
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
    if (move?.state === "arriving") throw new StoreUnavailable("the holder of a channel is being moved");
    if (move?.state !== "left" || move.otherCell === name) return undefined;
    const cell = cells().find((one) => one.name === move.otherCell);
    if (!cell) throw new StoreUnavailable(`the holder of a channel has moved to the cell ${move.otherCell}`);
    return cell;
  };

  const homeOf = async (owner: string, from: Cell, to: Cell): Promise<Store | undefined> => {
    const home = await cellNow(to, owner, cellAfter);
    return home === to || home === from ? undefined : home.store;
  };

  const carry = async (from: Cell, log: CarriedLog, wakeUp: WakeUp): Promise<void> => {
    const to = cellFor(log.ownerUserId);
    if (!to) return;
    const isOfChanges = isChanges(log.ownerUserId);
    await carryLog({
      from,
      log,
      reader,
      wakeUp,
      perStep: isOfChanges ? CHANGES_PER_STEP : ENTRIES_PER_STEP,
      isStopped: () => isStopped,
      carry: async (entries) =>
        isOfChanges
          ? await followChanges({ home: from, away: to }, entries, cellAfter)
          : await carryEntries(to.store, entries, (owner) => homeOf(owner, from, to)),
    });
  };

  const look = async (from: Cell): Promise<void> => {
    const logs = await from.store.listOutboxes();
    // Not waited for: where one cell hangs, the others hear all the same.
    for (const log of logs)
      if (log.head > log.position)
        runOnce(
          `${from.name} ${log.botId}`,
          (wakeUp) => carry(from, log, wakeUp),
          () => run(from),
        );
  };

  const failed = (error: unknown): void => {
    // An owner is being moved, whose bots what is carried concerns.
    if (!(error instanceof StoreUnavailable || error instanceof OwnerElsewhere)) backOff.failed(error);
  };

  /** One after the other under the same name: a lease keeps others away from a log, not us. */
  const runOnce = (name: string, task: (wakeUp: WakeUp) => Promise<void>, again: () => void): void => {
    const known = running.get(name);
    if (known) {
      known.again = true;
      known.wakeUp.wake();
      return;
    }
    if (isStopped) return;
    const wakeUp = createWakeUp();
    const state: Running = { again: false, wakeUp, done: Promise.resolve() };
    running.set(name, state);
    state.done = task(wakeUp)
      .then(() => backOff.succeeded(), failed)
      .finally(() => {
        running.delete(name);
        if (state.again) again();
      });
  };
  const run = (from: Cell): void =>
    runOnce(
      from.name,
      () => look(from),
      () => run(from),
    );

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
