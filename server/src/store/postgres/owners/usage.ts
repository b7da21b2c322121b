import type { Usage } from "../../../domain/owners/usage.js";
import { isGuest } from "../../shared/guests.js";
import type { OwnerUsage, Store } from "../../store.js";
import type { Database, Statement } from "../connection/connection.js";

const USAGE = "day, posts, updates, deliveries, bytes";
const SELECT_OF_OWNER: Statement = {
  name: "select-usage-of-owner",
  text: `SELECT ${USAGE} FROM owner_usage WHERE owner_user_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day`,
};
const SELECT_OF_ALL: Statement = {
  name: "select-usage",
  text: `
    SELECT owner_user_id AS "ownerUserId", ${USAGE} FROM owner_usage
    WHERE (day, owner_user_id) > ($1, $2) AND day <= $3 AND NOT ${isGuest("owner_user_id")} ORDER BY day, owner_user_id LIMIT $4`,
};
const SELECT_KEPT: Statement = {
  name: "select-kept-bytes",
  text: "SELECT bytes FROM owner_kept WHERE owner_user_id = $1",
};

export function usageVerbs(db: Database): Pick<Store, "readUsage" | "listUsage" | "readKeptBytes"> {
  return {
    readUsage: (ownerUserId, { from, to }) => db.query<Usage>(SELECT_OF_OWNER, [ownerUserId, from, to]),
    // No user id is empty.
    listUsage: ({ from, to }, limit, { day, ownerUserId } = { day: from, ownerUserId: "" }) =>
      db.query<OwnerUsage>(SELECT_OF_ALL, [day, ownerUserId, to, limit]),
    readKeptBytes: async (ownerUserId) =>
      (await db.query<{ bytes: number }>(SELECT_KEPT, [ownerUserId]))[0]?.bytes ?? 0,
  };
}

/** The end of an insert that adds to what an owner has used on a day. */
export const ADD_USAGE = `
      ON CONFLICT (owner_user_id, day) DO UPDATE SET
        posts = u.posts + excluded.posts, updates = u.updates + excluded.updates,
        deliveries = u.deliveries + excluded.deliveries, bytes = u.bytes + excluded.bytes`;

/** A day of a moment in milliseconds; both are SQL. */
export const dayOf = (ms: string) => `(${ms} / 86400000)::integer`;

/** The updates that a log `l` ever had. */
export const UPDATES_EVER = "l.last_update_id - l.unused_count";

/**
 * A part of a statement that deletes destinations, and counts what was not counted of them yet, on the present day.
 *
 * @param gone SQL of rows with the columns of the deleted destinations, and of their logs where they are those of bots: `updates`
 */
export const countGone = (gone: string, now: string) => `
    counted AS (
      INSERT INTO owner_usage AS u (owner_user_id, ${USAGE})
      SELECT owner_user_id, ${dayOf(now)}, 0, coalesce(sum(updates - counted_updates), 0),
        coalesce(sum(delivered_count - counted_deliveries), 0), 0
      FROM ${gone} GROUP BY owner_user_id
      ${ADD_USAGE})`;
