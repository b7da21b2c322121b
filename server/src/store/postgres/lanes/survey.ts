import {
  ACCEPTING_FOR_MS,
  COUNTED_FOR_MS,
  LATE_AFTER_MS,
  type LaneSurvey,
  type ReceiverCounts,
} from "../../../domain/delivery/lane-survey.js";
import { FIRST_FEED_KEY } from "../../parts/feed-store.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import { isStandIn } from "../../shared/guests.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Store } from "../../store.js";
import type { Database, Statement } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { FIRST_FRESH, WAITING_ROUNDS } from "../delivery/waiting.js";
import { CONSUMER_LAG, WAITING_UPDATES } from "../logs/counters.js";

/** When the first entry was made that a consumer `c` has not handled. */
const UNHANDLED_SINCE = `(
        SELECT (SELECT p.created_at FROM events p WHERE p.event_key = e.event_key) FROM entries e
        WHERE e.log_key = c.bot_key AND e.number > c.position AND e.number <> ALL (c.done) ORDER BY e.number LIMIT 1)`;

/**
 * $1: the key after which the lanes begin, $2: how many, $3: now by the database's clock, by which lanes are due, $4: now by this
 * process's, as attempts are recorded. With the order `bot` nothing is due before what waits for a retry. What is pending after an attempt counts as due since its last one.
 */
const SURVEY: Statement = {
  name: "survey-lanes",
  text: `
    WITH lane AS (SELECT * FROM lanes WHERE bot_key > $1 ORDER BY bot_key LIMIT $2),
    busy AS (
      SELECT ${WAITING_UPDATES} AS waiting, dest.resting_until,
        CASE WHEN fresh.due_at IS NOT NULL OR again.due_at IS NOT NULL
          THEN greatest(dest.resting_until, CASE WHEN dest.settings::jsonb ->> 'order' = 'bot' AND again.due_at IS NOT NULL
            THEN again.due_at ELSE least(fresh.due_at, again.due_at) END) END AS due_since
      FROM lane l JOIN destinations dest ON dest.destination_key = l.bot_key JOIN lanes log ON log.bot_key = dest.log_key
      LEFT JOIN LATERAL (
        SELECT (SELECT created_at FROM events WHERE event_key = e.event_key) AS due_at FROM (${FIRST_FRESH}) e) fresh ON true
      LEFT JOIN LATERAL (
        SELECT min((SELECT CASE WHEN d.round < dest.round THEN coalesce(d.last_attempted_at, d.due_at) ELSE d.due_at END
          FROM deliveries d WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = r.round
          ORDER BY d.due_at, d.first_number LIMIT 1)) AS due_at
        FROM (${WAITING_ROUNDS}) r) again ON true
      WHERE l.is_open AND ${WAITING_UPDATES} > 0),
    receiver AS (
      SELECT CASE
          WHEN failing_since > $4::bigint - ${COUNTED_FOR_MS} THEN 'failing'
          WHEN failing_since IS NOT NULL OR last_delivered_at <= $4::bigint - ${COUNTED_FOR_MS} THEN NULL
          WHEN last_delivered_at > $4::bigint - ${ACCEPTING_FOR_MS} THEN 'accepting'
          WHEN last_delivered_at IS NOT NULL THEN 'quiet' END AS state
      FROM lane JOIN destinations dest ON dest.destination_key = bot_key WHERE is_open),
    behind AS (
      SELECT log.bot_key >= ${FIRST_FEED_KEY} AS is_feed, ${CONSUMER_LAG} AS lag, ${UNHANDLED_SINCE} AS since
      FROM lane log JOIN consumers c USING (bot_key)
      -- Nobody reads what a guest has heard.
      WHERE NOT coalesce((SELECT ${isStandIn("b.owner_user_id")} FROM bots b WHERE b.bot_key = log.bot_key), false))
    SELECT
      (SELECT max(bot_key) FROM lane HAVING count(*) = $2) AS next,
      coalesce(sum(waiting), 0)::bigint AS "waitingUpdates",
      count(*) FILTER (WHERE resting_until > $3::bigint) AS "restingLanes",
      count(*) FILTER (WHERE due_since <= $3::bigint - ${LATE_AFTER_MS}) AS "lateLanes",
      min(due_since) FILTER (WHERE due_since <= $3::bigint) AS "dueSince",
      (SELECT count(*) FROM receiver WHERE state = 'accepting') AS accepting,
      (SELECT count(*) FROM receiver WHERE state = 'quiet') AS quiet,
      (SELECT count(*) FROM receiver WHERE state = 'failing') AS failing,
      (SELECT max(lag) FROM behind WHERE NOT is_feed) AS "slowestConsumerLag",
      (SELECT min(since) FROM behind WHERE NOT is_feed) AS "consumerBehindSince",
      (SELECT min(since) FROM behind WHERE is_feed) AS "feedConsumerBehindSince"
    FROM busy`,
};

type SurveyRow = Pick<LaneSurvey, "waitingUpdates" | "restingLanes" | "lateLanes"> &
  ReceiverCounts & {
    next: number | null;
    dueSince: number | null;
    slowestConsumerLag: number | null;
    consumerBehindSince: number | null;
    feedConsumerBehindSince: number | null;
  };

export function surveyVerbs(db: Database, clock: DatabaseClock): Pick<Store, "surveyLanes"> {
  return {
    async surveyLanes(from, limit, now) {
      const [row] = await db.query<SurveyRow>(SURVEY, [from, limit, clock.toDatabase(now), now]);
      if (!row) throw new Error("the survey of lanes has no row");
      const { dueSince, accepting, quiet, failing, ...found } = row;
      return omitNulls<LaneSurvey>({
        ...found,
        receivers: { accepting, quiet, failing },
        dueSince: dueSince && clock.fromDatabase(dueSince),
      });
    },
  };
}
