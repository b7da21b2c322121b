import { DEFAULT_SKIPPED_NUMBERS } from "../../../domain/limits.js";
import { FEED, type LogHead } from "../../store.js";
import { INCARNATION } from "../connection/incarnation.js";

/**
 * A part of a statement with what {@link numbersGiven} needs, read once for all logs: the incarnation of the database.
 */
export const DATABASE_NOW_IS = `incarnation_now AS MATERIALIZED (SELECT ${INCARNATION} AS current)`;

/** Whether a log `l` last grew in another incarnation than that of `incarnation_now`: numbers above its head may have been given out there. */
const WAS_SET_BACK = "l.incarnation <> incarnation_now.current";

/** The columns of a lane `l` whose log skips `skipped` numbers; both it and `condition` are SQL. */
export const skippedNumbers = (condition: string, skipped: string) => `
        unused_count = CASE WHEN ${condition} THEN l.unused_count + ${skipped} ELSE l.unused_count END,
        gap_from = CASE WHEN NOT ${condition} OR l.gap_through = l.last_update_id THEN l.gap_from ELSE l.last_update_id + 1 END,
        gap_through = CASE WHEN ${condition} THEN l.last_update_id + ${skipped} ELSE l.gap_through END`;

/**
 * The columns of a lane `l` whose log gives out `count` numbers, beside `incarnation_now`. The first time after a fail-over it skips those that
 * somebody may have had: in the statement that gives them out, so that none is given out between the two.
 */
export const numbersGiven = (count: string) => `
        last_update_id = l.last_update_id + ${count}
          + CASE WHEN ${WAS_SET_BACK} THEN ${DEFAULT_SKIPPED_NUMBERS} ELSE 0 END,
        incarnation = incarnation_now.current, ${skippedNumbers(WAS_SET_BACK, `${DEFAULT_SKIPPED_NUMBERS}`)}`;

/**
 * When a lane `l` is due, of which the log has grown at `time`. While it is held, its release finds that out.
 *
 * @param unless SQL after the condition that the lane is held: nothing changes then, either
 */
const dueAfter = (time: string, unless = "") => `CASE
          WHEN NOT l.is_open THEN NULL
          WHEN l.holder IS NOT NULL${unless} THEN l.due_at
          ELSE least(l.due_at, greatest(${time}, l.resting_until)) END`;

/**
 * The columns of a lane `l` to which `count` events were appended, the newest at `newest` by this instance's clock; the
 * database's clock is ahead of that by `ahead` milliseconds. All three are SQL. Beside `incarnation_now`: {@link DATABASE_NOW_IS}.
 */
export const grownBy = (count: string, newest: string, ahead: string) => `${numbersGiven(count)},
        last_update_at = greatest(l.last_update_at, ${newest}),
        due_at = ${dueAfter(`${newest} + ${ahead}`)}`;

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

/** The keys of the further destinations of a log. Their index is empty while no bot has more than one webhook. */
const FURTHER_OF = (logKey: string) =>
  `SELECT destination_key FROM destinations WHERE log_key = ${logKey} AND destination_key <> log_key`;
/** The keys of a log's lanes, its own first, then those of its further destinations. */
export const LANES_OF = (logKey: string) => `
        SELECT ${logKey} AS lane_key UNION ALL ${FURTHER_OF(logKey)} OFFSET 0`;
/** Which of the lanes `g` that are locked change when their log grows: its own, and those of further destinations that become due. */
export const GROWS = "(g.lane_key = g.bot_key OR g.is_open)";
/** The head of a log, beside its lane `l` that has grown as one of `g`; null for the lane of a further destination. */
export const HEAD = "CASE WHEN g.lane_key = g.bot_key THEN l.last_update_id END AS last_update_id";

/**
 * The end of a statement that appends one event to the logs of the bots in `recipients`, if `stored` has a row. Lanes are
 * locked in the order of their keys before one is changed, as for posts. $5: how far the database's clock is ahead.
 */
export const APPEND_EVENT = `
    ${DATABASE_NOW_IS},
    locked AS (
      SELECT t.bot_key, k.lane_key, l.is_open
      FROM (SELECT DISTINCT bot_key FROM recipients) t CROSS JOIN LATERAL (${LANES_OF("t.bot_key")}) k
      JOIN lanes l ON l.bot_key = k.lane_key, stored
      ORDER BY k.lane_key FOR UPDATE OF l),
    grown AS (
      UPDATE lanes l SET ${grownBy("(g.lane_key = g.bot_key)::integer", "s.created_at", "$5::bigint")}
      FROM locked g CROSS JOIN stored s CROSS JOIN incarnation_now WHERE l.bot_key = g.lane_key AND ${GROWS}
      RETURNING g.bot_key, ${HEAD}, ${IS_CLAIMABLE} AS is_claimable, s.event_key),
    appended AS (
      INSERT INTO entries (log_key, number, event_key)
      SELECT bot_key, last_update_id, event_key FROM grown WHERE last_update_id IS NOT NULL)`;

/**
 * The same for many events of one time, in `stored`: `told` has those of each log, ascending, as `event_keys`. $4: the time.
 */
