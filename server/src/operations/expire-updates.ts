import type { Logger } from "pino";
import { type Store, StoreUnavailable } from "../store/store.js";

const DAY_MS = 86_400_000;
/** Updates removed in one transaction: a few milliseconds of the store's time. */
const UPDATES_PER_STEP = 500;
/** Writers come first: this long nothing is removed between two steps. */
const PAUSE_MS = 20;
/** After everything old is gone, and after an outage of the store. */
const REST_MS = 60_000;

export interface RetentionOptions {
  store: Store;
  retentionDays: number;
  logger: Logger;
}

/** Removes what is too old for as long as it runs. A step that is under way when it is stopped ends by itself. */
export interface Retention {
  /** Steps that failed because the store could not serve. */
  failures(): number;
  stop(): void;
}

/** Removes updates older than the retention allows, in small steps with pauses between. */
export function startRetention({ store, retentionDays, logger }: RetentionOptions): Retention {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failures = 0;

  const step = async (): Promise<void> => {
    let pauseMs = REST_MS;
    try {
      const before = Date.now() - retentionDays * DAY_MS;
      if (await store.expireUpdates(before, UPDATES_PER_STEP)) pauseMs = PAUSE_MS;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      failures += 1;
      if (!stopped)
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
