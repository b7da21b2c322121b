import type { Logger } from "pino";
import { createLogThrottle } from "../domain/log-throttle.js";
import { type AttemptOutcome, type LaneOutcomes, type Store, StoreUnavailable } from "../store/store.js";
import type { LaneRunner } from "./lanes/lane-runner.js";

/** One line about each bot for a minute, however many of its outcomes are refused. */
const QUIET_MS = 60_000;

/** Writes down what came of attempts. */
export interface Recorder {
  /** All that these lanes have, in one transaction. */
  record(runners: readonly LaneRunner[]): Promise<void>;
  /** What one lane has, though the store refuses it as a whole: all but the outcomes at fault. */
  recordApart(runner: LaneRunner): Promise<void>;
}

export function createRecorder(store: Store, logger: Logger): Recorder {
  const maySayRefused = createLogThrottle(QUIET_MS);

  function sayRefused(botId: string, outcome: AttemptOutcome | undefined, err: unknown): void {
    if (!maySayRefused(botId)) return;
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

    async recordApart(runner) {
      const { attempts: outcomes, nextFreshId, ...lane } = runner.collectOutcomes();
      let { minutes } = lane;
      let isRefused = false;
      let first = 0;
      let count = outcomes.length;
      while (first < outcomes.length) {
        // Nothing is moved past what is still to come: after a crash it must be sent again.
        const part: LaneOutcomes = {
          ...lane,
          nextFreshId: 0,
          attempts: outcomes.slice(first, first + count),
        };
        try {
          await store.recordAttempts([{ ...part, minutes }]);
          minutes = undefined;
        } catch (error) {
          if (error instanceof StoreUnavailable) throw error;
          if (count > 1) {
            count >>= 1;
            continue;
          }
          isRefused = true;
          sayRefused(runner.botId, outcomes[first], error);
        }
        runner.outcomesRecorded(count);
        first += count;
        count = outcomes.length - first;
      }
      if (isRefused) await store.recordAttempts([{ ...lane, nextFreshId, attempts: [], minutes: undefined }]);
    },
  };
}
