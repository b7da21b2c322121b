import { firstIdAt, newId } from "../../../domain/ids.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import {
  AUDIT_COLUMNS,
  type AuditRow,
  auditValues,
  idsWithin,
  toAuditEntry,
} from "../../shared/rows/audit-rows.js";
import type { AuditContext, Store } from "../../store.js";
import { type Database, type Statement, uuid, type Value } from "../connection/connection.js";
import { WAIT_TO_TELL } from "./snapshots.js";

const COLUMNS = `id, owner_user_id AS "ownerUserId", actor_type AS "actorType", actor_id AS "actorId", token_id AS "tokenId", operation,
  request_id AS "requestId", target_type AS "targetType", target_id AS "targetId", channel_id AS "channelId",
  target_name AS "targetName", changes`;
export const SELECT_ENTRIES: Statement = {
  name: "select-audit-entries",
  text: `SELECT ${COLUMNS} FROM audit WHERE id = ANY ($1::uuid[])`,
};
/** The newest entries with ids from $1 on and below $2; $3: how many. */
const NEWEST = "id >= $1::uuid AND id < $2::uuid ORDER BY id DESC LIMIT $3";

const SELECT_ALL: Statement = {
  name: "select-audit",
  text: `SELECT ${COLUMNS} FROM audit WHERE ${NEWEST}`,
};
const SELECT_OF_OWNER: Statement = {
  name: "select-audit-of-owner",
  text: `SELECT ${COLUMNS} FROM audit WHERE owner_user_id = $4 AND ${NEWEST}`,
};
const SELECT_OF_OPERATION: Statement = {
  name: "select-audit-of-operation",
  text: `SELECT ${COLUMNS} FROM audit WHERE operation = $4 AND ${NEWEST}`,
};
/**
 * The index is of both texts in one, and other texts may make the same one: so each is compared, too, in a way that no index knows.
 */
const SELECT_OF_BOTH: Statement = {
  name: "select-audit-of-owner-and-operation",
  text: `
    SELECT ${COLUMNS} FROM audit WHERE owner_user_id || ' ' || operation = $4 || ' ' || $5
      AND owner_user_id IS NOT DISTINCT FROM $4 AND operation IS NOT DISTINCT FROM $5 AND ${NEWEST}`,
};
/** $4 and $5: the owner and the operation, or null; $6: the target, $7: the same as an id of a channel. */
const ofTarget = (condition: string) => `
      (SELECT ${COLUMNS} FROM audit WHERE ${condition} AND owner_user_id = coalesce($4, owner_user_id)
        AND operation = coalesce($5, operation) AND ${NEWEST})`;
const SELECT_OF_TARGET: Statement = {
  name: "select-audit-of-target",
  text: `
    SELECT * FROM (${ofTarget("target_id = $6")} UNION ALL ${ofTarget("channel_id = $7::uuid")}) either
    ORDER BY id DESC LIMIT $3`,
};
const FORGET: Statement = {
  name: "forget-audit",
  text: `
    DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < $1 ORDER BY id LIMIT $2) RETURNING id`,
};
/**
 * $1: the owner, $2: how many, $3: an id, $4 to $13: the entry that stays instead; without the actor in $5 none does. Two calls at once may
 * leave two.
 */
const ERASE: Statement = {
  name: "erase-audit-of-owner",
  text: `
    WITH removed AS (
      DELETE FROM audit WHERE id IN (
        SELECT id FROM audit WHERE owner_user_id = $1 AND target_type <> 'owner' ORDER BY id LIMIT $2)
      RETURNING id),
    said AS (
      INSERT INTO audit (id, ${AUDIT_COLUMNS}, changes)
      SELECT $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text, $12::uuid, $13::text, '{}'
      WHERE $5::text IS NOT NULL AND EXISTS (SELECT FROM removed) AND NOT EXISTS (
        SELECT FROM audit WHERE owner_user_id = $1 AND operation = $8 AND target_type = 'owner' AND request_id = $9))
    SELECT id FROM removed`,
};