export const APPEND_EVENTS = `
    ${DATABASE_NOW_IS},
    locked AS (
      SELECT t.bot_key, t.event_keys, k.lane_key, l.is_open
      FROM told t CROSS JOIN LATERAL (${LANES_OF("t.bot_key")}) k JOIN lanes l ON l.bot_key = k.lane_key
      ORDER BY k.lane_key FOR UPDATE OF l),
    grown AS (
      UPDATE lanes l SET ${grownBy("CASE WHEN g.lane_key = g.bot_key THEN cardinality(g.event_keys) ELSE 0 END", "$4::bigint", "$5::bigint")}
      FROM locked g CROSS JOIN incarnation_now WHERE l.bot_key = g.lane_key AND ${GROWS}
      RETURNING g.bot_key, ${HEAD}, ${IS_CLAIMABLE} AS is_claimable, g.event_keys),
    appended AS (
      INSERT INTO entries (log_key, number, event_key)
      SELECT bot_key, last_update_id - cardinality(event_keys) + generate_subscripts(event_keys, 1), unnest(event_keys)
      FROM grown WHERE last_update_id IS NOT NULL)`;

/**
 * Parts of a statement that make the lanes of the further destinations of the one log in `grown` due. Their keys are above that of its own
 * lane. The event was created at $4; $5: how far the database's clock is ahead.
 */
export const WAKE_FURTHER = `
    further AS (
      SELECT l.bot_key, g.bot_key AS log_key, l.is_open
      FROM grown g CROSS JOIN LATERAL (${FURTHER_OF("g.bot_key")} OFFSET 0) f JOIN lanes l ON l.bot_key = f.destination_key
      ORDER BY l.bot_key FOR UPDATE OF l),
    woken AS (
      UPDATE lanes l SET due_at = ${dueAfter("$4::bigint + $5::bigint")}
      FROM further f WHERE f.is_open AND l.bot_key = f.bot_key
      RETURNING f.log_key AS bot_key, ${IS_CLAIMABLE} AS is_claimable)`;

/** The logs that grew, for a statement that ends with {@link APPEND_EVENT}. */
export const HEADS = `(
      SELECT json_agg(json_build_array(
        (SELECT id FROM destinations WHERE destination_key = g.bot_key), g.last_update_id, g.is_claimable)) FROM grown g) AS heads`;

/**
 * A value of {@link HEADS}; null when no log grew. The id is null for a log of the feed. A row without a number says of the lane of one of the
 * log's further destinations, which is open, whether it can be claimed.
 */
export type HeadRows = [botId: string | null, lastUpdateId: number | null, isClaimable: boolean][] | null;

export function headsOf(found: HeadRows | undefined): LogHead[] {
  const rows = found ?? [];
  const further = furtherLanes(rows);
  return rows.flatMap(([botId, lastUpdateId, isClaimable]) =>
    lastUpdateId === null ? [] : [withFurther({ botId: botId ?? FEED, lastUpdateId, isClaimable }, further)],
  );
}

/** By bot, whether a lane of its further destinations can be claimed; nothing where none is open. */
export function furtherLanes(
  rows: readonly (readonly [string | null, number | null, boolean, ...unknown[]])[],
): ReadonlyMap<string, boolean> {
  const further = new Map<string, boolean>();
  for (const [botId, lastUpdateId, isClaimable] of rows)
    if (botId !== null && lastUpdateId === null)
      further.set(botId, isClaimable || further.get(botId) === true);
  return further;
}

export function withFurther(head: LogHead, further: ReadonlyMap<string, boolean>): LogHead {
  const isFurtherClaimable = further.get(head.botId);
  return isFurtherClaimable === undefined ? head : { ...head, isFurtherClaimable };
}

/**
 * The end of a statement that changes in how many channels the bot in `pair` is, if there is one, and appends the event in `stored` to its log.
 * $4: the time; $5: how far the database's clock is ahead.
 */
export const countChannel = (pair: string, change: "+ 1" | "- 1") => `
    ${DATABASE_NOW_IS},
    changed AS (
      UPDATE lanes l SET channel_count = l.channel_count ${change}, ${grownIf("EXISTS (SELECT FROM stored)")}
      FROM incarnation_now WHERE bot_key = (SELECT bot_key FROM ${pair})
      RETURNING l.bot_key, l.last_update_id, ${IS_CLAIMABLE} AS is_claimable),
    grown AS (SELECT c.*, s.event_key FROM changed c CROSS JOIN stored s),
    ${WAKE_FURTHER},
    appended AS (
      INSERT INTO entries (log_key, number, event_key) SELECT bot_key, last_update_id, event_key FROM grown)`;

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

/**
 * The columns of a lane `l`, beside `incarnation_now`, to which `count` events of one time were appended if `condition` holds. A log skips numbers even if
 * not. $4: the time; $5: how far the database's clock is ahead.
 */
export const grownIf = (
  condition: string,
  count = "1",
) => `${numbersGiven(`CASE WHEN ${condition} THEN ${count} ELSE 0 END`)},
        last_update_at = CASE WHEN ${condition} THEN greatest(l.last_update_at, $4::bigint) ELSE l.last_update_at END,
        due_at = ${dueAfter("$4::bigint + $5::bigint", ` OR (${condition}) IS NOT TRUE`)}`;
