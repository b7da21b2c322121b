import { expect } from "vitest";
import {
  attemptBegun,
  attemptEnded,
  createLaneState,
  Effect,
  type Effects,
  isReadCurrent,
  type LaneState,
  readTaken,
  step,
} from "#botyard/delivery/ledger/lane-state.js";
import type { OpenTarget } from "#botyard/delivery/sending/endpoint.js";
import { FRESH_HEALTH, type LaneHealth } from "#botyard/domain/delivery/lane-health.js";
import { DEFAULT_SETTINGS } from "#botyard/domain/delivery/webhook-settings.js";

export const NOW = 10_000;
export const EPOCH_NOW = 1_700_000_000_000;
export const LEASE_MS = 8_000;
export const TARGET_AGE_MS = 250;
const SCHEDULE = [1_000, 5_000];

export const targetAt = (url: string): OpenTarget => ({
  source: { url },
  host: url,
  settings: DEFAULT_SETTINGS,
  error: "",
});
export const TARGET = targetAt("https://here.example");

/** The content of a lane's ledger. */
export interface Contents {
  queued: number;
  more: boolean;
  unrecorded: number;
  /** Those queued that wait for one in flight. */
  blocked?: number;
}

/** A lane as it is after its claim. */
export function makeLane(
  contents: Contents,
  health: LaneHealth = FRESH_HEALTH,
  target: OpenTarget | undefined = TARGET,
) {
  const claimed = {
    contents: {
      queuedCount: () => contents.queued,
      blockedCount: () => contents.blocked ?? 0,
      canSend: () => contents.queued > (contents.blocked ?? 0),
      mayHaveMore: () => contents.more,
      unrecordedCount: () => contents.unrecorded,
    },
    retrySchedule: SCHEDULE,
    webhookVersion: 1,
    generation: 1,
    health,
    target,
    claimedAt: NOW,
    leaseUntil: NOW + LEASE_MS,
    targetAgeMs: TARGET_AGE_MS,
  };
  return createLaneState(claimed, NOW, EPOCH_NOW);
}

/** The names of effects. */
export function named(effects: Effects): string[] {
  return Object.entries(Effect).flatMap(([name, bit]) => (effects & bit ? [name] : []));
}

/** An attempt that the lane could begin now. */
export const attemptOf = (lane: LaneState, updateId: number, isProbe = false) => ({
  updates: [{ updateId, payload: "{}", createdAt: 0, attemptCount: 0, failureCount: 0 }] as const,
  target: lane.target ?? TARGET,
  generation: lane.generation,
  isProbe,
});

/** Ends an attempt; its outcome is unrecorded until {@link recordAll}. */
export function endAttempt(
  lane: LaneState,
  contents: Contents,
  attempt: ReturnType<typeof attemptOf>,
  isAccepted: boolean,
  now = NOW,
): Effects {
  contents.unrecorded += 1;
  return attemptEnded(lane, attempt, isAccepted, now, EPOCH_NOW + now - NOW);
}

/** Records all outcomes. */
export function recordAll(lane: LaneState, contents: Contents, now = NOW): Effects {
  contents.unrecorded = 0;
  return step(lane, now);
}

/** A read's result, as {@link actionsOn} takes it. */
interface Taken {
  queued?: number;
  more?: boolean;
  generation?: number;
  target?: OpenTarget;
  now?: number;
}

/**
 * What happens to a lane in tests.
 *
 * @param current the lane and its contents as they are now
 */
export function actionsOn(current: () => { lane: LaneState; contents: Contents }) {
  return {
    begin(count: number, now = NOW) {
      const { lane, contents } = current();
      const attempts = Array.from({ length: count }, (_, i) => attemptOf(lane, i + 1));
      contents.queued -= count;
      for (let i = 0; i < count; i += 1) attemptBegun(lane, now);
      return attempts;
    },
    end(attempt = attemptOf(current().lane, 0), isAccepted = true, now = NOW): Effects {
      const { lane, contents } = current();
      return endAttempt(lane, contents, attempt, isAccepted, now);
    },
    record(): Effects {
      const { lane, contents } = current();
      return recordAll(lane, contents);
    },
    take({ queued = 0, more = false, generation = 1, target = TARGET, now = NOW }: Taken): Effects {
      const { lane, contents } = current();
      expect(isReadCurrent(lane, 1)).toBe(true);
      contents.queued += queued;
      contents.more = more;
      return readTaken(lane, generation, target, now);
    },
  };
}
