import type { Logger } from "pino";
import { createBackOff } from "../domain/back-off.js";
import { IDEMPOTENCY_KEY_TTL_MS } from "../domain/limits.js";
import { type Store, StoreUnavailable } from "../store/store.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Rows removed or folded in one transaction: a few milliseconds of the store's time. */
const ROWS_PER_STEP = 500;
/** Between two steps, so that other writes come first. */
const STEP_INTERVAL_MS = 20;
/** The wait after everything old is removed, and after an outage of the store. */
const IDLE_INTERVAL_MS = 60_000;

/** Events are removed this much later than their updates: idempotency keys refer to them for a day. */
const SWEEP_MARGIN_MS = DAY_MS;

export interface RetentionOptions {
  store: Store;
  retentionDays: number;
  /** Posts are kept when left out. */
  postRetentionDays?: number | undefined;
  logger: Logger;
}

/** The background task. A step that is running when it is stopped still completes. */
export interface Retention {
  /** Steps that failed. */
  failures(): number;
  stop(): void;
}

/**
 * Removes updates that are older than the retention and erases deleted posts, channels and bots, in small steps. Once an hour
 * it then folds old minutes of timelines, removes old idempotency keys, and removes events that no log points at.
 */
export function startRetention({
  store,
  retentionDays,
  postRetentionDays,
  logger,
}: RetentionOptions): Retention {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failures = 0;
  const backOff = createBackOff((err) =>
    logger.error(
      { event: "retention_failed", err },
      "removing old updates failed in an unexpected way; trying again",
    ),
  );

  let isExpiring = true;
  /** The hour in which the hourly work was last completed. */
  let foldedHour = 0;

  const sweep = (now: number): Promise<boolean> => {
    const before = (days: number): number => now - days * DAY_MS - SWEEP_MARGIN_MS;
    const postsBefore = postRetentionDays === undefined ? undefined : before(postRetentionDays);
    return store.sweepEvents(before(retentionDays), postsBefore, ROWS_PER_STEP);
  };

  /** @returns whether there is more to do */
  const upkeep = async (): Promise<boolean> => {
    const now = Date.now();
    const isErasing = await store.eraseRemains(ROWS_PER_STEP);
    if (isExpiring && (await store.expireUpdates(now - retentionDays * DAY_MS, ROWS_PER_STEP))) return true;
    if (isErasing) return true;
    const hour = Math.floor(now / HOUR_MS);
    isExpiring = hour === foldedHour;
    if (isExpiring) return false;
    if (await store.foldTimelines(now, ROWS_PER_STEP)) return true;
    if (await store.forgetKeys(now - IDEMPOTENCY_KEY_TTL_MS, ROWS_PER_STEP)) return true;
    if (await sweep(now)) return true;
    foldedHour = hour;
    isExpiring = true;
    return false;
  };

  const step = async (): Promise<void> => {
    let waitMs = IDLE_INTERVAL_MS;
    try {
      if (await upkeep()) waitMs = STEP_INTERVAL_MS;
      backOff.succeeded();
    } catch (error) {
      failures += 1;
      if (!(error instanceof StoreUnavailable)) waitMs = backOff.failed(error);
      else if (!stopped)
        logger.warn({ event: "retention_stalled", err: error }, "old updates cannot be removed now");
    }
    schedule(waitMs);
  };

  const schedule = (waitMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => void step(), waitMs);
    timer.unref();
  };

  schedule(STEP_INTERVAL_MS);
  return {
    failures: () => failures,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
