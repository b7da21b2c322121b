import type { Store } from "../../store/store.js";

/** Logs moved in one step: a few milliseconds of locks. */
const LOGS_PER_STEP = 500;

/**
 * Moves the next number of every log on by `count`, after data was lost, so that no number from before the loss is given out
 * again. In small steps; after an interruption the next call starts again, and logs that were moved already are moved once
 * more, which does no harm.
 *
 * @param onProgress called after each step with the logs moved so far
 * @returns how many logs were moved
 */
export async function skipUpdateIds(
  store: Store,
  count: number,
  onProgress: (logs: number) => void,
): Promise<number> {
  let logs = 0;
  let from: number | undefined = 0;
  while (from !== undefined) {
    const step = await store.skipUpdateIds(from, LOGS_PER_STEP, count);
    logs += step.logs;
    onProgress(logs);
    from = step.next;
  }
  return logs;
}
