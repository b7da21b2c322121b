import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

interface LogEntry {
  updateId: number;
  eventKey: number;
}

/** Finds posts in logs without an index: the keys that a log points at rise with its numbers. */
export function postInLogsVerbs(db: Database): Pick<Verbs, "findPostInLogs"> {
  const selectPost = db.prepare(`
    SELECT event_key AS key FROM events
    WHERE channel_key = (SELECT channel_key FROM channels WHERE id = ?) AND is_listed = 1 AND id = ?`);
  const selectLog = db.prepare(`
    SELECT b.bot_key AS key, l.last_update_id AS last FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  const selectFrom = db.prepare(`
    SELECT number AS updateId, event_key AS eventKey FROM entries
    WHERE log_key = ? AND number >= ? ORDER BY number LIMIT 1`);

  /** The first entry that points at this post or a later one. */
  const entryOf = (botKey: number, last: number, postKey: number): LogEntry | undefined => {
    const entryFrom = (updateId: number) => selectFrom.get(botKey, updateId) as LogEntry | undefined;
    let low = entryFrom(0)?.updateId ?? 0;
    let high = last + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const entry = entryFrom(middle);
      if (entry && entry.eventKey < postKey) low = entry.updateId + 1;
      else high = middle;
    }
    return entryFrom(low);
  };

  return {
    findPostInLogs(channelId, postId, botIds) {
      const post = selectPost.get(channelId, postId) as { key: number } | undefined;
      return botIds.map((botId) => {
        const log = selectLog.get(botId) as { key: number; last: number } | undefined;
        const entry = post && log && entryOf(log.key, log.last, post.key);
        return entry && entry.eventKey === post.key ? entry.updateId : undefined;
      });
    },
  };
}
