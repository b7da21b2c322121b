import { TurnQueue } from "../domain/turn-queue.js";

/** Runs the steps of batches. */
export interface BatchSteps {
  /** @param caller whose batch it is; callers take turns, step by step */
  run<Result>(caller: string, step: () => Promise<Result>): Promise<Result>;
}

/** Steps of all batches that are in progress at once. Two keep the store busy; more would only make single posts wait. */
const MAX_RUNNING = 2;

/**
 * Bounds how much batches use the store: they are written in steps, of which few run at once, and waiting steps take
 * turns by caller. So a single post waits for a few steps at most, and no caller's batch waits for all batches of
 * another caller.
 */
export function createBatchSteps(): BatchSteps {
  const waiting = new TurnQueue<{ caller: string; begin: () => void }>(({ caller }) => caller);
  let running = 0;

  function beginNext(): void {
    for (const { begin } of waiting.take(MAX_RUNNING - running)) {
      running += 1;
      begin();
    }
  }

  return {
    async run(caller, step) {
      await new Promise<void>((begin) => {
        waiting.push({ caller, begin });
        beginNext();
      });
      try {
        return await step();
      } finally {
        running -= 1;
        beginNext();
      }
    },
  };
}
