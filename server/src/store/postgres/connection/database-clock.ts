import type { Database, Statement } from "./connection.js";

/**
 * The clock of the database, by which lanes, retries and rests become due: it is the same for all instances, whose own clocks
 * may differ. The seam's times are those of this process; the engine converts them to the database's on the way in, and back
 * on the way out.
 */
export interface DatabaseClock {
  /** Milliseconds that the database's clock is ahead of this process's; below 0 when it is behind. */
  aheadMs(): number;
  /** A moment by this process's clock, by the database's. 0, which stands for no moment, stays 0. */
  toDatabase(time: number): number;
  /** The reverse. */
  fromDatabase(time: number): number;
  /**
   * Takes a reading of the database's clock into account.
   *
   * @param askedAt by `performance.now()`, before the statement was sent
   */
  observe(databaseNow: number, askedAt: number): void;
}

/** The clock that all instances share. It is constant within a statement, so an index can be searched by it. */
export const DATABASE_NOW = "(extract(epoch FROM now()) * 1000)::bigint";
/** The same as it goes on within a transaction, for those that take long. */
export const CLOCK_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * An id of this moment: a UUIDv7, to the microsecond. Made behind the locks of a change, those of the entries of one thing are in the order of
 * its changes, whichever instances made them. The millisecond, the version, a fraction of it in 12 bits, and what is random.
 */
export const ID_OF_MOMENT = `(lpad(to_hex(us / 1000), 12, '0') || '7' || lpad(to_hex(us % 1000 * 4096 / 1000), 3, '0')
        || 'a' || left(replace(gen_random_uuid()::text, '-', ''), 15))::uuid`;
export const MOMENT = "(SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) moment";

const READ_CLOCK: Statement = { name: "read-clock", text: `SELECT ${DATABASE_NOW} AS now` };

/** How far two readings of one clock may differ: both are whole milliseconds, and the process may be descheduled in between. */
const TOLERANCE_MS = 10;
/** A step of this process's wall clock that is at least this large is noticed at once, a smaller one with the next reading. */
const CLOCK_STEP_MS = 1_000;

/** Reads the clock once; after that every claim of lanes reads it, every two seconds or so. */
export async function openDatabaseClock(database: Database): Promise<DatabaseClock> {
  const clock = createDatabaseClock();
  const askedAt = performance.now();
  const [row] = await database.query<{ now: number }>(READ_CLOCK);
  if (row) clock.observe(row.now, askedAt);
  return clock;
}

/**
 * The difference is kept until a reading proves another one: a reading is only as exact as its round trip is short. So the
 * same moment is always converted to the same time, and instances whose clocks are synchronised use a difference of 0.
 */
function createDatabaseClock(): DatabaseClock {
  let aheadMs = 0;
  /** The wall clock less the monotonic clock: it changes when the wall clock is set. */
  let offset = wallClockOffset();

  const noticeClockStep = (): void => {
    const current = wallClockOffset();
    const stepMs = current - offset;
    if (Math.abs(stepMs) < CLOCK_STEP_MS) return;
    offset = current;
    aheadMs -= Math.round(stepMs);
  };

  return {
    aheadMs() {
      noticeClockStep();
      return aheadMs;
    },
    toDatabase(time) {
      noticeClockStep();
      return time === 0 ? 0 : time + aheadMs;
    },
    fromDatabase(time) {
      noticeClockStep();
      return time === 0 ? 0 : time - aheadMs;
    },
    observe(databaseNow, askedAt) {
      const halfwayMs = (performance.now() - askedAt) / 2;
      noticeClockStep();
      offset = wallClockOffset();
      const readAheadMs = databaseNow - (Date.now() - halfwayMs);
      if (Math.abs(readAheadMs - aheadMs) > halfwayMs + TOLERANCE_MS) aheadMs = Math.round(readAheadMs);
    },
  };
}

function wallClockOffset(): number {
  return Date.now() - performance.now();
}
