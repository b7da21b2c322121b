import type { LogGap } from "../../parts/log-store.js";
import type { Store } from "../../store.js";
import { type InBatches, LOOK_UPS_PER_BATCH } from "../connection/batcher.js";
import { type Database, integers, type Statement, uuid } from "../connection/connection.js";
import type { InTurn } from "../connection/turns.js";
import { skippedNumbers } from "./log-growth.js";

const SELECT_HEADS: Statement = {
  name: "select-log-heads",
  text: `
    SELECT b.id AS "botId", l.last_update_id AS head FROM bots b JOIN lanes l USING (bot_key)
    WHERE b.id = ANY ($1::uuid[])`,
};
const SELECT_TAIL: Statement = {
  name: "select-log-tail",
  text: `
    SELECT coalesce(
      (SELECT e.number FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1),
      l.last_update_id + 1) AS tail
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = $1`,
};
const SELECT_GAP: Statement = {
  name: "select-log-gap",
  text: `
    SELECT l.gap_from AS "from", l.gap_through AS through FROM bots b JOIN lanes l USING (bot_key)
    WHERE b.id = $1 AND l.gap_from IS NOT NULL`,
};
const FIND_NUMBERS: Statement = {
  name: "find-numbers-at",
  text: `
    SELECT (
      WITH RECURSIVE search (lowest, highest) AS (
        SELECT 1::bigint, log.last_update_id + 1
        UNION ALL
        SELECT CASE WHEN u.created_at >= t.time THEN s.lowest ELSE m.middle + 1 END,
          CASE WHEN u.created_at >= t.time THEN least(m.middle, u.number) ELSE s.highest END
        FROM search s CROSS JOIN LATERAL (SELECT (s.lowest + s.highest) / 2 AS middle) m
        LEFT JOIN LATERAL (
          SELECT e.number, p.created_at FROM entries e JOIN events p ON p.event_key = e.event_key
          WHERE e.log_key = log.bot_key AND e.number <= m.middle ORDER BY e.number DESC LIMIT 1) u ON true
        WHERE s.lowest < s.highest)
      SELECT highest FROM search WHERE lowest >= highest) AS number
    FROM unnest($2::bigint[]) WITH ORDINALITY AS t (time, n)
    CROSS JOIN (
      SELECT l.bot_key, l.last_update_id FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = $1) log
    ORDER BY t.n`,
};
/**
 * Locks the lanes in the order of their keys, like every statement that changes several. Those of further destinations are no heads of logs. A consumer at the end of its log stays there; otherwise all
 * passed-over numbers would be its lag.
 */
const PASS_OVER: Statement = {
  name: "skip-update-ids",
  text: `
    WITH step AS (
      SELECT bot_key, last_update_id, coalesce((
        SELECT log_key <> destination_key FROM destinations WHERE destination_key = lanes.bot_key), false) AS is_further
      FROM lanes WHERE bot_key > $1 ORDER BY bot_key LIMIT $2 FOR UPDATE),
    moved_along AS (
      UPDATE consumers c SET position = c.position + $3
      FROM step WHERE c.bot_key = step.bot_key AND c.position = step.last_update_id AND NOT step.is_further),
    moved AS (
      UPDATE lanes l SET
        last_update_id = l.last_update_id + $3, ${skippedNumbers("true", "$3")}
      FROM step WHERE l.bot_key = step.bot_key AND NOT step.is_further RETURNING l.bot_key)
    SELECT (SELECT count(*) FROM moved) AS logs, CASE WHEN count(*) = $2 THEN max(bot_key) END AS next FROM step`,
};

type NumberVerbs = Pick<
  Store,
  "readLogHead" | "readLogTail" | "readLogGap" | "findNumbersAt" | "skipUpdateIds"
>;

export function numberVerbs(db: Database, inBatches: InBatches, inTurn: InTurn): NumberVerbs {
  return {
    readLogHead: inBatches({
      maxItems: LOOK_UPS_PER_BATCH,
      run: (botIds: readonly string[]) =>
        db.query<{ botId: string; head: number }>(SELECT_HEADS, [botIds.map(uuid)]),
      resultsOf(rows, botIds) {
        const heads = new Map(rows.map(({ botId, head }) => [botId, head]));
        return botIds.map((botId): number | undefined => heads.get(botId));
      },
    }),

    async readLogTail(botId) {
      const [row] = await db.query<{ tail: number }>(SELECT_TAIL, [uuid(botId)]);
      return row?.tail;
    },

    async readLogGap(botId) {
      const [gap] = await db.query<LogGap>(SELECT_GAP, [uuid(botId)]);
      return gap;
    },

    findNumbersAt: (botId, times) =>
      inTurn(async () => {
        const rows = await db.query<{ number: number }>(FIND_NUMBERS, [uuid(botId), integers(times)]);
        return times.map((_, index) => rows[index]?.number ?? 1);
      }),

    async skipUpdateIds(from, limit, count) {
      const [row] = await db.query<{ logs: number; next: number | null }>(PASS_OVER, [from, limit, count]);
      const { logs = 0, next = null } = row ?? {};
      return { logs, ...(next === null ? {} : { next }) };
    },
  };
}
