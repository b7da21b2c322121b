import type { LaneSurvey } from "../../../domain/delivery/lane-survey.js";
import { FIRST_FEED_KEY } from "../../feed-store.js";
import type { Store } from "../../store.js";
import type { Database, Statement } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { CONSUMER_LAG, WAITING_UPDATES } from "../logs/counters.js";
import { FIRST_FRESH, WAITING_ROUNDS } from "./waiting.js";

/** What is pending after an attempt counts as due since its last one. */
const SURVEY: Statement = {
  name: "survey-lanes",
  text: `
    WITH lane AS (SELECT * FROM lanes WHERE bot_key > $1 ORDER BY bot_key LIMIT $2),
    busy AS (
      SELECT ${WAITING_UPDATES} AS waiting, l.resting_until,
        CASE WHEN fresh.due_at IS NOT NULL OR again.due_at IS NOT NULL
          THEN greatest(l.resting_until, least(fresh.due_at, again.due_at)) END AS due_since
      FROM lane l
      LEFT JOIN LATERAL (
        SELECT (SELECT created_at FROM posts WHERE post_key = e.event_key) AS due_at FROM (${FIRST_FRESH}) e) fresh ON true
      LEFT JOIN LATERAL (
        SELECT min((SELECT CASE WHEN d.round < l.round THEN coalesce(d.last_attempted_at, d.due_at) ELSE d.due_at END
          FROM deliveries d WHERE d.destination_key = l.bot_key AND d.state = 1 AND d.round = r.round
          ORDER BY d.due_at, d.first_number LIMIT 1)) AS due_at
        FROM (${WAITING_ROUNDS}) r) again ON true
      WHERE l.is_open AND ${WAITING_UPDATES} > 0)
    SELECT
      (SELECT max(bot_key) FROM lane HAVING count(*) = $2) AS next,
      coalesce(sum(waiting), 0)::bigint AS "waitingUpdates",
      count(*) FILTER (WHERE resting_until > $3) AS "restingLanes",
      min(due_since) FILTER (WHERE due_since <= $3) AS "dueSince",
      (SELECT max(${CONSUMER_LAG}) FROM lane l JOIN consumers c USING (bot_key)
        WHERE l.bot_key < ${FIRST_FEED_KEY}) AS "slowestConsumerLag"
    FROM busy`,
};

type SurveyRow = Pick<LaneSurvey, "waitingUpdates" | "restingLanes"> & {
  next: number | null;
  dueSince: number | null;
  slowestConsumerLag: number | null;
};

export function surveyVerbs(db: Database, clock: DatabaseClock): Pick<Store, "surveyLanes"> {
  return {
    async surveyLanes(from, limit, now) {
      const [row] = await db.query<SurveyRow>(SURVEY, [from, limit, clock.toDatabase(now)]);
      if (!row) throw new Error("the survey of lanes has no row");
      const { next, dueSince, slowestConsumerLag, ...counts } = row;
      return {
        ...counts,
        ...(dueSince === null ? {} : { dueSince: clock.fromDatabase(dueSince) }),
        ...(slowestConsumerLag === null ? {} : { slowestConsumerLag }),
        ...(next === null ? {} : { next }),
      };
    },
  };
}
