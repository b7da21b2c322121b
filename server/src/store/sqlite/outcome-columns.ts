import type { TimelineCounts } from "../../domain/timeline.js";
import type { AttemptFailure, AttemptOutcome, LaneOutcomes } from "../store.js";

/** Outcomes on their way to the engine's thread: by columns, since what travels costs by the object. */
export interface OutcomeColumns {
  /** As long as there are lanes, like the four that follow. */
  botIds: string[];
  webhookVersions: number[];
  nextFreshIds: number[];
  attemptCounts: number[];
  minutes: (readonly TimelineCounts[] | undefined)[];
  /** As long as there are attempts, lane by lane, like all that follow. */
  updateIds: number[];
  failureCounts: number[];
  attemptedAts: number[];
  durationsMs: number[];
  failures: (AttemptFailure | undefined)[];
}

export function toColumns(lanes: readonly LaneOutcomes[]): OutcomeColumns {
  const attempts = lanes.flatMap((lane) => lane.attempts);
  return {
    botIds: lanes.map(({ botId }) => botId),
    webhookVersions: lanes.map(({ webhookVersion }) => webhookVersion),
    nextFreshIds: lanes.map(({ nextFreshId }) => nextFreshId),
    attemptCounts: lanes.map((lane) => lane.attempts.length),
    minutes: lanes.map(({ minutes }) => minutes),
    updateIds: attempts.map(({ updateId }) => updateId),
    failureCounts: attempts.map(({ failureCount }) => failureCount),
    attemptedAts: attempts.map(({ attemptedAt }) => attemptedAt),
    durationsMs: attempts.map(({ durationMs }) => durationMs),
    failures: attempts.map(({ failure }) => failure),
  };
}

export function fromColumns(columns: OutcomeColumns): LaneOutcomes[] {
  const attempts = columns.updateIds.map((updateId, index): AttemptOutcome => {
    const failure = columns.failures[index];
    const failureCount = columns.failureCounts[index] ?? 0;
    const attemptedAt = columns.attemptedAts[index] ?? 0;
    const durationMs = columns.durationsMs[index] ?? 0;
    return failure
      ? { updateId, failureCount, attemptedAt, durationMs, failure }
      : { updateId, failureCount, attemptedAt, durationMs };
  });
  let taken = 0;
  return columns.botIds.map((botId, index): LaneOutcomes => {
    const minutes = columns.minutes[index];
    const own = attempts.slice(taken, (taken += columns.attemptCounts[index] ?? 0));
    const webhookVersion = columns.webhookVersions[index] ?? 0;
    const lane = { botId, webhookVersion, nextFreshId: columns.nextFreshIds[index] ?? 0, attempts: own };
    return minutes ? { ...lane, minutes } : lane;
  });
}
