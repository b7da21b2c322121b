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
import type { Database, Statement } from "../connection/connection.js";
import { DATABASE_NOW } from "../connection/database-clock.js";

const SELECT_CHANNELS: Statement = {
  name: "select-channels-of-user",
  text: `
    SELECT id AS "channelId", owner_user_id AS "ownerUserId" FROM channels
    WHERE direct_user_id = $1 ORDER BY channel_key LIMIT $2`,
};
/** Before the row, which may not be there yet: of calls at once one begins, and the others find what it has begun. */
const LOCK_USER: Statement = {
  name: "lock-erased-user",
  text: "SELECT pg_advisory_xact_lock(hashtextextended('erasure of ' || $1, 0))",
};
/**
 * Takes one that has ended, and else begins it, unless it is under way: one that has ended, and is not asked for again, begins anew. $2: asked
 * again; until an erasure ends there is no time for its second walk, so it has ended since, and another caller has taken it.
 */
const PUT: Statement = {
  name: "put-erased-user",
  text: `
    WITH taken AS (
      UPDATE erased_users SET ended_at = NULL, position = NULL
      WHERE user_id = $1 AND ended_at > ${DATABASE_NOW} - ${USER_ERASURE_KEPT_MS} RETURNING user_id),
    shared AS (
      SELECT user_id FROM erased_users
      WHERE user_id = $1 AND ended_at IS NULL AND again_at > 0 AND $2::boolean),
    begun AS (
      INSERT INTO erased_users AS u (user_id) SELECT $1 WHERE NOT EXISTS (SELECT FROM taken) AND NOT EXISTS (SELECT FROM shared)
      ON CONFLICT (user_id) DO UPDATE SET position = NULL, ended_at = NULL, again_at = 0 WHERE u.again_at > 0)
    SELECT user_id FROM taken UNION ALL SELECT user_id FROM shared`,
};

/** Of those who walk; all have the same position. */
const WALKS = "position IS NOT NULL AND ended_at IS NULL";
const SELECT_WALKING: Statement = {
  name: "select-walking-users",
  text: `SELECT user_id AS "userId", position FROM erased_users WHERE ${WALKS}`,
};
/** Most of the time there is none. */
const SELECT_ANY: Statement = {
  name: "select-any-erased-user",
  text: "SELECT user_id FROM erased_users ORDER BY user_id LIMIT 1",
};
const BEGIN: Statement = {
  name: "begin-walk-of-users",
  text: `
    UPDATE erased_users SET position = 0
    WHERE NOT EXISTS (SELECT FROM erased_users WHERE ${WALKS}) AND user_id IN (
      SELECT user_id FROM erased_users
      WHERE position IS NULL AND ended_at IS NULL AND again_at <= ${DATABASE_NOW} ORDER BY again_at, user_id LIMIT ${USERS_PER_WALK})
    RETURNING user_id AS "userId", position`,
};
const FORGET: Statement = {
  name: "forget-erased-users",
  text: `UPDATE erased_users SET ended_at = NULL, position = NULL WHERE ended_at <= ${DATABASE_NOW} - ${USER_ERASURE_KEPT_MS}`,
};
const SELECT_END: Statement = {
  name: "select-end-of-walk",
  text: `
    SELECT max(event_key) AS through FROM (
      SELECT event_key FROM events WHERE event_key > $1 ORDER BY event_key LIMIT $2) looked`,
};
/** $3: what marks the users. */
const SELECT_NAMING: Statement = {
  name: "select-events-naming-users",
  text: `
    SELECT p.event_key AS "eventKey", p.payload, p.event_type AS "eventType", e.payload AS edited
    FROM events p LEFT JOIN edited_posts e USING (event_key)
    WHERE p.event_key > $1 AND p.event_key <= $2 AND EXISTS (
      SELECT FROM unnest($3::text[]) AS u (mark) WHERE strpos(p.payload, u.mark) > 0 OR strpos(e.payload, u.mark) > 0)
    ORDER BY p.event_key LIMIT ${ERASED_PER_STEP}`,
};
/**
 * One entry for each event: $1: its key, $2 and $3: its payload as it was read and as it shall be, $4 and $5: the same of its newest revision, all
 * null where there is nothing to change; $6: whether its channel lists it no more, $7: whether it was theirs, and so was the request that caused it.
 *
 * What was changed since it was read stays, unless it goes as a whole: the next step reads all of them again. The rest of a post that goes is erased like
 * that of any other, also a revision that is written at this moment; see remains.ts.
 */
