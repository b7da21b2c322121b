import type { Logger } from "pino";
import { failureClass } from "../domain/delivery/outcome-class.js";
import type { DueUpdate } from "../domain/events/update.js";
import { createLogThrottle } from "../domain/log-throttle.js";
import type { AttemptOutcome } from "../store/store.js";
import { createDeliveryTally, type DeliveryTally } from "./tally.js";

/** One line about each bot in this time, however many of its updates fail. */
const LOG_INTERVAL_MS = 60_000;

/** Of a webhook only the host is logged: its path or query may be a secret. */
interface Receiver {
  botId: string;
  host: string | undefined;
}

/** Counts what delivery does, and logs what an operator must know. */
export interface DeliveryLog {
  readonly tally: DeliveryTally;
  attemptBegun(update: DueUpdate): void;
  attemptEnded(botId: string, host: string, outcome: AttemptOutcome): void;
  /** The receiver keeps failing, and is only probed from now on. */
  receiverFailing(receiver: Receiver): void;
  receiverRecovered(receiver: Receiver): void;
  /** Leases turned out to be held by nobody, or by another holder, before they were released. */
  lanesLost(count: number): void;
  /** The store refuses a lane for a lasting reason. */
  laneRefused(botId: string, error: unknown): void;
}

export function createDeliveryLog(logger: Logger): DeliveryLog {
  const tally = createDeliveryTally();
  const mayLogFailed = createLogThrottle(LOG_INTERVAL_MS);
  const mayLogRefused = createLogThrottle(LOG_INTERVAL_MS);
  return {
    tally,
    attemptBegun({ attemptCount }) {
      tally.attempts += 1;
      if (attemptCount > 0) tally.retries += 1;
    },
    attemptEnded(botId, host, { updateId, failure }) {
      tally.outcomes[failure ? failureClass(failure.error) : "accepted"] += 1;
      if (!failure || failure.nextRetryAt !== undefined) return;
      tally.failedUpdates += 1;
      if (!mayLogFailed(botId)) return;
      const fields = { event: "update_failed", botId, host, updateId, error: failure.error };
      logger.warn(fields, "an update has failed for good; it can be replayed");
    },
    receiverFailing(receiver) {
      logger.info({ event: "webhook_failing", ...receiver }, "webhook keeps failing; probing it");
    },
    receiverRecovered(receiver) {
      logger.info({ event: "webhook_recovered", ...receiver }, "webhook answers again");
    },
    lanesLost(lanes) {
      tally.lostLanes += lanes;
      logger.warn({ event: "lanes_lost", lanes }, "leases were lost; others may send the same updates");
    },
    laneRefused(botId, err) {
      if (!mayLogRefused(botId)) return;
      logger.error(
        { event: "lane_refused", botId, err },
        "the store refuses a lane for a lasting reason; it is left alone until its lease has run out",
      );
    },
  };
}
