import type { LogHead } from "../store.js";
import type { Database } from "./binding.js";

interface AttachedLane {
  botKey: number;
  botId: string;
  lastUpdateId: number;
  isOpen: 0 | 1;
  dueAt: number | null;
  restingUntil: number;
}

type GrownLane = Pick<AttachedLane, "botId" | "lastUpdateId" | "isOpen">;

/**
 * Appends posts of a channel, whose keys follow each other, to the logs of its bots, and wakes their lanes.
 *
 * A channel of one bot has plain statements for its row, which saves the thread a tenth of its work for such a post. With more
 * bots, the two statements that change all rows of a channel cost half as much for each.
 */
export function logAppender(db: Database) {
  const selectTwoLanes = db.prepare(`
    SELECT bot_key AS botKey, b.id AS botId, l.last_update_id AS lastUpdateId, l.is_open AS isOpen, l.due_at AS dueAt,
      l.resting_until AS restingUntil
    FROM attachments a CROSS JOIN lanes l USING (bot_key) CROSS JOIN bots b USING (bot_key)
    WHERE a.channel_key = ? LIMIT 2`);
  const insertUpdate = db.prepare("INSERT INTO updates (bot_key, update_id, post_key) VALUES (?, ?, ?)");
  const advanceLane = db.prepare(`
    UPDATE lanes SET last_update_id = ?1, last_update_at = max(ifnull(last_update_at, 0), ?2) WHERE bot_key = ?3`);
  const wakeLane = db.prepare("UPDATE lanes SET due_at = ? WHERE bot_key = ?");
  const advanceLanes = db.prepare(`
    UPDATE lanes SET
      last_update_id = last_update_id + ?1,
      last_update_at = max(ifnull(last_update_at, 0), ?2),
      due_at = CASE WHEN is_open THEN min(ifnull(due_at, max(?2, resting_until)), max(?2, resting_until)) END
    WHERE bot_key IN (SELECT bot_key FROM attachments WHERE channel_key = ?3)
    RETURNING last_update_id AS lastUpdateId, is_open AS isOpen,
      (SELECT id FROM bots b WHERE b.bot_key = lanes.bot_key) AS botId`);
  const insertUpdates = db.prepare(`
    INSERT INTO updates (bot_key, update_id, post_key)
    SELECT a.bot_key, l.last_update_id - (?2 - p.post_key), p.post_key
    FROM attachments a CROSS JOIN lanes l USING (bot_key) CROSS JOIN posts p
    WHERE a.channel_key = ?3 AND p.post_key BETWEEN ?1 AND ?2`);

  const appendToOne = (lane: AttachedLane, firstKey: number, lastKey: number, lastPostAt: number) => {
    const { botKey, isOpen, dueAt, restingUntil } = lane;
    for (let key = firstKey; key <= lastKey; key += 1) {
      insertUpdate.run(botKey, lane.lastUpdateId + 1 + key - firstKey, key);
    }
    const lastUpdateId = lane.lastUpdateId + 1 + lastKey - firstKey;
    advanceLane.run(lastUpdateId, lastPostAt, botKey);
    const sendableAt = Math.max(lastPostAt, restingUntil);
    // A lane that is held stays due, and need not leave its index and come back.
    if (isOpen && (dueAt === null || dueAt > sendableAt)) wakeLane.run(sendableAt, botKey);
    return { ...lane, lastUpdateId };
  };

  const appendToAll = (channelKey: number, firstKey: number, lastKey: number, lastPostAt: number) => {
    const grown = advanceLanes.all(lastKey - firstKey + 1, lastPostAt, channelKey) as GrownLane[];
    insertUpdates.run(firstKey, lastKey, channelKey);
    return grown;
  };

  return (channelKey: number, firstKey: number, lastKey: number, lastPostAt: number): LogHead[] => {
    const [lane, another] = selectTwoLanes.all(channelKey) as AttachedLane[];
    if (!lane) return [];
    const grown = another
      ? appendToAll(channelKey, firstKey, lastKey, lastPostAt)
      : [appendToOne(lane, firstKey, lastKey, lastPostAt)];
    return grown.map(({ botId, lastUpdateId, isOpen }) => ({
      botId,
      lastUpdateId,
      isClaimable: isOpen === 1,
    }));
  };
}
