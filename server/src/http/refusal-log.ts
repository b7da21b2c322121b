import type { Logger } from "pino";

/** One line about each for a minute, however often it is refused. */
const QUIET_MS = 60_000;
/** Names remembered; when there are more, the quiet of the oldest ends early. */
const MAX_NAMES = 1_000;

/**
 * Makes visible who runs into the rate limit: two bots that answer each other for ever, a client in a loop, somebody who
 * guesses tokens.
 *
 * @param now a clock in milliseconds that never goes back
 * @returns notes that `name` was refused
 */
export function createRefusalLog(logger: Logger, now = () => performance.now()): (name: string) => void {
  const saidAt = new Map<string, number>();
  return (name) => {
    const time = now();
    if (time - (saidAt.get(name) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    saidAt.delete(name);
    saidAt.set(name, time);
    if (saidAt.size > MAX_NAMES) saidAt.delete(saidAt.keys().next().value as string);
    logger.warn({ event: "rate_limited", who: name }, "requests are refused by the rate limit");
  };
}
