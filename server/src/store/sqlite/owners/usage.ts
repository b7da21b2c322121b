import type { Usage } from "../../../domain/owners/usage.js";
import type { OwnerUsage } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

const USAGE = "day, posts, updates, deliveries, bytes";

export function usageVerbs(db: Database): Pick<Verbs, "readUsage" | "listUsage" | "readKeptBytes"> {
  const selectOfOwner = db.prepare(
    `SELECT ${USAGE} FROM owner_usage WHERE owner_user_id = ? AND day BETWEEN ? AND ? ORDER BY day`,
  );
  const selectOfAll = db.prepare(`
    SELECT owner_user_id AS ownerUserId, ${USAGE} FROM owner_usage
    WHERE (day, owner_user_id) > (?, ?) AND day <= ? ORDER BY day, owner_user_id LIMIT +?`);
  const selectKept = db.prepare("SELECT bytes FROM owner_kept WHERE owner_user_id = ?");
  return {
    readUsage: (ownerUserId, { from, to }) => selectOfOwner.all(ownerUserId, from, to) as unknown as Usage[],
    // No user id is empty.
    listUsage: ({ from, to }, limit, { day, ownerUserId } = { day: from, ownerUserId: "" }) =>
      selectOfAll.all(day, ownerUserId, to, limit) as unknown as OwnerUsage[],
    readKeptBytes: (ownerUserId) =>
      (selectKept.get(ownerUserId) as { bytes: number } | undefined)?.bytes ?? 0,
  };
}

/** Adds to what an owner has used on a day. */
export type AddUsage = (ownerUserId: string, usage: Partial<Usage> & Pick<Usage, "day">) => void;

export function usageAdder(db: Database): AddUsage {
  const add = db.prepare(`
    INSERT INTO owner_usage (owner_user_id, ${USAGE}) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner_user_id, day) DO UPDATE SET
      posts = posts + excluded.posts, updates = updates + excluded.updates,
      deliveries = deliveries + excluded.deliveries, bytes = bytes + excluded.bytes`);
  return (ownerUserId, { day, posts = 0, updates = 0, deliveries = 0, bytes = 0 }) => {
    if (posts !== 0 || updates !== 0 || deliveries !== 0)
      add.run(ownerUserId, day, posts, updates, deliveries, bytes);
  };
}

/** The updates that a log `l` ever had. */
export const UPDATES_EVER = "l.last_update_id - l.unused_count";

/** Counts what was not counted yet of a log's destinations that are deleted, or of one of them; on the present day. */
export function goneCounter(db: Database) {
  const select = db.prepare(`
    SELECT d.owner_user_id AS ownerUserId, ifnull(d.delivered_count - d.counted_deliveries, 0) AS deliveries,
      CASE WHEN d.destination_key = d.log_key THEN ifnull(${UPDATES_EVER} - d.counted_updates, 0) ELSE 0 END AS updates
    FROM destinations d JOIN lanes l ON l.bot_key = d.log_key
    WHERE d.log_key = ?1 AND d.destination_key = ifnull(?2, d.destination_key)`);
  const add = usageAdder(db);
  return (logKey: number, destinationKey: number | null, day: number): void => {
    const gone = select.all(logKey, destinationKey) as Omit<OwnerUsage, "day" | "bytes" | "posts">[];
    for (const { ownerUserId, ...counts } of gone) add(ownerUserId, { day, ...counts });
  };
}
