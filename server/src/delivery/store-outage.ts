import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { StoreUnavailable } from "../store/store.js";

/** How long to leave a store alone that cannot serve. */
const PAUSE_MS = 500;

/** What all who call the store know together about whether it serves. */
export interface StoreOutage {
  /** Waits before the store is tried again. The first failure of an outage is logged, those that follow are not. */
  pause(error: unknown): Promise<void>;
  /** Notes that the store has served a call. */
  over(): void;
}

export function watchStoreOutage(logger: Logger): StoreOutage {
  let since: number | undefined;
  return {
    pause(error) {
      if (!(error instanceof StoreUnavailable)) {
        logger.error(
          { event: "store_failed", err: error },
          "the store failed in an unexpected way; trying again",
        );
      } else if (since === undefined) {
        since = performance.now();
        logger.warn(
          { event: "store_unavailable", err: error },
          "the store is unavailable; deliveries wait for it",
        );
      }
      return sleep(PAUSE_MS);
    },
    over() {
      if (since === undefined) return;
      logger.info(
        { event: "store_recovered", outageMs: Math.round(performance.now() - since) },
        "the store serves again; deliveries go on",
      );
      since = undefined;
    },
  };
}
