import { DEFAULT_PASSED_OVER_NUMBERS } from "../../../domain/limits.js";
import { FEED, type LogHead } from "../../store.js";
import { INCARNATION } from "../connection/incarnation.js";

/**
 * A part of a statement with what {@link numbersGiven} needs, read once for all logs: the incarnation of the database.
 */
export const DATABASE_NOW_IS = `era AS MATERIALIZED (SELECT ${INCARNATION} AS current)`;

/** Whether a log `l` last grew in another incarnation than that of `era`: numbers above its head may have been given out there. */
const WAS_SET_BACK = "l.incarnation <> era.current";

/** The columns of a lane `l` whose log skips `skipped` numbers; both it and `condition` are SQL. */
export const skippedNumbers = (condition: string, skipped: string) => `
        unused_count = CASE WHEN ${condition} THEN l.unused_count + ${skipped} ELSE l.unused_count END,
        gap_from = CASE WHEN NOT ${condition} OR l.gap_through = l.last_update_id THEN l.gap_from ELSE l.last_update_id + 1 END,
        gap_through = CASE WHEN ${condition} THEN l.last_update_id + ${skipped} ELSE l.gap_through END`;

/**
 * The columns of a lane `l` whose log gives out `count` numbers, beside `era`. The first time after a fail-over it skips those that
 * somebody may have had: in the statement that gives them out, so that none is given out between the two.
 */
export const numbersGiven = (count: string) => `
        last_update_id = l.last_update_id + ${count}
          + CASE WHEN ${WAS_SET_BACK} THEN ${DEFAULT_PASSED_OVER_NUMBERS} ELSE 0 END,
        incarnation = era.current, ${skippedNumbers(WAS_SET_BACK, `${DEFAULT_PASSED_OVER_NUMBERS}`)}`;

/**
 * The columns of a lane `l` to which `count` events were appended, the newest at `newest` by this instance's clock; the
 * database's clock is ahead of that by `ahead` milliseconds. All three are SQL. Beside `era`: {@link DATABASE_NOW_IS}.
 */
export const grownBy = (count: string, newest: string, ahead: string) => `${numbersGiven(count)},
        last_update_at = greatest(l.last_update_at, ${newest}),
        due_at = CASE
          WHEN NOT l.is_open THEN NULL
          WHEN l.holder IS NOT NULL THEN l.due_at
          ELSE least(l.due_at, greatest(${newest} + ${ahead}, l.resting_until)) END`;

/** Whether a lane `l` can be claimed. */
export const IS_CLAIMABLE = "l.is_open AND l.holder IS NULL";

/**
 * Stores an event other than a post, if `source` has a row. $1 to $4: {@link eventValues}.
 *
 * @param actor SQL of who did it, and of the key of the bot that did
 * @param cause SQL
 */
export const storeEvent = (
  channelKey: string,
  subjectKey: string,
  source: string,
  ownerUserId = "NULL",
  actor = "NULL, NULL",
  cause = "NULL",
) => `
      INSERT INTO events (id, event_type, payload, created_at, channel_key, is_listed, subject_key, owner_user_id, acted_by, author_key,
        cause)
      SELECT $1::uuid, $2, $3, $4::bigint, ${channelKey}, false, ${subjectKey}, ${ownerUserId},
        ${actor}, ${cause} FROM ${source} LIMIT 1
      RETURNING event_key, created_at`;

/** The keys of the further destinations of a log. Its index is empty while no bot has more than one webhook. */
export const FURTHER_OF = (logKey: string) =>
  `SELECT destination_key FROM destinations WHERE log_key = ${logKey} AND destination_key <> log_key OFFSET 0`;
/**
 * Parts of a statement that make the lanes of further destinations due when their logs have grown, at `due` unless they rest. `locked` has
 * their lanes, and those of the logs themselves, each with its `log_key` and {@link GATE}: locked together in the order of their
 * keys, so that a release waits for the append, or the append for the release.
 *
 * @param from SQL of those whose logs have grown, as `g`
 */
export const wokenBy = (due: string, from = "further g") => `
    further AS (SELECT * FROM locked WHERE bot_key <> log_key),
    woken AS (
      UPDATE lanes l SET due_at = least(l.due_at, greatest(${due}, l.resting_until))
      FROM ${from} WHERE g.is_claimable AND l.bot_key = g.bot_key
      RETURNING l.bot_key)`;
