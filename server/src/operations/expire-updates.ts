import type { Logger } from "pino";
import { createBackOff } from "../domain/back-off.js";
import { type Store, StoreUnavailable } from "../store/store.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Rows removed or folded in one transaction: a few milliseconds of the store's time. */
const ROWS_PER_STEP = 500;
/** Writers come first: this long nothing is removed between two steps. */
const PAUSE_MS = 20;
/** After everything old is gone, and after an outage of the store. */
const REST_MS = 60_000;

export interface RetentionOptions {
  store: Store;
  retentionDays: number;
  logger: Logger;
}

/**
 * Removes what is too old, and folds what is old, for as long as it runs. A step that is under way when it is stopped ends
 * by itself.
 */
export interface Retention {
  /** Steps that failed. */
  failures(): number;
  stop(): void;
}

/**
 * Removes updates older than the retention allows, in small steps with pauses between, and then, once an hour, shortens
 * the timelines in the same way.
 */
export function startRetention({ store, retentionDays, logger }: RetentionOptions): Retention {
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
  /** The hour in which the timelines were last done with. */
  let foldedHour = 0;

  /** @returns whether there is more to do */
  const upkeep = async (): Promise<boolean> => {
    const now = Date.now();
    if (isExpiring && (await store.expireUpdates(now - retentionDays * DAY_MS, ROWS_PER_STEP))) return true;
    const hour = Math.floor(now / HOUR_MS);
    isExpiring = hour === foldedHour;
    if (isExpiring) return false;
    if (await store.foldTimelines(now, ROWS_PER_STEP)) return true;
    foldedHour = hour;
    isExpiring = true;
    return false;
  };

  const step = async (): Promise<void> => {
    let pauseMs = REST_MS;
    try {
      if (await upkeep()) pauseMs = PAUSE_MS;
      backOff.over();
    } catch (error) {
      failures += 1;
      if (!(error instanceof StoreUnavailable)) pauseMs = backOff.failed(error);
      else if (!stopped)
        logger.warn({ event: "retention_stalled", err: error }, "old updates cannot be removed now");
    }
    schedule(pauseMs);
  };

  const schedule = (pauseMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => void step(), pauseMs);
    timer.unref();
  };

  schedule(PAUSE_MS);
  return {
    failures: () => failures,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
