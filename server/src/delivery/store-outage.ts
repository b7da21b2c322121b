import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type BackOff, createBackOff } from "../domain/back-off.js";
import { StoreUnavailable } from "../store/store.js";

/** How long to wait before trying a store that cannot serve. Longer after an unexpected error: `domain/back-off.ts`. */
const PAUSE_MS = 500;

/**
 * Shared by all callers of the store: whether it serves. With a full disk it can be read but not written, so an outage is over
 * when every caller that failed has been served again, not when any has.
 */
export interface StoreOutage {
  /** Waits before the store is tried again. The first failure of an outage is logged, those that follow are not. */
  pause(caller: object, error: unknown): Promise<void>;
  /** Notes that the store has served a call of the caller. */
  over(caller: object): void;
}

export function watchStoreOutage(logger: Logger): StoreOutage {
  const waiting = new Set<object>();
  /** Of callers that had an unexpected error. */
  const backOffs = new Map<object, BackOff>();
  let since = 0;
  return {
    pause(caller, error) {
      if (!(error instanceof StoreUnavailable)) return sleep(backOffOf(caller).failed(error));
      if (waiting.size === 0) begin(error);
      waiting.add(caller);
      return sleep(PAUSE_MS);
    },
    over(caller) {
      backOffs.get(caller)?.succeeded();
      if (!waiting.delete(caller) || waiting.size > 0) return;
      logger.info(
        { event: "store_recovered", outageMs: Math.round(performance.now() - since) },
        "the store serves again; deliveries go on",
      );
    },
  };

  function backOffOf(caller: object): BackOff {
    const known = backOffs.get(caller);
    if (known) return known;
    const backOff = createBackOff((err) =>
      logger.error({ event: "store_failed", err }, "the store failed in an unexpected way; trying again"),
    );
    backOffs.set(caller, backOff);
    return backOff;
  }

  function begin(error: StoreUnavailable): void {
    since = performance.now();
    logger.warn(
      { event: "store_unavailable", err: error },
      "the store is unavailable; deliveries wait for it",
    );
  }
}