const ERASE: Statement = {
  name: "erase-users-in-events",
  text: `
    WITH locked AS (
      SELECT event_key FROM events WHERE event_key = ANY ($1::bigint[]) ORDER BY event_key FOR UPDATE),
    given AS MATERIALIZED (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::boolean[])
        AS g (event_key, was, payload, edit_was, edited, is_gone, is_theirs)),
    unrevised AS (
      DELETE FROM edited_posts WHERE event_key = ANY (ARRAY(SELECT event_key FROM given WHERE is_gone))),
    revised AS (
      UPDATE edited_posts e SET payload = g.edited FROM given g JOIN locked USING (event_key)
      WHERE e.event_key = g.event_key AND g.edited IS NOT NULL AND NOT g.is_gone AND e.payload = g.edit_was),
    remembered AS (
      INSERT INTO erased_posts (event_key, owner_user_id)
      SELECT p.event_key, c.owner_user_id FROM given g JOIN events p USING (event_key) CROSS JOIN LATERAL (
        SELECT owner_user_id FROM channels WHERE channel_key = p.channel_key
        UNION ALL SELECT owner_user_id FROM removed_channels WHERE channel_key = p.channel_key LIMIT 1) c
      WHERE g.is_gone
      ON CONFLICT DO NOTHING)
    UPDATE events p SET payload = g.payload, cause = CASE WHEN g.is_theirs THEN NULL ELSE p.cause END, is_listed = p.is_listed AND NOT g.is_gone
    FROM given g JOIN locked USING (event_key)
    WHERE p.event_key = g.event_key AND g.payload IS NOT NULL AND (g.is_gone OR p.payload = g.was)`,
};
/** Only whoever has come this far moves on or ends. $1: the users, $2: from where, $3: to where. */
const ARE_THERE = "user_id = ANY ($1::text[]) AND position = $2 AND ended_at IS NULL";
const ADVANCE: Statement = {
  name: "advance-walk-of-users",
  text: `UPDATE erased_users SET position = $3 WHERE ${ARE_THERE}`,
};
/** Those who have walked twice are done. */
const END: Statement = {
  name: "end-walk-of-users",
  text: `
    WITH done AS (DELETE FROM erased_users WHERE ${ARE_THERE} AND again_at > 0)
    UPDATE erased_users SET ended_at = ${DATABASE_NOW}, again_at = ${DATABASE_NOW} + ${ERASED_AGAIN_AFTER_MS} WHERE ${ARE_THERE} AND again_at = 0`,
};

interface Walking {
  userId: string;
  position: number;
}

/** Erases users of a product: in one walk over all events those that wait when it begins; each is walked for twice. */
export function userErasure(db: Database): UserStore & { step: () => Promise<UpkeepStep> } {
  const beginWalk = async (): Promise<Walking[]> => {
    if ((await db.query(SELECT_ANY)).length === 0) return [];
    await db.query(FORGET);
    return await db.query<Walking>(BEGIN);
  };

  return {
    listUserChannels: (userId, limit) => db.query(SELECT_CHANNELS, [userId, limit]),

    async eraseUser(userId, { isAskedAgain = false } = {}) {
      const [, taken = []] = await db.transaction([
        [LOCK_USER, [userId]],
        [PUT, [userId, isAskedAgain]],
      ]);
      return taken.length > 0;
    },

    async step() {
      const found = await db.query<Walking>(SELECT_WALKING);
      const walking = found.length > 0 ? found : await beginWalk();
      if (walking.length === 0) return { isMore: false };
      const users = walking.map(({ userId }) => userId);
      const from = walking[0]?.position ?? 0;
      const [looked] = await db.query<{ through: number | null }>(SELECT_END, [
        from,
        eventsPerStep(users.length),
      ]);
      const through = looked?.through ?? null;
      if (through === null) {
        await db.query(END, [users, from]);
        return { isMore: true };
      }
      const naming = await db.query<NamingRow>(SELECT_NAMING, [from, through, users.map(userMark)]);
      const { isDone, erasedIds } = await eraseAll(db, naming, new Set(users));
      const isCut = naming.length === ERASED_PER_STEP;
      if (isDone) await db.query(ADVANCE, [users, from, isCut ? (naming.at(-1)?.eventKey ?? from) : through]);
      return { isMore: true, erasedIds };
    },
  };
}

/**
 * @returns whether there was nothing to erase: until then the same events are read again, since a first revision that was written after they were
 *   read names whom its post named
 */
async function eraseAll(
  db: Database,
  naming: readonly NamingRow[],
  userIds: ReadonlySet<string>,
): Promise<{ isDone: boolean; erasedIds: string[] }> {
  const all = naming.flatMap((row) => {
    const erased = erasedNaming(row, userIds);
    return erased ? [{ row, erased }] : [];
  });
  if (all.length === 0) return { isDone: true, erasedIds: [] };
  await db.query(ERASE, [
    all.map(({ erased }) => erased.eventKey),
    all.map(({ row }) => row.payload),
    all.map(({ erased }) => erased.payload ?? null),
    all.map(({ row }) => row.edited),
    all.map(({ erased }) => erased.edited ?? null),
    all.map(({ erased }) => erased.isGone),
    all.map(({ erased }) => erased.isTheirs),
  ]);
  const channelIds = all.flatMap(({ erased }) => erased.channelId ?? []);
  return { isDone: false, erasedIds: [...new Set(channelIds)] };
}
