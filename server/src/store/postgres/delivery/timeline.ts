import {
  dropHoursBefore,
  foldMinutesBefore,
  type KeptCounts,
  sumOfCounts,
  type TimelineCounts,
} from "../../../domain/delivery/timeline.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import type { Store } from "../../store.js";
import { type Database, integers, type Statement, type Step, uuid } from "../connection/connection.js";
import { WAITING_UPDATES } from "../logs/counters.js";

const COLUMNS = "destination_key, starts_at, delivered, retried, failed, answer_times, oldest_ms, backlog";

/** Adds to the counts of a row that is already there. The backlog is not added: the later one counts. */
const ADD = `
  ON CONFLICT (destination_key, starts_at) DO UPDATE SET
    delivered = t.delivered + excluded.delivered,
    retried = t.retried + excluded.retried,
    failed = t.failed + excluded.failed,
    answer_times = (
      SELECT array_agg(coalesce(kept, 0) + coalesce(added, 0) ORDER BY bucket)
      FROM unnest(t.answer_times, excluded.answer_times) WITH ORDINALITY AS x (kept, added, bucket)),
    oldest_ms = greatest(t.oldest_ms, excluded.oldest_ms),
    backlog = excluded.backlog`;
/**
 * Runs in the transaction that changes the destinations, after those changes, and so with the new backlog. It holds them
 * also where nothing changed them: one that is being deleted gets no row that would outlive it.
 */
const COUNT_MINUTES: Statement = {
  name: "count-minutes",
  text: `
    INSERT INTO timeline AS t (${COLUMNS})
    SELECT dest.destination_key, m.starts_at, m.delivered, m.retried, m.failed, string_to_array(m.answer_times, ',')::integer[],
      m.oldest_ms, ${WAITING_UPDATES}
    FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::text[], $7::bigint[])
      AS m (id, starts_at, delivered, retried, failed, answer_times, oldest_ms)
    JOIN destinations dest ON dest.id = m.id
    JOIN lanes log ON log.bot_key = dest.log_key
    ORDER BY dest.destination_key, m.starts_at FOR KEY SHARE OF dest
    ${ADD}`,
};
const SELECT_TIMELINE: Statement = {
  name: "select-timeline",
  text: `
    SELECT starts_at AS "startsAt", delivered, retried, failed, answer_times AS "answerTimes",
      oldest_ms AS "oldestMs", backlog
    FROM timeline WHERE destination_key = (SELECT destination_key FROM destinations WHERE id = $1) AND starts_at >= $2 ORDER BY starts_at`,
};
/**
 * Skips rows that another instance has locked: one of the release before may fold too. All counts of a minute are added up as
 * one array, element by element, so that no join is needed.
 */
const FOLD: Statement = {
  name: "fold-timelines",
  text: `
    WITH old AS (
      SELECT destination_key, starts_at FROM timeline
      WHERE starts_at % 3600000 <> 0 AND starts_at < $1
      ORDER BY starts_at, destination_key LIMIT $2 FOR UPDATE SKIP LOCKED),
    minute AS (
      DELETE FROM timeline t USING old WHERE t.destination_key = old.destination_key AND t.starts_at = old.starts_at
      RETURNING t.*, t.starts_at - t.starts_at % 3600000 AS hour),
    bucket AS (
      SELECT m.destination_key, m.hour, x.ordinal, sum(x.count)::integer AS count, max(m.oldest_ms) AS oldest_ms,
        (array_agg(m.backlog ORDER BY m.starts_at DESC))[1] AS backlog
      FROM minute m CROSS JOIN LATERAL
        unnest(ARRAY[m.delivered, m.retried, m.failed] || m.answer_times) WITH ORDINALITY AS x (count, ordinal)
      GROUP BY m.destination_key, m.hour, x.ordinal),
    hour AS (
      SELECT destination_key, hour, array_agg(count ORDER BY ordinal) AS counts, max(oldest_ms) AS oldest_ms,
        max(backlog) FILTER (WHERE ordinal = 1) AS backlog
      FROM bucket GROUP BY destination_key, hour),
    folded AS (
      INSERT INTO timeline AS t (${COLUMNS})
      SELECT destination_key, hour, counts[1], counts[2], counts[3], counts[4:], oldest_ms, backlog
      FROM hour ORDER BY destination_key, hour
      ${ADD})
    SELECT count(*) AS done FROM minute`,
};
const DROP_HOURS: Statement = {
  name: "drop-hours",
  text: `
    WITH old AS (
      SELECT destination_key, starts_at FROM timeline
      WHERE starts_at % 3600000 = 0 AND starts_at < $1
      ORDER BY starts_at, destination_key LIMIT $2 FOR UPDATE SKIP LOCKED),
    dropped AS (
      DELETE FROM timeline t USING old WHERE t.destination_key = old.destination_key AND t.starts_at = old.starts_at
      RETURNING t.destination_key)
    SELECT count(*) AS done FROM dropped`,
};

/** @returns the step that adds the counts of lanes; none without counts */
export function countMinutes(
  lanes: readonly { destinationId: string; minutes?: readonly TimelineCounts[] }[],
): Step[] {
  const all = lanes.flatMap(({ destinationId, minutes = [] }) =>
    minutes.map((counts) => ({ destinationId, ...counts })),
  );
  if (all.length === 0) return [];
  const sums = sumByMinute(all);
  const values = [
    sums.map(({ destinationId }) => uuid(destinationId)),
    integers(sums.map(({ startsAt }) => startsAt)),
    integers(sums.map(({ delivered }) => delivered)),
    integers(sums.map(({ retried }) => retried)),
    integers(sums.map(({ failed }) => failed)),
    sums.map(({ answerTimes }) => answerTimes.join()),
    integers(sums.map(({ oldestMs }) => oldestMs)),
  ];
  return [[COUNT_MINUTES, values]];
}

export function timelineVerbs(db: Database): Pick<Store, "readTimeline"> {
  return {
    readTimeline: (destinationId, from) => db.query<KeptCounts>(SELECT_TIMELINE, [uuid(destinationId), from]),
  };
}

export function timelineFold(db: Database): UpkeepSteps<Promise<UpkeepStep>>["fold"] {
  return async ({ now }, limit) => {
    const [folded] = await db.query<{ done: number }>(FOLD, [foldMinutesBefore(now), limit]);
    const [dropped] = await db.query<{ done: number }>(DROP_HOURS, [dropHoursBefore(now), limit]);
    return { isMore: folded?.done === limit || dropped?.done === limit };
  };
}

type DestinationCounts = TimelineCounts & { destinationId: string };

/** A statement cannot add twice to one row, and a lane that was lost and claimed again has two counts of a minute. */
function sumByMinute(all: readonly DestinationCounts[]): DestinationCounts[] {
  const sums = new Map<string, DestinationCounts>();
  for (const counts of all) {
    const { destinationId, startsAt } = counts;
    const key = `${destinationId} ${startsAt}`;
    const sum = sums.get(key);
    sums.set(key, sum ? { ...sumOfCounts(sum, counts), destinationId } : counts);
  }
  return [...sums.values()];
}
