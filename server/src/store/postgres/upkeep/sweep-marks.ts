import type { Database, Statement } from "../connection/connection.js";
import { DATABASE_NOW } from "../connection/database-clock.js";

/**
 * Marks in the sequence of event keys; they tell below which key no log points any more.
 *
 * A transaction takes the keys of its events before it locks the logs. So a log may point at an event, and after it at
 * one with a lower key, from a slower transaction. A mark says how far that goes: `head` was the last key when it was
 * made; `settled_head` was the last key at a later moment, when every transaction that wrote events at the first one
 * had ended. A log that points at a key above `settled_head` never points below `head` again: whoever appends to it
 * later was still writing at the second moment, so began after the first. This does not depend on any clock.
 */
export interface SweepMarks {
  /**
   * One small step: makes a mark when the last one is old enough, or settles the last one.
   *
   * @param spanMs how long updates are kept; there are some 32 marks in that time
   */
  advance(spanMs: number): Promise<void>;
  /** The newest head that is settled. */
  newest(): Promise<number>;
  /**
   * The newest head below which no log points. Marks below it are forgotten.
   *
   * @param oldestKey the lowest of the keys that the oldest updates of all logs point at, read after `newest`
   * @param newest what {@link newest} returned before that
   */
  below(oldestKey: number, newest: number): Promise<number>;
}

const MARKS_PER_SPAN = 32;

export const LAST_EVENT_KEY =
  "coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'event_key')::regclass), 0)";
/** Read by a separate statement, because the key must be read before or after what it is compared with. */
const SELECT_HEAD: Statement = {
  name: "select-last-event-key",
  text: `SELECT ${LAST_EVENT_KEY} AS head`,
};
export const WRITERS_OF_EVENTS = `
  SELECT virtualtransaction FROM pg_locks
  WHERE locktype = 'relation' AND relation = 'events'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;
/**
 * A negative age means that the clock was set back. A head above the last key was read before a fail-over: those keys will be
 * taken again.
 */
const MAKE: Statement = {
  name: "make-sweep-mark",
  text: `
    INSERT INTO sweep_marks (head, made_at, writers)
    SELECT $1::bigint, ${DATABASE_NOW}, ARRAY(${WRITERS_OF_EVENTS})
    WHERE NOT EXISTS (
      SELECT FROM (SELECT head, made_at, settled_head FROM sweep_marks ORDER BY head DESC LIMIT 1) m
      WHERE m.settled_head IS NULL OR m.head = $1::bigint OR abs(${DATABASE_NOW} - m.made_at) < $2::bigint)
      AND $1::bigint <= ${LAST_EVENT_KEY}
    ON CONFLICT DO NOTHING`,
};
const SELECT_ENDED: Statement = {
  name: "select-ended-sweep-mark",
  text: `
    SELECT m.head FROM (SELECT * FROM sweep_marks ORDER BY head DESC LIMIT 1) m
    WHERE m.settled_head IS NULL AND NOT EXISTS (
      SELECT FROM (${WRITERS_OF_EVENTS}) w WHERE w.virtualtransaction = ANY (m.writers))`,
};
const SETTLE: Statement = {
  name: "settle-sweep-mark",
  text: "UPDATE sweep_marks SET settled_head = $2 WHERE head = $1 AND settled_head IS NULL",
};
const SELECT_NEWEST: Statement = {
  name: "select-newest-sweep-mark",
  text: "SELECT head FROM sweep_marks WHERE settled_head IS NOT NULL ORDER BY head DESC LIMIT 1",
};
const SELECT_BELOW: Statement = {
  name: "select-sweep-mark-below",
  text: `
    SELECT head FROM sweep_marks WHERE settled_head < $1::bigint AND head <= $2::bigint ORDER BY head DESC LIMIT 1`,
};
const FORGET: Statement = {
  name: "forget-sweep-marks",
  text: "DELETE FROM sweep_marks WHERE head < $1",
};

export function sweepMarks(db: Database): SweepMarks {
  const headOf = async (statement: Statement, values: readonly number[] = []): Promise<number | undefined> =>
    (await db.query<{ head: number }>(statement, values))[0]?.head;
  const lastKey = async (): Promise<number> => (await headOf(SELECT_HEAD)) ?? 0;

  return {
    async advance(spanMs) {
      const ended = await headOf(SELECT_ENDED);
      if (ended !== undefined) await db.query(SETTLE, [ended, await lastKey()]);
      else await db.query(MAKE, [await lastKey(), Math.floor(spanMs / MARKS_PER_SPAN)]);
    },

    newest: async () => (await headOf(SELECT_NEWEST)) ?? 0,

    async below(oldestKey, newest) {
      const head = (await headOf(SELECT_BELOW, [oldestKey, newest])) ?? 0;
      if (head > 0) await db.query(FORGET, [head]);
      return head;
    },
  };
}
