import type { Logger } from "pino";
import { createLogThrottle } from "../../domain/log-throttle.js";
import type { HttpTally, RefusalEvent } from "../tally.js";

/** One line about each for a minute, however often it is refused. */
const QUIET_MS = 60_000;

interface Refusal {
  /** By which programs know the line. */
  event: RefusalEvent;
  message: string;
}

/** Whoever runs into the rate limit: two bots that answer each other for ever, a client in a loop, a guesser of tokens. */
export const RATE_LIMITED: Refusal = {
  event: "rate_limited",
  message: "requests are refused by the rate limit",
};
/** More posts come than can be stored. */
export const POSTS_REFUSED: Refusal = {
  event: "posts_refused",
  message: "posts are refused: as many as MAX_WAITING_POSTS allows wait to be stored",
};
export const CONNECTIONS_FULL: Refusal = {
  event: "connections_full",
  message: "connections are closed as they come: as many as MAX_CONNECTIONS allows are open",
};
export const POLL_REFUSED: Refusal = {
  event: "poll_refused",
  message: "polls of a bot are refused: as many as MAX_POLLS_PER_BOT allows wait already",
};

/**
 * Counts refusals, and makes them visible without letting those who cause them fill the log.
 *
 * @param now a clock in milliseconds that never goes back
 * @returns notes that `who` was refused
 */
export function createRefusalLog(
  logger: Logger,
  { event, message }: Refusal,
  tally: HttpTally,
  now = () => performance.now(),
): (who: string) => void {
  const maySay = createLogThrottle(QUIET_MS, now);
  return (who) => {
    tally.refusals[event] += 1;
    if (maySay(who)) logger.warn({ event, who }, message);
  };
}
