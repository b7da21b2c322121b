import { countAttempt, type TimedAttempt, type TimelineCounts } from "../../domain/delivery/timeline.js";

/**
 * A lane's counts are written with its outcomes, at most once a second: in every batch they would cost a busy bot one more
 * row for every few deliveries. What is left is written with the release of the lane. A process that is killed loses up to a
 * second of counts, never an outcome.
 */
const WRITE_EVERY_MS = 1_000;

/** The outcomes of one lane's attempts, counted by the minute, until the store has them. */
export interface LaneTimeline {
  count(attempt: TimedAttempt): void;
  /** The counts to write with the outcomes now; mostly none. */
  collect(): readonly TimelineCounts[];
  /** The store has what was collected last. */
  recorded(): void;
  /** Counts that were not collected yet. Collected counts may still be in a write, and would be counted twice. */
  uncollected(): readonly TimelineCounts[];
}

export function createLaneTimeline(): LaneTimeline {
  let open: TimelineCounts[] = [];
  let collected: TimelineCounts[] = [];
  let writtenAt = Number.NEGATIVE_INFINITY;

  return {
    count: (attempt) => countAttempt(open, attempt),
    collect() {
      if (performance.now() - writtenAt >= WRITE_EVERY_MS) {
        collected = [...collected, ...open];
        open = [];
      }
      return collected;
    },
    recorded() {
      if (collected.length === 0) return;
      collected = [];
      writtenAt = performance.now();
    },
    uncollected: () => open,
  };
}
