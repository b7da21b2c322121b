import { createLogThrottle } from "./log-throttle.js";

/** The first failure is followed by the shorter pause, each further one by twice the pause before, up to the longer one. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** The same work is complained of this often, however often it fails. */
const QUIET_MS = 60_000;

/**
 * What all work in the background does with an error that nobody foresaw: it is told, now and then, and the work is left
 * alone for a while and then goes on. It must not end the service, which others still use; and it must not be repeated
 * without a pause, which would take the service from them as well.
 */
export interface BackOff {
  /**
   * Tells of a failure, unless that was done a moment ago.
   *
   * @returns how long to leave the work alone, in milliseconds
   */
  failed(error: unknown): number;
  /** The work has been done: the next failure is a first one. */
  over(): void;
}

export function createBackOff(tell: (error: unknown) => void): BackOff {
  const mayTell = createLogThrottle(QUIET_MS);
  let pauseMs = FIRST_PAUSE_MS;
  return {
    failed(error) {
      if (mayTell(String(error))) tell(error);
      const ms = pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      return ms;
    },
    over() {
      pauseMs = FIRST_PAUSE_MS;
    },
  };
}
