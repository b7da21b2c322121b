import { createLogThrottle } from "./log-throttle.js";

/** The wait after the first failure; it doubles with each further one, up to the longest. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** The same error is logged at most this often. */
const LOG_INTERVAL_MS = 60_000;

/**
 * How all background work handles an unexpected error: the error is logged, throttled, and the work is repeated after a
 * wait. It must not end the service, which clients still use, and repeating it without a wait would overload the service.
 */
export interface BackOff {
  /**
   * Logs a failure, unless the same one was logged a moment ago.
   *
   * @returns how long to wait before the next try, in milliseconds
   */
  failed(error: unknown): number;
  /** The next failure counts as the first. */
  succeeded(): void;
}

export function createBackOff(log: (error: unknown) => void): BackOff {
  const mayLog = createLogThrottle(LOG_INTERVAL_MS);
  let nextWaitMs = FIRST_WAIT_MS;
  return {
    failed(error) {
      if (mayLog(String(error))) log(error);
      const waitMs = nextWaitMs;
      nextWaitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      return waitMs;
    },
    succeeded() {
      nextWaitMs = FIRST_WAIT_MS;
    },
  };
}
