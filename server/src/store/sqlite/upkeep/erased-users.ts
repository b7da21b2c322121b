import { userMark } from "../../../domain/events/erase-user.js";
import type { UpkeepStep } from "../../parts/upkeep-store.js";
import {
  ERASED_AGAIN_AFTER_MS,
  ERASED_PER_STEP,
  eventsPerStep,
  USER_ERASURE_KEPT_MS,
  USERS_PER_WALK,
  type UserStore,
} from "../../parts/user-store.js";
import { erasedNaming, type NamingRow } from "../../shared/erased-users.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** Erases users of a product: in one walk over all events those that wait when it begins; each is walked for twice. */
export function userErasure(db: Database): Pick<Verbs, keyof UserStore> & { step: () => UpkeepStep } {
  const selectChannels = db.prepare(`
    SELECT id AS channelId, owner_user_id AS ownerUserId FROM channels
    WHERE direct_user_id = ? ORDER BY channel_key LIMIT +?`);
  const takeEnded = db.prepare(
    "UPDATE erased_users SET ended_at = NULL, position = NULL WHERE user_id = ? AND ended_at > ?",
  );
  /** It has ended since the caller asked first, and another one has taken it: until it ends there is no time for its second walk. */
  const selectShared = db.prepare(
    "SELECT user_id FROM erased_users WHERE user_id = ? AND ended_at IS NULL AND again_at > 0",
  );
  /** One that has ended, and is not asked for again, begins anew. */
  const put = db.prepare(`
    INSERT INTO erased_users (user_id) VALUES (?1)
    ON CONFLICT (user_id) DO UPDATE SET position = NULL, ended_at = NULL, again_at = 0 WHERE again_at > 0`);

  const selectWalking = db.prepare(`
    SELECT user_id AS userId, position FROM erased_users WHERE position IS NOT NULL AND ended_at IS NULL`);
  /** Most of the time there is none. */
  const selectAny = db.prepare("SELECT user_id FROM erased_users WHERE user_id > '' LIMIT 1");
  const begin = db.prepare(`
    UPDATE erased_users SET position = 0 WHERE user_id IN (
      SELECT user_id FROM erased_users
      WHERE position IS NULL AND ended_at IS NULL AND again_at <= ? ORDER BY again_at, user_id LIMIT ${USERS_PER_WALK})`);
  const forget = db.prepare("UPDATE erased_users SET ended_at = NULL, position = NULL WHERE ended_at <= ?");
  const selectEnd = db.prepare(`
    SELECT ifnull(
      (SELECT event_key FROM events WHERE event_key > ?1 ORDER BY event_key LIMIT 1 OFFSET +?2),
      (SELECT max(event_key) FROM events WHERE event_key > ?1)) AS through`);
  /** ?3: what marks the users, as JSON. */
  const selectNaming = db.prepare(`
    SELECT p.event_key AS eventKey, p.payload, p.event_type AS eventType, e.payload AS edited
    FROM events p LEFT JOIN edited_posts e USING (event_key)
    WHERE p.event_key > ?1 AND p.event_key <= ?2 AND EXISTS (
      SELECT 1 FROM json_each(?3) u WHERE instr(p.payload, u.value) > 0 OR instr(e.payload, u.value) > 0)
    ORDER BY p.event_key LIMIT ${ERASED_PER_STEP}`);
  /** ?3: whether it was theirs, and so was the request that caused it. */
  const erase = db.prepare(`
    UPDATE events SET payload = ?1, is_listed = min(is_listed, ?2), cause = CASE WHEN ?3 THEN NULL ELSE cause END
    WHERE event_key = ?4`);
  const removeRevision = db.prepare("DELETE FROM edited_posts WHERE event_key = ?");
  const eraseRevision = db.prepare("UPDATE edited_posts SET payload = ? WHERE event_key = ?");
  /** The rest of a deleted post, its edits, is erased like that of any other; see remains.ts. */
  const rememberPost = db.prepare(`
    INSERT OR IGNORE INTO erased_posts (event_key, owner_user_id)
    SELECT p.event_key, c.owner_user_id FROM events p JOIN channels c USING (channel_key) WHERE p.event_key = ?`);
  const advance = db.prepare(
    "UPDATE erased_users SET position = ? WHERE position IS NOT NULL AND ended_at IS NULL",
  );
  /** Those who have walked twice. */
  const removeDone = db.prepare(
    "DELETE FROM erased_users WHERE position IS NOT NULL AND ended_at IS NULL AND again_at > 0",
  );
  const end = db.prepare(
    "UPDATE erased_users SET ended_at = ?, again_at = ? WHERE position IS NOT NULL AND ended_at IS NULL",
  );

  const eraseIn = (row: NamingRow, userIds: ReadonlySet<string>): string[] => {
    const erased = erasedNaming(row, userIds);
    if (!erased) return [];
    const { eventKey, payload, edited, isTheirs, isGone, channelId } = erased;
    if (isGone) {
      rememberPost.run(eventKey);
      removeRevision.run(eventKey);
    }
    if (payload !== undefined) erase.run(payload, isGone ? 0 : 1, isTheirs ? 1 : 0, eventKey);
    if (edited !== undefined) eraseRevision.run(edited, eventKey);
    return channelId === undefined ? [] : [channelId];
  };

  return {
    listUserChannels: (userId, limit) =>
      selectChannels.all(userId, limit) as { channelId: string; ownerUserId: string }[],

    eraseUser(userId, { isAskedAgain = false } = {}) {
      const isTaken = Number(takeEnded.run(userId, Date.now() - USER_ERASURE_KEPT_MS).changes) > 0;
      const isEnded = isTaken || (isAskedAgain && selectShared.get(userId) !== undefined);
      if (!isEnded) put.run(userId);
      return isEnded;
    },

    step() {
      let walking = selectWalking.all() as { userId: string; position: number }[];
      if (walking.length === 0) {
        if (!selectAny.get()) return { isMore: false };
        const now = Date.now();
        forget.run(now - USER_ERASURE_KEPT_MS);
        if (Number(begin.run(now).changes) === 0) return { isMore: false };
        walking = selectWalking.all() as { userId: string; position: number }[];
      }
      const userIds = new Set(walking.map(({ userId }) => userId));
      const from = walking[0]?.position ?? 0;
      const count = eventsPerStep(userIds.size);
      const looked = selectEnd.get(from, count) as { through: number | null };
      if (looked.through === null) {
        const now = Date.now();
        removeDone.run();
        end.run(now, now + ERASED_AGAIN_AFTER_MS);
        return { isMore: true };
      }
      const marks = JSON.stringify([...userIds].map(userMark));
      const naming = selectNaming.all(from, looked.through, marks) as unknown as NamingRow[];
      const erased = new Set(naming.flatMap((row) => eraseIn(row, userIds)));
      const isCut = naming.length === ERASED_PER_STEP;
      advance.run(isCut ? (naming.at(-1)?.eventKey ?? from) : looked.through);
      return { isMore: true, erasedIds: [...erased] };
    },
  };
}
