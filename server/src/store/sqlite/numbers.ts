import type { Database } from "./binding.js";
import type { Verbs } from "./verbs.js";

export function numberVerbs(db: Database): Pick<Verbs, "readLogHead" | "passOverNumbers"> {
  const selectHead = db.prepare(`
    SELECT l.last_update_id AS head FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  const selectStep = db.prepare(
    "SELECT bot_key AS botKey FROM lanes WHERE bot_key > ? ORDER BY bot_key LIMIT +?",
  );
  /** A lane with nothing fresh still has nothing fresh afterwards: its next update comes after the gap. */
  const passOver = db.prepare(`
    UPDATE lanes SET
      last_update_id = last_update_id + ?1,
      unused_count = unused_count + ?1,
      next_fresh_id = CASE WHEN next_fresh_id > last_update_id THEN next_fresh_id + ?1 ELSE next_fresh_id END
    WHERE bot_key = ?2`);

  return {
    readLogHead: (botId) => (selectHead.get(botId) as { head: number } | undefined)?.head,

    passOverNumbers(from, limit, count) {
      const lanes = selectStep.all(from, limit) as { botKey: number }[];
      for (const { botKey } of lanes) passOver.run(count, botKey);
      return {
        logs: lanes.length,
        ...(lanes.length === limit ? { next: lanes.at(-1)?.botKey } : {}),
      };
    },
  };
}
