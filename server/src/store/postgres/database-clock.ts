import type { Database, Statement } from "./connection.js";

/**
 * The clock of the database, by which lanes, retries and rests become due: all instances see the same one, and each has its
 * own besides. The seam's times are those of this process; the engine turns them into the database's on the way in, and
 * back on the way out.
 */
export interface DatabaseClock {
  /** Milliseconds that the database's clock is ahead of this process's; below 0 when it is behind. */
  aheadMs(): number;
  /** A moment by this process's clock, by the database's. 0, which stands for no moment, stays 0. */
  toDatabase(time: number): number;
  /** And back. */
  fromDatabase(time: number): number;
  /** @param askedAt by `performance.now()`, before the statement was sent that brought the database's time */
  heard(databaseNow: number, askedAt: number): void;
}

/** The clock that all instances share; it stands still within a statement, so an index can be searched by it. */
export const DATABASE_NOW = "(extract(epoch FROM now()) * 1000)::bigint";

const READ_CLOCK: Statement = { name: "read-clock", text: `SELECT ${DATABASE_NOW} AS now` };

/** What two readings of one clock may be apart: both are whole milliseconds, and the process may have to wait in between. */
const TOLERANCE_MS = 10;
/** A step of this process's own clock is noticed at once from here on, a smaller one with the next answer. */
const OWN_STEP_MS = 1_000;

/** Reads the clock once; after that it is heard of with every claim of lanes, every two seconds or so. */
export async function openDatabaseClock(database: Database): Promise<DatabaseClock> {
  const clock = createDatabaseClock();
  const askedAt = performance.now();
  const [row] = await database.query<{ now: number }>(READ_CLOCK);
  if (row) clock.heard(row.now, askedAt);
  return clock;
}

/**
 * The difference is kept until an answer proves another one: how long it was on its way says how exact it can be. So what
 * is noted twice is noted the same, and instances on machines whose clocks are kept in step reckon with no difference.
 */
function createDatabaseClock(): DatabaseClock {
  let aheadMs = 0;
  /** This process's clock on its monotonic one, which nobody sets. */
  let ownStart = ownClockStart();

  const noticeOwnStep = (): void => {
    const start = ownClockStart();
    const stepMs = start - ownStart;
    if (Math.abs(stepMs) < OWN_STEP_MS) return;
    ownStart = start;
    aheadMs -= Math.round(stepMs);
  };

  return {
    aheadMs() {
      noticeOwnStep();
      return aheadMs;
    },
    toDatabase(time) {
      noticeOwnStep();
      return time === 0 ? 0 : time + aheadMs;
    },
    fromDatabase(time) {
      noticeOwnStep();
      return time === 0 ? 0 : time - aheadMs;
    },
    heard(databaseNow, askedAt) {
      const halfwayMs = (performance.now() - askedAt) / 2;
      noticeOwnStep();
      ownStart = ownClockStart();
      const heardAheadMs = databaseNow - (Date.now() - halfwayMs);
      if (Math.abs(heardAheadMs - aheadMs) > halfwayMs + TOLERANCE_MS) aheadMs = Math.round(heardAheadMs);
    },
  };
}

function ownClockStart(): number {
  return Date.now() - performance.now();
}
