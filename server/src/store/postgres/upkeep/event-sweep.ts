import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import type { Database, Statement } from "../connection/connection.js";
import { INCARNATION } from "../connection/incarnation.js";
import { sweepMarks } from "./sweep-marks.js";

/** Logs that one step reads. */
const BOTS_PER_STEP = 200;

type Kind = "events" | "posts";

/**
 * SQL of the key up to which the sweep of a kind has come; it does not return to these events. `kind` is $1 or a quoted
 * name.
 */
export const sweptThrough = (kind: string) =>
  `coalesce((SELECT event_key FROM sweeps WHERE kind = ${kind}), 0)`;

const SELECT_OLDEST: Statement = {
  name: "select-oldest-event-of-logs",
  text: `
    SELECT l.bot_key AS "botKey", (
      SELECT e.event_key FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1) AS "eventKey"
    FROM lanes l WHERE l.bot_key > $1 ORDER BY l.bot_key LIMIT $2`,
};
/** Keeps out an instance of the release before, and one that was suspended. */
const LOCK_POSITION: Statement = {
  name: "lock-sweep-position",
  text: `
    INSERT INTO sweeps AS s (kind, event_key) VALUES ($1, 0)
    ON CONFLICT (kind) DO UPDATE SET event_key = s.event_key RETURNING event_key AS "eventKey"`,
};
/** Runs before the removal, as a separate statement, so that the removal sees edits that were in progress. */
const LOCK_EVENTS: Statement = {
  name: "lock-swept-posts",
  text: `
    SELECT count(*) AS count FROM (
      SELECT FROM events WHERE event_key > ${sweptThrough("$1")} AND event_key <= $2 ORDER BY event_key LIMIT $3
      FOR UPDATE) p`,
};
const OLD = `
    WITH looked AS (
      SELECT event_key, created_at < $2 AS is_old, is_listed FROM events
      WHERE event_key > ${sweptThrough("$1")} AND event_key <= $4::bigint AND ${INCARNATION} = $5 ORDER BY event_key LIMIT $3),
    old AS (
      SELECT * FROM looked
      WHERE event_key < coalesce((SELECT min(event_key) FROM looked WHERE NOT is_old), 9223372036854775807))`;
/** First: the bytes of a revision are those of its post's channel. */
const removeRevisions = (name: string, condition: string): Statement => ({
  name,
  text: `${OLD}
    DELETE FROM edited_posts WHERE event_key = ANY (ARRAY(SELECT event_key FROM old WHERE ${condition}))`,
});
const sweep = (name: string, condition: string): Statement => ({
  name,
  text: `${OLD},
    removed AS (DELETE FROM events WHERE event_key = ANY (ARRAY(SELECT event_key FROM old WHERE ${condition})))
    UPDATE sweeps SET event_key = greatest(event_key, (SELECT max(event_key) FROM old)) WHERE kind = $1
    RETURNING (SELECT count(*) FROM old) AS count`,
});
/** $1: the kind, $2: the moment, $3: how many, $4: the last key, $5: the incarnation of the database when the walk began. */
const SWEEP: Record<Kind, [Statement, Statement]> = {
  events: [
    removeRevisions("sweep-revisions-of-events", "NOT is_listed"),
    sweep("sweep-events", "NOT is_listed"),
  ],
  posts: [removeRevisions("sweep-revisions-of-posts", "true"), sweep("sweep-posts", "true")],
};
/**
 * While an owner arrives from another cell, no walk begins: the entries that point at events of theirs are not all there yet. In a walk that began
 * before, all marks are below the keys of these events.
 */
const SELECT_START: Statement = {
  name: "select-start-of-walk",
  text: `SELECT ${INCARNATION} AS current, EXISTS (SELECT FROM owner_moves WHERE state = 4) AS "isArriving"`,
};
const SELECT_POSITION: Statement = {
  name: "select-sweep-position",
  text: `SELECT ${sweptThrough("$1")} AS "eventKey"`,
};

/** A walk over all logs. */
interface Walk {
  /** Of the database. After a fail-over its logs point at events that they did not point at any more. */
  incarnation: number;
  throughBot: number;
  /** The lowest key that the oldest update of a log points at. */
  oldestKey: number;
  /** The newest settled mark when the walk began; events that are appended meanwhile have higher keys. */
  newestMark: number;
}

/**
 * Removes events that no log points at. A walk over all logs and the marks of `sweep-marks.ts` tell up to which key that
 * is safe. It stays safe until a fail-over, so the result is kept until the sweep has come there.
 */
export function eventSweep(db: Database): UpkeepSteps<Promise<UpkeepStep>>["sweep"] {
  const marks = sweepMarks(db);
  let walk: Walk | undefined;
  /** The highest key up to which events may be removed; known when a walk over all logs has ended. */
  let isSafeThrough: number | undefined;
  /** Of the walk that has told that. */
  let incarnation = 0;

  const begin = async (before: number): Promise<Walk | undefined> => {
    await marks.advance(Date.now() - before);
    const newestMark = await marks.newest();
    const [now] = await db.query<{ current: number; isArriving: boolean }>(SELECT_START);
    if (now?.isArriving) return undefined;
    return { incarnation: now?.current ?? 0, throughBot: 0, oldestKey: Number.MAX_SAFE_INTEGER, newestMark };
  };

  /** @returns whether there may be more */
  const walkOn = async (before: number): Promise<boolean> => {
    walk ??= await begin(before);
    if (!walk) return false;
    const logs = await db.query<{ botKey: number; eventKey: number | null }>(SELECT_OLDEST, [
      walk.throughBot,
      BOTS_PER_STEP,
    ]);
    for (const { botKey, eventKey } of logs) {
      walk.throughBot = botKey;
      if (eventKey !== null) walk.oldestKey = Math.min(walk.oldestKey, eventKey);
    }
    if (logs.length === BOTS_PER_STEP) return true;
    ({ incarnation } = walk);
    isSafeThrough = await marks.below(walk.oldestKey, walk.newestMark);
    walk = undefined;
    return true;
  };

  /** @returns whether there may be more */
  const sweepKind = async (kind: Kind, through: number, before: number, limit: number): Promise<boolean> => {
    const values = [kind, before, limit, through, incarnation];
    const [removal, sweeping] = SWEEP[kind];
    const [, , , rows = []] = await db.transaction([
      [LOCK_POSITION, [kind]],
      [LOCK_EVENTS, [kind, through, limit]],
      [removal, values],
      [sweeping, values],
    ]);
    const [row] = rows as { count: number }[];
    return row?.count === limit;
  };

  return async ({ before, postsBefore }, limit) => {
    if (isSafeThrough === undefined) {
      return { isMore: await walkOn(before) };
    }
    if (isSafeThrough > 0 && (await sweepKind("events", isSafeThrough, before, limit)))
      return { isMore: true };
    if (postsBefore !== undefined) {
      const [position] = await db.query<{ eventKey: number }>(SELECT_POSITION, ["events"]);
      if (position && (await sweepKind("posts", position.eventKey, postsBefore, limit)))
        return { isMore: true };
    }
    isSafeThrough = undefined;
    return { isMore: false };
  };
}
