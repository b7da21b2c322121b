import { MAX_TARGET_AGE_MS, MIN_TARGET_AGE_MS } from "../../domain/limits.js";

/**
 * A target is used for so many times as long as the slowest of the last reads took: a lane reads again at half of that age,
 * may wait for the read of others first, and so always has a target that it may use.
 */
const READS_PER_AGE = 4;
const SAMPLES = 16;

/**
 * How long the lanes of this process may use a target after its read began. It follows the latency of the store: a target
 * is as old as its read took when it arrives, and with a limit below that nothing could ever be sent.
 */
export interface TargetAge {
  /** In milliseconds. */
  ms(): number;
  /**
   * A read of due updates took this long.
   *
   * @returns whether the age has become longer, so that leases should say so soon
   */
  readTook(durationMs: number): boolean;
}

export function createTargetAge(): TargetAge {
  const samples: number[] = [];
  const ms = (): number =>
    Math.min(Math.max(MIN_TARGET_AGE_MS, Math.ceil(READS_PER_AGE * Math.max(...samples))), MAX_TARGET_AGE_MS);
  return {
    ms,
    readTook(durationMs) {
      const before = ms();
      samples.push(durationMs);
      if (samples.length > SAMPLES) samples.shift();
      return ms() > before;
    },
  };
}
