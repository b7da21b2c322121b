import type { Logger } from "pino";
import { createLogThrottle } from "../../domain/log-throttle.js";
import type { HttpTally, RefusalEvent } from "../tally.js";

/** At most one line a minute for each caller, however often it is refused. */
const QUIET_MS = 60_000;

interface Refusal {
  /** Identifies the line for programs. */
  event: RefusalEvent;
  message: string;
}

/** Typical causes: a client in a loop, somebody who guesses tokens. */
export const RATE_LIMITED: Refusal = {
  event: "rate_limited",
  message: "requests are refused by the rate limit",
};
export const POSTS_REFUSED: Refusal = {
  event: "posts_refused",
  message:
    "posts are refused: MAX_WAITING_POSTS wait to be stored already, and the owner has more than an equal share of them",
};
export const CONNECTIONS_FULL: Refusal = {
  event: "connections_full",
  message: "connections are closed at once: MAX_CONNECTIONS of them are open already",
};
export const POLL_REFUSED: Refusal = {
  event: "poll_refused",
  message: "polls of a bot, or of the feed, are refused: MAX_POLLS_PER_BOT of them wait already",
};
export const BOT_LOOP: Refusal = {
  event: "bot_loop",
  message:
    "bots of a channel answer each other: they are slowed until a person posts, or one of them leaves out the posts of bots",
};

/**
 * Counts refusals and logs them, throttled so that no caller can fill the log.
 *
 * @param now a monotonic clock in milliseconds
 * @returns counts and logs a refusal of `who`
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
