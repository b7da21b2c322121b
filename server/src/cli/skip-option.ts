import { MAX_SKIPPED_NUMBERS } from "../domain/limits.js";
import { UsageError } from "./errors.js";
import { sayEverySecond } from "./output/progress.js";

/**
 * The value of `--skip`: how many numbers every log skips.
 *
 * @throws UsageError when it is not a number in the range
 */
export function skippedNumbers(text: string, minimum: 0 | 1): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (count >= minimum && count <= MAX_SKIPPED_NUMBERS) return count;
  throw new UsageError(
    `--skip must be an integer from ${minimum} to ${MAX_SKIPPED_NUMBERS}, not ${JSON.stringify(text)}`,
  );
}

export function sayMovedLogs(): (logs: number) => void {
  return sayEverySecond((logs) => `${logs.toLocaleString("en-US")} logs moved`);
}
