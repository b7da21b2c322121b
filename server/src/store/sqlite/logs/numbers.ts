import type { LogGap } from "../../parts/log-store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

type NumberVerbs = Pick<
  Verbs,
  "readLogHead" | "readLogTail" | "readLogGap" | "findNumbersAt" | "skipUpdateIds"
>;

export function numberVerbs(db: Database): NumberVerbs {
  const selectHead = db.prepare(`
    SELECT l.last_update_id AS head FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  const selectTail = db.prepare(`
    SELECT ifnull(
      (SELECT e.number FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1),
      l.last_update_id + 1) AS tail
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  const selectGap = db.prepare(`
    SELECT l.gap_from AS "from", l.gap_through AS through FROM bots b JOIN lanes l USING (bot_key)
    WHERE b.id = ? AND l.gap_from IS NOT NULL`);
  const selectLog = db.prepare(`
    SELECT l.bot_key AS botKey, l.last_update_id AS head FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  const selectUpTo = db.prepare(`
    SELECT e.number AS updateId, p.created_at AS createdAt FROM entries e JOIN events p ON p.event_key = e.event_key
    WHERE e.log_key = ? AND e.number <= ? ORDER BY e.number DESC LIMIT 1`);
  /** Lanes of further destinations are no heads of logs. */
  const selectStep = db.prepare(`
    SELECT l.bot_key AS botKey, ifnull(dest.log_key <> dest.destination_key, 0) AS isFurther
    FROM lanes l LEFT JOIN destinations dest ON dest.destination_key = l.bot_key WHERE l.bot_key > ? ORDER BY l.bot_key LIMIT +?`);
  /** A consumer at the end of its log stays there; otherwise all passed-over numbers would be its lag. */
  const moveAlong = db.prepare(`
    UPDATE consumers SET position = position + ?1
    WHERE bot_key = ?2 AND position = (SELECT last_update_id FROM lanes WHERE bot_key = ?2)`);
  const skip = db.prepare(`
    UPDATE lanes SET
      last_update_id = last_update_id + ?1,
      unused_count = unused_count + ?1,
      gap_from = CASE WHEN gap_through = last_update_id THEN gap_from ELSE last_update_id + 1 END,
      gap_through = last_update_id + ?1
    WHERE bot_key = ?2`);

  /** @param first the lowest number that it may be */
  const findNumberAt = (botKey: number, time: number, first: number, head: number): number => {
    let lowest = first;
    let highest = head + 1;
    while (lowest < highest) {
      const middle = Math.floor((lowest + highest) / 2);
      const last = selectUpTo.get(botKey, middle) as { updateId: number; createdAt: number } | undefined;
      if (!last || last.createdAt < time) lowest = middle + 1;
      else highest = Math.min(middle, last.updateId);
    }
    return highest;
  };

  return {
    readLogHead: (botId) => (selectHead.get(botId) as { head: number } | undefined)?.head,

    readLogTail: (botId) => (selectTail.get(botId) as { tail: number } | undefined)?.tail,

    readLogGap: (botId) => selectGap.get(botId) as LogGap | undefined,

    findNumbersAt(botId, times) {
      const log = selectLog.get(botId) as { botKey: number; head: number } | undefined;
      let number = 1;
      return times.map((time) => {
        if (log) number = findNumberAt(log.botKey, time, number, log.head);
        return number;
      });
    },

    skipUpdateIds(from, limit, count) {
      const lanes = selectStep.all(from, limit) as { botKey: number; isFurther: 0 | 1 }[];
      const logs = lanes.filter(({ isFurther }) => isFurther === 0);
      for (const { botKey } of logs) {
        moveAlong.run(count, botKey);
        skip.run(count, botKey);
      }
      return {
        logs: logs.length,
        ...(lanes.length === limit ? { next: lanes.at(-1)?.botKey } : {}),
      };
    },
  };
}
