import { EVENTS_COUNTED_PER_STEP } from "../../../domain/limits.js";
import type { Database } from "../binding.js";

/** The next events of one channel, with their newest revisions. */
interface Looked {
  lastKey: number;
  looked: number;
  channelKey: number;
  bytes: number;
}

/** A step of counting what owners keep; triggers note what is changed of that, and removed. @returns whether there may be more */
export function keptCounts(db: Database): () => boolean {
  const begin = db.prepare("INSERT OR IGNORE INTO kept_count (id, event_key) VALUES (1, 0)");
  const selectNext = db.prepare(`
    SELECT max(event_key) AS lastKey, count(*) AS looked, channel_key AS channelKey, sum(bytes) AS bytes
    FROM (
      SELECT event_key, channel_key, length(CAST(payload AS BLOB))
        + ifnull((SELECT length(CAST(e.payload AS BLOB)) FROM edited_posts e WHERE e.event_key = p.event_key), 0) AS bytes
      FROM events p WHERE event_key > (SELECT event_key FROM kept_count WHERE id = ?1) ORDER BY event_key LIMIT +?2) looked
    GROUP BY channel_key`);
  const selectOwner = db.prepare(`
    SELECT ifnull((SELECT owner_user_id FROM channels WHERE channel_key = ?1),
      (SELECT owner_user_id FROM removed_channels WHERE channel_key = ?1)) AS ownerUserId`);
  const add = db.prepare(`
    INSERT INTO owner_kept (owner_user_id, bytes) VALUES (?, ?)
    ON CONFLICT (owner_user_id) DO UPDATE SET bytes = bytes + excluded.bytes`);
  const advance = db.prepare("UPDATE kept_count SET event_key = ? WHERE id = 1");
  const dropEmpty = db.prepare("DELETE FROM owner_kept WHERE owner_user_id > '' AND bytes = 0");
  return () => {
    begin.run();
    const next = selectNext.all(1, EVENTS_COUNTED_PER_STEP) as unknown as Looked[];
    for (const { channelKey, bytes } of next) {
      const { ownerUserId } = selectOwner.get(channelKey) as { ownerUserId: string | null };
      if (ownerUserId !== null) add.run(ownerUserId, bytes);
    }
    if (next.length > 0) advance.run(Math.max(...next.map(({ lastKey }) => lastKey)));
    if (next.reduce((sum, { looked }) => sum + looked, 0) === EVENTS_COUNTED_PER_STEP) return true;
    dropEmpty.run();
    return false;
  };
}
