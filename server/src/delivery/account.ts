import type { Logger } from "pino";
import { failureClass } from "../domain/outcome-class.js";
import { createQuiet } from "../domain/quiet.js";
import type { DueUpdate } from "../domain/update.js";
import type { AttemptOutcome } from "../store/store.js";
import { createDeliveryTally, type DeliveryTally } from "./tally.js";

/** One line about each bot for a minute, however many of its updates fail. */
const QUIET_MS = 60_000;

/** What an event is about. Of a webhook only the host is told: its path or query may be a secret. */
interface Lane {
  botId: string;
  host: string | undefined;
}

/** Counts what delivery does, and says in the log what an operator must know. */
export interface Account {
  readonly tally: DeliveryTally;
  attemptBegun(update: DueUpdate): void;
  attemptEnded(botId: string, host: string, outcome: AttemptOutcome): void;
  /** A receiver has come to be probed, or is so no more. */
  receiverChanged(lane: Lane, isProbed: boolean): void;
  /** Leases were found to be somebody else's, or nobody's, before they were given back. */
  lanesLost(count: number): void;
  /** The store refuses a lane for a lasting reason. */
  laneRefused(botId: string, error: unknown): void;
}

export function keepAccount(logger: Logger): Account {
  const tally = createDeliveryTally();
  const maySayFailed = createQuiet(QUIET_MS);
  const maySayRefused = createQuiet(QUIET_MS);
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
      if (!maySayFailed(botId)) return;
      const fields = { event: "update_failed", botId, host, updateId, error: failure.error };
      logger.warn(fields, "an update has failed for good; it can be replayed");
    },
    receiverChanged(lane, isProbed) {
      if (isProbed) logger.info({ event: "webhook_failing", ...lane }, "webhook keeps failing; probing it");
      else logger.info({ event: "webhook_recovered", ...lane }, "webhook answers again");
    },
    lanesLost(lanes) {
      tally.lostLanes += lanes;
      logger.warn({ event: "lanes_lost", lanes }, "leases were lost; others may send the same updates");
    },
    laneRefused(botId, err) {
      if (!maySayRefused(botId)) return;
      logger.error(
        { event: "lane_refused", botId, err },
        "the store refuses a lane for a lasting reason; it is left alone until its lease has run out",
      );
    },
  };
}
