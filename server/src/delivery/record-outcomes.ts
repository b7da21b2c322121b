import type { Logger } from "pino";
import { partsOf } from "../domain/fault-isolation.js";
import { createLogThrottle } from "../domain/log-throttle.js";
import { type AttemptOutcome, type Store, StoreUnavailable } from "../store/store.js";
import type { LaneRunner } from "./lanes/lane-runner.js";

/** At most one line per bot in this time, however many of its outcomes are refused. */
const LOG_EVERY_MS = 60_000;

/** Records outcomes of attempts in the store. */
export interface Recorder {
  /** All outcomes of these lanes, in one transaction. */
  record(runners: readonly LaneRunner[]): Promise<void>;
  /** The outcomes of a lane that the store refuses as a whole, except those at fault. */
  recordIndividually(runner: LaneRunner): Promise<void>;
}

export function createRecorder(store: Store, logger: Logger): Recorder {
  const mayLogRefused = createLogThrottle(LOG_EVERY_MS);

  function logRefused(botId: string, outcome: AttemptOutcome | undefined, err: unknown): void {
    if (!mayLogRefused(botId)) return;
    logger.error(
      { event: "outcome_refused", botId, updateId: outcome?.updateId, err },
      "the store refuses the outcome of an attempt for a lasting reason; it is left out",
    );
  }

  return {
    async record(runners) {
      await store.recordAttempts(runners.map((runner) => runner.collectOutcomes()));
      for (const runner of runners) runner.outcomesRecorded();
    },

    async recordIndividually(runner) {
      const { attempts, nextFreshId, ...lane } = runner.collectOutcomes();
      let { minutes } = lane;
      let hasRefused = false;
      const parts = partsOf(attempts);
      for (const part of parts) {
        let isRefused = false;
        try {
          // Nothing is moved past what is still to come: after a crash it must be sent again.
          await store.recordAttempts([{ ...lane, nextFreshId: 0, attempts: part, minutes }]);
          minutes = undefined;
        } catch (error) {
          if (error instanceof StoreUnavailable) throw error;
          if (parts.split()) continue;
          isRefused = true;
          hasRefused = true;
          logRefused(runner.botId, part[0], error);
        }
        runner.outcomesRecorded(part.length, isRefused);
      }
      if (hasRefused)
        await store.recordAttempts([{ ...lane, nextFreshId, attempts: [], minutes: undefined }]);
    },
  };
}
