import {
  afterFailure,
  afterSuccess,
  FRESH_HEALTH,
  isProbing,
  type LaneHealth,
} from "../../domain/lane-health.js";
import type { RetrySchedule } from "../../domain/retry-schedule.js";
import type { Attempt } from "./lane-attempts.js";

/** How the receiver of one lane has been answering, as far as its attempts under way may still tell. */
export interface ReceiverHealth {
  current(): LaneHealth;
  /** Counts the times that the lane was started over. An attempt or a read of an earlier round tells nothing about this. */
  round(): number;
  /** A new webhook, or an owner who asks for a replay, owes nothing to the failures before. */
  beginRound(): void;
  isProbing(): boolean;
  /** No attempt starts now. */
  isResting(): boolean;
  /** @returns whether the receiver has come to be probed by this, or is so no more; undefined when neither */
  note(attempt: Attempt, isAccepted: boolean, now: number): boolean | undefined;
}

export function createReceiverHealth(claimed: LaneHealth, schedule: RetrySchedule): ReceiverHealth {
  let health = claimed;
  let round = 0;
  return {
    current: () => health,
    round: () => round,
    beginRound() {
      health = FRESH_HEALTH;
      round += 1;
    },
    isProbing: () => isProbing(health),
    isResting: () => health.restingUntil > Date.now(),
    note(attempt, isAccepted, now) {
      if (attempt.round !== round) return undefined;
      const wasProbing = isProbing(health);
      health = isAccepted
        ? afterSuccess(health)
        : afterFailure(health, attempt.update.updateId, attempt.isProbe, schedule, now);
      return isProbing(health) === wasProbing ? undefined : !wasProbing;
    },
  };
}
