import type pg from "pg";
import type { Failover } from "../../store.js";
import type { Statement } from "./connection.js";
import { sqlState } from "./errors.js";

/**
 * The incarnation of a database: a number that changes when its past has changed. A standby that is promoted lacks what it
 * had not received, and a restored database what came after the backup; both go on as if that had never happened. So
 * numbers of logs that were given out in an earlier incarnation are not given out again, and nothing that is remembered from
 * one is written in another.
 *
 * It is made of PostgreSQL's timeline, which rises with every promotion and is known to every statement, and of a count of
 * restores, for databases that are set back without a new timeline: {@link watchIncarnations}.
 */

/** Timelines of a database that can be told apart. One that was failed over more often begins again at 0. */
const TIMELINES = 8_192;
/**
 * The first eight digits of the name of the file that the log is written to are the timeline. A database that cannot tell,
 * as some that only speak PostgreSQL's protocol, has the setting instead: {@link NO_TIMELINE}.
 */
const TIMELINE = `coalesce(nullif(current_setting('botyard.timeline', true), '')::bigint,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint)`;
/**
 * SQL for the incarnation as it is now, whatever the transaction sees; 0 in a database that was never set back. Some microseconds: once a
 * statement, not once a row.
 */
export const INCARNATION = `(
      SELECT restores * ${TIMELINES} + (${TIMELINE} - first_timeline + ${TIMELINES}) % ${TIMELINES}
      FROM incarnation WHERE id = 1)`;

const NO_TIMELINE = "SET botyard.timeline = '0'";

/** Versions that a destination can have. With incarnations below 2^21, a target's version is below 2^53. */
const WEBHOOK_VERSIONS = 4_294_967_296;
/**
 * SQL for the version of a destination `dest`, as the holder of its lane knows it: in this incarnation. So after a
 * fail-over holders find that theirs is another one, and outcomes from before count as those of an earlier webhook.
 */
export const targetVersion = (incarnation: string) => `dest.version + ${incarnation} * ${WEBHOOK_VERSIONS}`;

/**
 * SQL for who holds a lane, as a text parameter, in this incarnation. A holder from before finds that it holds none of its lanes:
 * what it remembers of them may be of another past.
 */
export const holderNow = (holder: string) => `${holder} || ' ' || ${INCARNATION}`;

/** Whether any bot may have a webhook besides its first one: while none ever had, appends need not look for any. */
export const HAS_FURTHER = "coalesce((SELECT has_further FROM incarnation WHERE id = 1), true)";
/** The part of a statement that makes a further destination. */
export const NOTE_FURTHER = "UPDATE incarnation SET has_further = true WHERE id = 1 AND NOT has_further";
/** Whether any bot may be in a channel of another owner: while none ever was, appends need not look for any. */
export const HAS_AWAY = "coalesce((SELECT has_away FROM incarnation WHERE id = 1), true)";
/** The part of a statement that attaches a bot to a channel of another owner, if `condition` holds. */
export const noteAway = (condition: string) =>
  `UPDATE incarnation SET has_away = true WHERE id = 1 AND NOT has_away AND ${condition}`;
/** A database that was copied or restored may have had some: to know it, all attachments would have to be read. */
const ANY_AWAY = "EXISTS (SELECT FROM bots WHERE bot_key > 0)";
const ANY_FURTHER = "EXISTS (SELECT FROM destinations WHERE log_key > 0 AND destination_key <> log_key)";

/** Run at every start: the first one that finds no row makes it. */
export const BEGIN_INCARNATIONS: Statement = {
  name: "begin-incarnations",
  text: `
    INSERT INTO incarnation (id, first_timeline, restores, has_further, has_away)
    SELECT 1, ${TIMELINE}, 0, ${ANY_FURTHER}, ${ANY_AWAY}
    ON CONFLICT (id) DO NOTHING`,
};

/** A log, and a number that it is known to have. */
export interface Witness {
  botId: string;
  number: number;
}

/** Finds out of which incarnation the database is. */
export interface Incarnations {
  /** Looks at a new connection before it is used. */
  check(client: pg.ClientBase): Promise<void>;
  /** A statement has found this one. */
  found(incarnation: number): void;
  /** The newest number that this process has been given: a database that does not have it was set back. */
  grown(newest: Witness): void;
  /** Its log may have become another one. */
  forget(): void;
}

