import { type AttemptOutcome, endOfAttempt } from "../../domain/delivery/attempt.js";

/**
 * Updates with consecutive numbers that were all accepted at the first attempt: one row of `deliveries` in both engines.
 * What is accepted at once is most of what a destination gets, and needs no row of its own for each.
 */
export interface AcceptedRun {
  first: number;
  last: number;
  /** When each was attempted, and how long its attempt took: {@link timesAt}. */
  times: string;
}

/** A run is one row, read as a whole to show one update of it. */
const MAX_RUN_LENGTH = 64;

/** When an accepted update was sent, and when it was delivered. Milliseconds since the Unix epoch. */
interface AcceptedAt {
  attemptedAt: number;
  deliveredAt: number;
}

/** @param accepted outcomes of different updates, in any order */
export function runsOf(accepted: readonly AttemptOutcome[]): AcceptedRun[] {
  const runs: AttemptOutcome[][] = [];
  for (const outcome of accepted.toSorted((a, b) => a.updateId - b.updateId)) {
    const run = runs.at(-1);
    const follows = run && run.length < MAX_RUN_LENGTH && run.at(-1)?.updateId === outcome.updateId - 1;
    if (follows) run.push(outcome);
    else runs.push([outcome]);
  }
  return runs.map((run) => {
    const first = run[0]?.updateId ?? 0;
    const times = run.map((outcome) => ({
      attemptedAt: outcome.attemptedAt,
      deliveredAt: endOfAttempt(outcome),
    }));
    return { first, last: first + run.length - 1, times: writeTimes(times) };
  });
}

/** The run that was read last: lists have its updates one after the other. */
let lastRead: { times: string; all: AcceptedAt[] } = { times: "", all: [] };

/** @param index which update of the run, from 0 */
export function timesAt(times: string, index: number): AcceptedAt {
  if (lastRead.times !== times) lastRead = { times, all: readTimes(times) };
  const found = lastRead.all[index];
  if (!found) throw new Error(`a run of accepted updates has no times for number ${index} of it`);
  return found;
}

/** The times of a part of a run. @param from, to indexes, `to` not included */
export function partOfTimes(times: string, from: number, to: number): string {
  return writeTimes(readTimes(times).slice(from, to));
}

/**
 * For each update `attempted+duration`, the first since the epoch, each other since the one before: six bytes for most.
 */
function writeTimes(times: readonly AcceptedAt[]): string {
  let before = 0;
  return times
    .map(({ attemptedAt, deliveredAt }) => {
      const text = `${attemptedAt - before}+${deliveredAt - attemptedAt}`;
      before = attemptedAt;
      return text;
    })
    .join(" ");
}

function readTimes(times: string): AcceptedAt[] {
  let attemptedAt = 0;
  return times.split(" ").map((text) => {
    const [since, duration] = text.split("+").map(Number) as [number, number];
    attemptedAt += since;
    return { attemptedAt, deliveredAt: attemptedAt + duration };
  });
}
