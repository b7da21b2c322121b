import { type CarriedEntry, type CarriedLog, RELAY } from "../../store.js";
import type { Cell } from "../cell.js";
import { createBacklog, type Step } from "./backlog.js";
import type { WakeUp } from "./wake-up.js";

/** Steps at once. Nobody who has little waits for those who have much. */
const HEAVY_STEPS = 2;
const LIGHT_STEPS = 1;
/** For so long the instance that carries a log does so alone; it asks again in time. */
const LEASE_MS = 2_000;
const LOOK_MS = LEASE_MS / 4;
/** How often it is written down how far a log is carried, while there is more. */
const POSITION_INTERVAL_MS = 250;

export interface CarryOptions {
  /** The cell of the log. */
  from: Cell;
  log: CarriedLog;
  /** This instance. */
  reader: string;
  perStep: number;
  carry(entries: readonly CarriedEntry[]): Promise<void>;
  /** Whether to end before everything is carried. */
  isStopped(): boolean;
  /** Woken when the log may have got more. */
  wakeUp: WakeUp;
}

/**
 * Carries what a log has, unless another instance does that. Each entry is taken out of the log when it is carried, and that is not in the order
 * of the log but of one owner's, so the position says only up to where nothing is left.
 *
 * @throws the first error, when no step is under way any more
 */
export async function carryLog(options: CarryOptions): Promise<void> {
  const { from, log, reader, perStep, carry, isStopped, wakeUp } = options;
  const { botId } = log;
  const backlog = createBacklog(
    (after, limit) => from.store.listUncarried(botId, after, limit),
    log.position,
    perStep,
  );
  const steps = new Map<Step, Promise<void>>();
  const failures: unknown[] = [];
  let hasCarried = false;
  let heldUntil = 0;
  let { position } = log;
  let notedAt = Date.now();

  const hold = async (): Promise<boolean> => {
    const now = Date.now();
    if (now + LEASE_MS / 2 < heldUntil) return true;
    const other = await from.store.holdConsumer(botId, RELAY, reader, now + LEASE_MS, now);
    if (other === undefined) heldUntil = now + LEASE_MS;
    return other === undefined;
  };

  const run = async (step: Step): Promise<void> => {
    try {
      const entries = await from.store.readCarried(botId, step.numbers);
      if (entries.length > 0) await carry(entries);
      await from.store.removeCarried(botId, step.numbers);
      backlog.finish(step);
      hasCarried = true;
    } catch (error) {
      failures.push(error);
    }
    steps.delete(step);
    wakeUp.wake();
  };

  const startSteps = (): void => {
    for (const isHeavy of [false, true]) {
      const running = [...steps.keys()].filter((step) => step.isHeavy === isHeavy).length;
      for (let n = running; n < (isHeavy ? HEAVY_STEPS : LIGHT_STEPS); n += 1) {
        const step = backlog.take(isHeavy);
        if (step) steps.set(step, run(step));
      }
    }
  };

  const notePosition = async (to: number): Promise<void> => {
    if (to <= position) return;
    const now = Date.now();
    await from.store.moveConsumer(botId, RELAY, { position: to, done: [], rewind: false }, now);
    position = to;
    notedAt = now;
  };

  try {
    while (!isStopped() && failures.length === 0) {
      if (!(await hold())) return;
      const isMore = await backlog.readOn();
      // A step may have failed meanwhile.
      if (failures.length > 0) break;
      startSteps();
      if (isMore && hasCarried) continue;
      // What is not there any more has expired.
      if (steps.size === 0 && !isMore) return await notePosition(Math.max(backlog.position, log.head));
      if (Date.now() > notedAt + POSITION_INTERVAL_MS) await notePosition(backlog.position);
      await wakeUp.wait(LOOK_MS);
    }
  } finally {
    await Promise.all(steps.values());
    // Otherwise another instance waits for the end of the lease.
    const now = Date.now();
    if (heldUntil > now) await from.store.holdConsumer(botId, RELAY, reader, now - 1, now).catch(() => {});
  }
  if (failures.length > 0) throw failures[0];
}