/** Asks for the timeline also where there is no row yet: whether the database can tell it has to be known before the row is made. */
const READ = `
  SELECT ${TIMELINE} AS timeline, ${INCARNATION} AS current, restores, first_timeline AS "firstTimeline"
  FROM (SELECT 1 AS id) one LEFT JOIN incarnation USING (id)`;
const READ_HEAD = "SELECT last_update_id AS head FROM bots JOIN lanes USING (bot_key) WHERE id = $1";
/** $1: how many, $2: the count as it was read: of several instances that notice a restore only the first one counts it. */
const COUNT_RESTORES = "UPDATE incarnation SET restores = restores + $1 WHERE id = 1 AND restores = $2";
/** The state of SQL that a standby answers with, which has no position in a log of its own. */
const IN_RECOVERY = "55000";

interface Reading {
  current: number;
  restores: number;
  firstTimeline: number;
}

/** Before a service has begun with the database. */
interface NoReading {
  current: null;
}

/** The row of a database that has none. $1: restores, which tell it from what was there before. */
const BEGIN_ANEW = `
  INSERT INTO incarnation (id, first_timeline, restores, has_further, has_away)
  SELECT 1, ${TIMELINE}, $1, ${ANY_FURTHER}, ${ANY_AWAY}
  ON CONFLICT (id) DO NOTHING`;

/** @param onFailover called when the incarnation has changed since the connection before */
export function watchIncarnations(onFailover: (failover: Failover) => void): Incarnations {
  let known: number | undefined;
  let firstTimeline = 0;
  /** Whether there was a connection before, which the start has made the row with. */
  let hasBegun = false;
  let witness: Witness | undefined;

  const found = (incarnation: number): void => {
    const before = known;
    if (before !== undefined && incarnation <= before) return;
    known = incarnation;
    if (before === undefined) return;
    witness = undefined;
    const timelineOf = (one: number): number => firstTimeline + (one % TIMELINES);
    onFailover({ fromTimeline: timelineOf(before), toTimeline: timelineOf(incarnation) });
  };

  /** Whether the log of the witness has its number; a log that was deleted tells nothing. */
  const isMissing = async (client: pg.ClientBase, { botId, number }: Witness): Promise<boolean> => {
    const { rows } = await client.query<{ head: number }>(READ_HEAD, [botId]);
    return rows[0] !== undefined && rows[0].head < number;
  };

  /** Whether the storage was set back, to an earlier incarnation or without a new timeline. */
  const wasSetBack = async (client: pg.ClientBase, { current }: Reading): Promise<boolean> => {
    if (known === undefined || current > known) return false;
    return current < known || (witness !== undefined && (await isMissing(client, witness)));
  };

  return {
    found,
    grown(newest) {
      witness = newest;
    },
    forget() {
      witness = undefined;
    },
    async check(client) {
      let reading = await read(client);
      if (reading?.current === null && hasBegun) {
        // The row was made moments ago, and lost in a fail-over.
        await client.query(BEGIN_ANEW, [Math.floor((known ?? 0) / TIMELINES) + 1]);
        reading = await read(client);
      }
      hasBegun = true;
      if (!isKnown(reading)) return;
      ({ firstTimeline } = reading);
      if (!(await wasSetBack(client, reading))) {
        found(reading.current);
        return;
      }
      const lost = Math.floor((known ?? 0) / TIMELINES) - reading.restores;
      await client.query(COUNT_RESTORES, [Math.max(0, lost) + 1, reading.restores]);
      found((await read(client))?.current ?? 0);
    },
  };
}

function isKnown(reading: Reading | NoReading | undefined): reading is Reading {
  return reading !== undefined && reading.current !== null;
}

/** @returns undefined on a standby, which does not know its own */
async function read(client: pg.ClientBase): Promise<Reading | NoReading | undefined> {
  try {
    return await readOnce(client);
  } catch (error) {
    const state = sqlState(error);
    if (state === IN_RECOVERY) return undefined;
    // Neither is a fault of the connection: the function is not there, may not be called, or is not supported.
    if (!state?.startsWith("42") && !state?.startsWith("0A")) throw error;
    await client.query(NO_TIMELINE);
    return await readOnce(client);
  }
}

async function readOnce(client: pg.ClientBase): Promise<Reading | NoReading | undefined> {
  return (await client.query<Reading | NoReading>(READ)).rows[0];
}
