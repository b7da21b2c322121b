import type { AttemptOutcome } from "../../../domain/delivery/attempt.js";
import { runsOf } from "../accepted-runs.js";

/**
 * The table `updates` of earlier schemas held an entry of a log and the state of its delivery in one row. The step of the
 * schema that moves these rows into `entries` and `deliveries` is the same in both engines: it reads them in the order of
 * their key, {@link ROWS_PER_MOVE} in a transaction, so the newest row of `entries` says how far it has come.
 */
export interface OldUpdate {
  botKey: number;
  updateId: number;
  /** 0 pending, 1 scheduled, 2 delivered, 3 failed, 4 skipped. */
  state: number;
  attemptCount: number;
  failureCount: number;
  /** Of what waits after an attempt: 0 and -1 say at once. */
  dueAt: number | null;
  lastAttemptedAt: number | null;
  deliveredAt: number | null;
  lastFailedAt: number | null;
  lastError: string | null;
  /** Columns of its lane, null without one. Scheduled updates in this range were pending. */
  requeueFrom: number | null;
  requeueBelow: number | null;
  /** Undelivered updates below this were still to be skipped, except replayed ones, whose `dueAt` is -1. */
  skipBelow: number | null;
  /** Every update below this was attempted or skipped. */
  nextFreshId: number | null;
}

/** A row of `deliveries`, with the names of its columns. */
export interface DeliveryRow {
  destination_key: number;
  first_number: number;
  last_number: number;
  state: number;
  attempt_count: number;
  failure_count: number;
  round: number | null;
  due_at: number | null;
  last_attempted_at: number | null;
  delivered_at: number | null;
  last_failed_at: number | null;
  last_error: string | null;
  times: string | null;
}

/** Some 100 ms of a transaction on a busy machine. */
export const ROWS_PER_MOVE = 5_000;

/** `deliveries.state`. */
const WAITING = 1;
const DELIVERED = 2;
const SKIPPED = 4;

/** `dueAt` of an update that was replayed while others were still to be skipped. */
const REPLAYED = -1;

/** Of every lane when its table gets the column: what is scheduled waits in it, what was requeued in the one before. */
const FIRST_ROUND = 2;

/** @param updates in the order of their key */
export function deliveriesOf(updates: readonly OldUpdate[]): DeliveryRow[] {
  return [...logsOf(updates)].flatMap(([botKey, log]) => {
    const accepted = log.filter(isAcceptedAtOnce).map(outcomeOf);
    const skipped = log.filter(isSkippedUnsent).map(({ updateId }) => updateId);
    const others = log.filter(
      (update) => !isAcceptedAtOnce(update) && !isSkippedUnsent(update) && !isFresh(update),
    );
    return [
      ...runsOf(accepted).map(({ first, last, times }) => ({
        ...emptyRow(botKey, first, last, DELIVERED),
        attempt_count: 1,
        times,
      })),
      ...rangesOf(skipped).map(([first, last]) => emptyRow(botKey, first, last, SKIPPED)),
      ...others.map(singleRow),
    ];
  });
}

/** By bot, how many updates become skipped by being moved: the counters of their lanes do not have them yet. */
export function newlySkipped(updates: readonly OldUpdate[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const update of updates)
    if (isToSkip(update)) counts.set(update.botKey, (counts.get(update.botKey) ?? 0) + 1);
  return counts;
}

function isAcceptedAtOnce(update: OldUpdate): boolean {
  const { state, attemptCount, failureCount, lastAttemptedAt, deliveredAt } = update;
  const isFirst = attemptCount === 1 && failureCount === 0 && !hasFailed(update);
  return state === DELIVERED && isFirst && lastAttemptedAt !== null && deliveredAt !== null;
}

function isSkippedUnsent(update: OldUpdate): boolean {
  return stateOf(update) === SKIPPED && update.attemptCount === 0 && !hasFailed(update);
}

/** Never attempted: it is only an entry. */
function isFresh(update: OldUpdate): boolean {
  const { state, attemptCount, dueAt, updateId, nextFreshId } = update;
  return state === 0 && attemptCount === 0 && dueAt === null && updateId >= (nextFreshId ?? 0);
}

function isToSkip({ state, updateId, dueAt, skipBelow }: OldUpdate): boolean {
  return state < DELIVERED && updateId < (skipBelow ?? 0) && dueAt !== REPLAYED;
}

function isScheduled({ state, updateId, requeueFrom, requeueBelow }: OldUpdate): boolean {
  const isRequeued = requeueFrom !== null && updateId >= requeueFrom && updateId < (requeueBelow ?? 0);
  return state === 1 && !isRequeued;
}

function hasFailed({ lastError, lastFailedAt }: OldUpdate): boolean {
  return lastError !== null || lastFailedAt !== null;
}

/** `deliveries.state` of what has a row there. */
function stateOf(update: OldUpdate): number {
  if (update.state >= DELIVERED) return update.state;
  return isToSkip(update) ? SKIPPED : WAITING;
}

function singleRow(update: OldUpdate): DeliveryRow {
  const { botKey, updateId, attemptCount, lastAttemptedAt, lastFailedAt, lastError } = update;
  const state = stateOf(update);
  const row = {
    ...emptyRow(botKey, updateId, updateId, state),
    attempt_count: attemptCount,
    last_attempted_at: lastAttemptedAt,
    ...(hasFailed(update) && {
      last_failed_at: lastFailedAt ?? lastAttemptedAt ?? 0,
      last_error: lastError ?? "",
    }),
  };
  if (state === SKIPPED) return row;
  // A requeued update begins a fresh schedule, and is due since its last attempt.
  if (state === WAITING && !isScheduled(update))
    return { ...row, round: FIRST_ROUND - 1, due_at: lastAttemptedAt ?? 0 };
  row.failure_count = update.failureCount;
  if (state === WAITING) return { ...row, round: FIRST_ROUND, due_at: update.dueAt ?? 0 };
  return state === DELIVERED ? { ...row, delivered_at: update.deliveredAt ?? lastAttemptedAt ?? 0 } : row;
}

function emptyRow(botKey: number, first: number, last: number, state: number): DeliveryRow {
  return {
    destination_key: botKey,
    first_number: first,
    last_number: last,
    state,
    attempt_count: 0,
    failure_count: 0,
    round: null,
    due_at: null,
    last_attempted_at: null,
    delivered_at: null,
    last_failed_at: null,
    last_error: null,
    times: null,
  };
}

function outcomeOf({ updateId, lastAttemptedAt, deliveredAt }: OldUpdate): AttemptOutcome {
  const attemptedAt = lastAttemptedAt ?? 0;
  return { updateId, failureCount: 0, attemptedAt, durationMs: (deliveredAt ?? 0) - attemptedAt };
}

function logsOf(updates: readonly OldUpdate[]): Map<number, OldUpdate[]> {
  const logs = new Map<number, OldUpdate[]>();
  for (const update of updates) {
    const log = logs.get(update.botKey);
    if (log) log.push(update);
    else logs.set(update.botKey, [update]);
  }
  return logs;
}

/** The first and last of consecutive numbers. */
function rangesOf(numbers: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
