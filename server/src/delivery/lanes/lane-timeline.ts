import { countAttempt, type TimedAttempt, type TimelineCounts } from "../../domain/timeline.js";

/**
 * A lane's counts are written with its outcomes once a second at most: in every batch they would cost each busy bot a
 * further row for every few deliveries. What is left when a lane is given back goes with that. A process that is killed
 * takes up to a second of them along, never an outcome.
 */
const WRITE_EVERY_MS = 1_000;

/** What the attempts of one lane came to, minute by minute, until the store has it. */
export interface LaneTimeline {
  count(attempt: TimedAttempt): void;
  /** What to write with the outcomes now; mostly nothing. */
  collect(): readonly TimelineCounts[];
  /** The store has what was collected last. */
  recorded(): void;
  /** What has not been collected. The rest goes with outcomes, whose write may still be under way: told here, it would count twice. */
  rest(): readonly TimelineCounts[];
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
    rest: () => open,
  };
}
