import { isPassing } from "../errors.js";
import { retryWaitMs } from "./next-updates.js";
import { wait } from "./wait.js";

/**
 * Moves a consumer, as often as it takes while the service cannot be reached. Once the signal is aborted it is tried one last
 * time.
 *
 * @throws whatever the last try failed with
 */
export async function moveAtLast(move: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      await move();
      return;
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      await wait(retryWaitMs(error, failures), signal).catch(() => {});
    }
  }
}