/** Those of {@link AUDIT_COLUMNS} in which entries of one owner differ. */
const OF_EACH = AUDIT_COLUMNS.split(", ").slice(1);
/**
 * $1: the owner, and of each entry: $2: the ids, $3 to $11: the other columns of `auditValues`, $12: the changes. What the owner has is locked, so that
 * it is not erased meanwhile, and the entries with it.
 */
const CARRY: Statement = {
  name: "carry-audit",
  text: `
    WITH held_channel AS (SELECT id FROM channels WHERE owner_user_id = $1 ORDER BY channel_key LIMIT 1 FOR KEY SHARE),
    held_bot AS (SELECT id FROM bots WHERE owner_user_id = $1 ORDER BY bot_key LIMIT 1 FOR KEY SHARE),
    held AS MATERIALIZED (SELECT id FROM held_channel UNION ALL SELECT id FROM held_bot),
    written AS (
      INSERT INTO audit (owner_user_id, id, ${OF_EACH.join(", ")}, changes)
      SELECT $1::text, e.* FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::uuid[],
        $11::text[], $12::text[]) AS e
      WHERE EXISTS (SELECT FROM held) ON CONFLICT (id) DO NOTHING
      RETURNING id, owner_user_id),
    waiting AS (${WAIT_TO_TELL})
    SELECT EXISTS (SELECT FROM held) AS "isThere"`,
};

export function auditVerbs(db: Database): Pick<Store, "listAudit" | "carryAudit"> {
  const select = (owner: string | undefined, operation: string | undefined): [Statement, Value[]] => {
    if (owner !== undefined)
      return operation === undefined ? [SELECT_OF_OWNER, [owner]] : [SELECT_OF_BOTH, [owner, operation]];
    return operation === undefined ? [SELECT_ALL, []] : [SELECT_OF_OPERATION, [operation]];
  };
  return {
    async listAudit(ownerUserId, filter, limit) {
      const { operation, target } = filter;
      const [statement, values] =
        target === undefined
          ? select(ownerUserId, operation)
          : [SELECT_OF_TARGET, [ownerUserId ?? null, operation ?? null, target, uuid(target)]];
      const rows = await db.query<AuditRow>(statement, [...idsWithin(filter), limit, ...values]);
      return rows.map(toAuditEntry);
    },
    async carryAudit(entries) {
      const [first] = entries;
      if (!first) return true;
      const columns = OF_EACH.map((_, at) => entries.map((entry) => auditValues(entry)[at + 1] ?? null));
      const ids = entries.map(({ id }) => id);
      const changes = entries.map((entry) => JSON.stringify(entry.changes));
      const values = [first.audit.ownerUserId, ids, ...columns, changes];
      const carry = async (): Promise<boolean> => {
        const [row] = await db.query<{ isThere: boolean }>(CARRY, values);
        return row?.isThere === true;
      };
      // What it waited for may be deleted by then, and nothing else is taken in its place.
      return (await carry()) || (await carry());
    },
  };
}

/** Removes the oldest entries. */
export function auditExpiry(db: Database): UpkeepSteps<Promise<UpkeepStep>>["forgetAudit"] {
  return async ({ before }, limit) => ({
    isMore: (await db.query(FORGET, [firstIdAt(before), limit])).length === limit,
  });
}

/**
 * Removes entries of an owner who is erased, and says instead that they were. Entries that say so stay.
 *
 * @returns how many were removed, at most `limit`
 */
export async function eraseAudit(
  db: Database,
  owner: string,
  limit: number,
  audit: AuditContext | undefined,
): Promise<number> {
  const said = audit
    ? auditValues({ audit, target: { type: "owner", id: owner } })
    : AUDIT_COLUMNS.split(", ").map(() => null);
  return (await db.query(ERASE, [owner, limit, newId(), ...said])).length;
}
