import type { Logger } from "pino";

/** One line about each for a minute, however often it is refused. */
const QUIET_MS = 60_000;
/** Names remembered; when there are more, the quiet of the oldest ends early. */
const MAX_NAMES = 1_000;

interface Refusal {
  /** By which programs know the line. */
  event: string;
  message: string;
}

/** Whoever runs into the rate limit: two bots that answer each other for ever, a client in a loop, a guesser of tokens. */
export const RATE_LIMITED: Refusal = {
  event: "rate_limited",
  message: "requests are refused by the rate limit",
};
export const CONNECTIONS_FULL: Refusal = {
  event: "connections_full",
  message: "connections are closed as they come: as many as MAX_CONNECTIONS allows are open",
};

/**
 * Makes refusals visible without letting those who cause them fill the log.
 *
 * @param now a clock in milliseconds that never goes back
 * @returns notes that `who` was refused
 */
export function createRefusalLog(
  logger: Logger,
  { event, message }: Refusal,
  now = () => performance.now(),
): (who: string) => void {
  const saidAt = new Map<string, number>();
  return (who) => {
    const time = now();
    if (time - (saidAt.get(who) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    saidAt.delete(who);
    saidAt.set(who, time);
    if (saidAt.size > MAX_NAMES) saidAt.delete(saidAt.keys().next().value as string);
    logger.warn({ event, who }, message);
  };
}