/** What is known of a lane `l` that is locked; read with the lock, so as its last writer has left it. */
export const GATE = `l.is_open, ${IS_CLAIMABLE} AS is_claimable`;

/**
 * The end of a statement that appends one event to the logs of the bots in `recipients`, if `stored` has a row. Lanes are
 * locked in the order of their keys before one is changed, as for posts. $5: how far the database's clock is ahead.
 */
export const APPEND_EVENT = `
    ${DATABASE_NOW_IS},
    told AS (SELECT DISTINCT bot_key FROM recipients CROSS JOIN stored),
    locked AS (
      SELECT g.*, ${GATE}
      FROM (
        SELECT bot_key, bot_key AS log_key FROM told
        UNION ALL
        SELECT f.destination_key, t.bot_key FROM told t CROSS JOIN LATERAL (${FURTHER_OF("t.bot_key")}) f OFFSET 0) g
      JOIN lanes l USING (bot_key) ORDER BY g.bot_key FOR UPDATE OF l),
    grown AS (
      UPDATE lanes l SET ${grownBy("1", "s.created_at", "$5::bigint")}
      FROM locked g CROSS JOIN stored s CROSS JOIN era WHERE g.bot_key = g.log_key AND l.bot_key = g.bot_key
      RETURNING l.bot_key, l.last_update_id, ${IS_CLAIMABLE} AS is_claimable, s.event_key),
    ${wokenBy("s.created_at + $5::bigint", "further g CROSS JOIN stored s")},
    appended AS (
      INSERT INTO entries (log_key, number, event_key) SELECT bot_key, last_update_id, event_key FROM grown)`;

/** The logs that grew, for a statement that ends with {@link APPEND_EVENT}. */
export const HEADS = `(
      SELECT json_agg(json_build_array(
        (SELECT id FROM destinations WHERE destination_key = g.bot_key), g.last_update_id, g.is_claimable))
      FROM (
        SELECT bot_key, last_update_id, is_claimable FROM grown
        UNION ALL SELECT log_key, NULL, is_claimable FROM further WHERE is_open) g) AS heads`;

/**
 * A value of {@link HEADS}; null when no log grew. The id is null for a log of the feed. A row without a number says of the lane of one of the
 * log's further destinations, which is open, whether it can be claimed.
 */
export type HeadRows = [botId: string | null, lastUpdateId: number | null, isClaimable: boolean][] | null;

export function headsOf(rows: HeadRows | undefined): LogHead[] {
  const further = furtherLanes(rows);
  return (rows ?? []).flatMap(([botId, lastUpdateId, isClaimable]) =>
    lastUpdateId === null ? [] : [withFurther({ botId: botId ?? FEED, lastUpdateId, isClaimable }, further)],
  );
}

/** By bot, whether a lane of its further destinations can be claimed; nothing where none is open. */
export function furtherLanes(rows: HeadRows | undefined): ReadonlyMap<string, boolean> {
  const further = new Map<string, boolean>();
  for (const [botId, lastUpdateId, isClaimable] of rows ?? [])
    if (botId !== null && lastUpdateId === null)
      further.set(botId, isClaimable || further.get(botId) === true);
  return further;
}

export function withFurther(head: LogHead, further: ReadonlyMap<string, boolean>): LogHead {
  const isFurtherClaimable = further.get(head.botId);
  return isFurtherClaimable === undefined ? head : { ...head, isFurtherClaimable };
}

/** The parameters $1 to $4 of {@link storeEvent}. */
export function eventValues({
  id,
  eventType,
  payload,
  createdAt,
}: {
  id: string;
  eventType: string;
  payload: string;
  createdAt: number;
}): [string, string, string, number] {
  return [id, eventType, payload, createdAt];
}

/** The columns of a lane `l`, beside `era`, to which the event was appended if `condition` holds. A log skips numbers even if not. */
export const grownIf = (condition: string) => `${numbersGiven(`CASE WHEN ${condition} THEN 1 ELSE 0 END`)},
        last_update_at = CASE WHEN ${condition} THEN greatest(l.last_update_at, $4::bigint) ELSE l.last_update_at END,
        due_at = CASE
          WHEN NOT l.is_open THEN NULL
          WHEN l.holder IS NOT NULL OR (${condition}) IS NOT TRUE THEN l.due_at
          ELSE least(l.due_at, greatest($4::bigint + $5::bigint, l.resting_until)) END`;
