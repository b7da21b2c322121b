import type { Logger } from "pino";
import { createBackOff } from "../../domain/back-off.js";
import { IDEMPOTENCY_KEY_TTL_MS } from "../../domain/limits.js";
import { ROWS_PER_STEP } from "../../store/erase-remains.js";
import { type Store, StoreUnavailable, type UpkeepTask } from "../../store/store.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Between two steps, so that other writes come first. */
const STEP_INTERVAL_MS = 20;
/** Of one owner. What they are appended to is bounded beside this. */
const ALERTS_PER_STEP = 50;
/** How often an instance looks for what deletions have left, and whether it holds the upkeep, or can take it. */
const LOOK_INTERVAL_MS = 1_000;
/** The wait after everything old is removed, and after an outage of the store. */
const PASS_INTERVAL_MS = 60_000;

/** Events are removed this much later than their updates: idempotency keys refer to them for a day. */
const SWEEP_MARGIN_DAYS = 1;

export interface UpkeepOptions {
  store: Store;
  retentionDays: number;
  /** Posts are kept when left out. */
  postRetentionDays?: number | undefined;
  auditRetentionDays: number;
  logger: Logger;
}

/** The background task. A step that is running when it is stopped still completes. */
export interface Upkeep {
  /** Steps that failed. */
  failures(): number;
  /**
   * When everything old was removed last, in milliseconds since the epoch; undefined unless this instance holds the
   * upkeep, and has done so.
   */
  completedAt(): number | undefined;
  stop(): void;
}

/**
 * While this instance holds the upkeep: erases what deletions have left, tells owners of their webhooks, and works in passes, a minute apart, each of which
 * counts what owners have used and removes updates that are older than the retention. The first pass of an hour then also folds old minutes of timelines,
 * removes old idempotency keys and audit entries, and removes events that no log points at. All of it in small steps.
 */
export function startUpkeep({
  store,
  retentionDays,
  postRetentionDays,
  auditRetentionDays,
  logger,
}: UpkeepOptions): Upkeep {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failures = 0;
  let isHeld = false;
  /** What the pass has still to do. */
  let tasks: UpkeepTask[] = [];
  /** By `performance.now()`. */
  let nextPassAt = 0;
  let lastHour = 0;
  let completedAt: number | undefined;
  const backOff = createBackOff((err) =>
    logger.error(
      { event: "retention_failed", err },
      "removing old updates failed in an unexpected way; trying again",
    ),
  );

  const beginPass = (now: number): void => {
    const before = (days: number): number => now - days * DAY_MS;
    tasks = [
      { kind: "count", now },
      { kind: "expire", before: before(retentionDays) },
    ];
    const hour = Math.floor(now / HOUR_MS);
    if (hour === lastHour) return;
    lastHour = hour;
    const postsBefore =
      postRetentionDays === undefined ? undefined : before(postRetentionDays + SWEEP_MARGIN_DAYS);
    tasks.push(
      { kind: "fold", now },
      { kind: "forgetKeys", before: now - IDEMPOTENCY_KEY_TTL_MS },
      { kind: "forgetAudit", before: before(auditRetentionDays) },
      { kind: "sweep", before: before(retentionDays + SWEEP_MARGIN_DAYS), postsBefore },
    );
  };

  /** Takes one step of the pass. */
  const goOn = async (task: UpkeepTask): Promise<void> => {
    if ((await store.runUpkeep(task, ROWS_PER_STEP)) !== "done") return;
    tasks.shift();
    if (tasks.length > 0) return;
    completedAt = Date.now();
    nextPassAt = performance.now() + PASS_INTERVAL_MS;
  };

  /** @returns the wait until the next step, in milliseconds */
  const step = async (): Promise<number> => {
    isHeld = await store.holdUpkeep();
    if (!isHeld) return LOOK_INTERVAL_MS;
    if (tasks.length === 0 && performance.now() >= nextPassAt) beginPass(Date.now());
    const erased = await store.runUpkeep({ kind: "erase" }, ROWS_PER_STEP);
    const told = await store.runUpkeep({ kind: "alert" }, ALERTS_PER_STEP);
    const users = await store.runUpkeep({ kind: "eraseUsers" }, ROWS_PER_STEP);
    const [task] = tasks;
    if (task) await goOn(task);
    const isMore = [erased, told, users].includes("more") || tasks.length > 0;
    return isMore ? STEP_INTERVAL_MS : LOOK_INTERVAL_MS;
  };

  const run = async (): Promise<void> => {
    timer = undefined;
    try {
      const waitMs = await step();
      backOff.succeeded();
      schedule(waitMs);
    } catch (error) {
      if (stopped) return;
      failures += 1;
      isHeld = false;
      if (!(error instanceof StoreUnavailable)) return schedule(backOff.failed(error));
      logger.warn({ event: "retention_stalled", err: error }, "old updates cannot be removed now");
      schedule(PASS_INTERVAL_MS);
    }
  };

  const schedule = (waitMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => void run(), waitMs);
    timer.unref();
  };

  /** Another instance waits: the next step comes at once. */
  const hurry = (): void => {
    if (!isHeld || !timer) return;
    clearTimeout(timer);
    schedule(0);
  };

  store.events.on("upkeepWanted", hurry);
  schedule(STEP_INTERVAL_MS);
  return {
    failures: () => failures,
    completedAt: () => (isHeld ? completedAt : undefined),
    stop() {
      stopped = true;
      store.events.off("upkeepWanted", hurry);
      clearTimeout(timer);
    },
  };
}
