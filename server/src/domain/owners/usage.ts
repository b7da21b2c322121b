import { InvalidInput } from "../errors.js";
import { MAX_USAGE_DAYS } from "../limits.js";

const DAY_MS = 86_400_000;

/** What an owner and their bots have caused on one day in UTC. */
export interface Usage {
  /** Days since the epoch. */
  day: number;
  /** Published by the owner, by the platform for them, and by their bots. */
  posts: number;
  /** Recorded for their bots. */
  updates: number;
  /** Accepted by their webhooks. */
  deliveries: number;
  /** Of the posts, as they are stored. */
  bytes: number;
}

/** Both days included. */
export interface UsageDays {
  from: number;
  to: number;
}

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** `2026-05-12` */
export function nameOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/**
 * @param from the first day; 30 days before the last one when left out
 * @param to the last day; today when left out
 * @throws InvalidInput when one is no day, or they are not in order, or too far apart
 */
export function usageDays(from: string | undefined, to: string | undefined, now: number): UsageDays {
  const last = to === undefined ? dayOf(now) : dayNamed("to", to);
  const first = from === undefined ? last - 30 : dayNamed("from", from);
  if (first > last) throw new InvalidInput("from must not be after to");
  if (last - first >= MAX_USAGE_DAYS)
    throw new InvalidInput(`from and to must be at most ${MAX_USAGE_DAYS} days apart: ask for a part`);
  return { from: first, to: last };
}

function dayNamed(field: string, text: string): number {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? dayOf(Date.parse(`${text}T00:00:00Z`)) : Number.NaN;
  // Some engines read 2026-02-30 as 2 March.
  if (!Number.isNaN(day) && nameOfDay(day) === text) return day;
  throw new InvalidInput(`${field} must be a day such as 2026-05-12`);
}
