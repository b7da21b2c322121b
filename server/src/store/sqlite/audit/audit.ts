import type { AuditEntry } from "../../../domain/audit.js";
import { firstIdAt, newId } from "../../../domain/ids.js";
import { type AuditedCall, auditedCall, entriesOf, FIELDS_OF_PLATFORM } from "../../audited-verbs.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import { isTold, waitToTell } from "../../shared/audit-readers.js";
import {
  AUDIT_COLUMNS,
  type AuditRow,
  auditValues,
  idsWithin,
  toAuditEntry,
} from "../../shared/rows/audit-rows.js";
import type { AuditContext } from "../../store.js";
import type { Verb } from "../../verbs.js";
import type { Database, Value } from "../binding.js";
import type { Verbs } from "../verbs.js";
import { changesBetween, snapshotReader } from "./snapshots.js";

const COLUMNS = `id, owner_user_id AS ownerUserId, actor_type AS actorType, actor_id AS actorId, token_id AS tokenId, operation,
  request_id AS requestId, target_type AS targetType, target_id AS targetId, channel_id AS channelId, target_name AS targetName, changes`;
export const ENTRY_BY_ID = `SELECT ${COLUMNS} FROM audit WHERE id = ?`;
const INSERT = `INSERT INTO audit (id, ${AUDIT_COLUMNS}, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** @returns writes an entry, of which upkeep tells whoever wants to hear of it */
export function auditInserter(
  db: Database,
): (audited: Pick<AuditedCall, "audit" | "target">, changes: AuditEntry["changes"]) => void {
  const insert = db.prepare(INSERT);
  const tell = db.prepare(waitToTell({ owner: "?1", id: "?2", at: "?3" }));
  return (audited, changes) => {
    const id = newId();
    insert.run(id, ...auditValues(audited), JSON.stringify(changes));
    if (isTold(audited.target.type)) tell.run(audited.audit.ownerUserId, id, Date.now());
  };
}

/** @returns runs a call of a verb, and writes an entry beside what it has changed, in the same transaction */
export function auditWriter(
  db: Database,
): (verb: Verb, parameters: readonly unknown[], invoke: () => unknown) => unknown {
  const read = snapshotReader(db);
  const insert = auditInserter(db);
  return (verb, parameters, invoke) => {
    const audited = auditedCall(verb, parameters);
    if (!audited) return invoke();
    const before = read(audited);
    const result = invoke();
    const changes = changesBetween(before, read(audited));
    if (!changes) return result;
    const isOfPlatform = isOfPlatformAlone(audited, changes);
    for (const entry of entriesOf(audited))
      insert(isOfPlatform ? { ...entry, audit: { ...entry.audit, ownerUserId: "" } } : entry, changes);
    return result;
  };
}

function isOfPlatformAlone({ kind }: AuditedCall, changes: AuditEntry["changes"]): boolean {
  const field = FIELDS_OF_PLATFORM[kind];
  return field !== undefined && Object.keys(changes).every((name) => name === field);
}

/** The newest entries with ids from ?1 on and below ?2; ?3: how many. */
const NEWEST = "id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT +?3";

export function auditVerbs(db: Database): Pick<Verbs, "listAudit"> {
  const selectAll = db.prepare(`SELECT ${COLUMNS} FROM audit WHERE ${NEWEST}`);
  const selectOfOwner = db.prepare(`SELECT ${COLUMNS} FROM audit WHERE owner_user_id = ?4 AND ${NEWEST}`);
  const selectOfOperation = db.prepare(`SELECT ${COLUMNS} FROM audit WHERE operation = ?4 AND ${NEWEST}`);
  // The index is of both texts in one, and other texts may make the same one: so each is compared, too, by no index.
  const selectOfBoth = db.prepare(`
    SELECT ${COLUMNS} FROM audit WHERE owner_user_id || ' ' || operation = ?4 || ' ' || ?5
      AND +owner_user_id = ?4 AND +operation = ?5 AND ${NEWEST}`);
  /** ?4: the target, ?5 and ?6: the owner and the operation, or null. */
  const ofTarget = (column: string) =>
    db.prepare(`
      SELECT ${COLUMNS} FROM audit WHERE ${column} = ?4 AND owner_user_id = ifnull(?5, owner_user_id)
        AND operation = ifnull(?6, operation) AND ${NEWEST}`);
  const selectsOfTarget = [ofTarget("target_id"), ofTarget("channel_id")];

  const select = (owner: string | undefined, operation: string | undefined, within: Value[]): unknown[] => {
    if (owner === undefined && operation === undefined) return selectAll.all(...within);
    if (operation === undefined) return selectOfOwner.all(...within, owner ?? null);
    if (owner === undefined) return selectOfOperation.all(...within, operation);
    return selectOfBoth.all(...within, owner, operation);
  };

  return {
    listAudit(ownerUserId, filter, limit) {
      const { operation, target } = filter;
      const within = [...idsWithin(filter), limit];
      if (target === undefined)
        return (select(ownerUserId, operation, within) as AuditRow[]).map(toAuditEntry);
      const values = [...within, target, ownerUserId ?? null, operation ?? null];
      const rows = selectsOfTarget.flatMap((one) => one.all(...values) as AuditRow[]);
      return rows
        .toSorted((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, limit)
        .map(toAuditEntry);
    },
  };
}

/** Removes the oldest entries. */
export function auditExpiry(db: Database): UpkeepSteps<UpkeepStep>["forgetAudit"] {
  const remove = db.prepare(`
    DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < ? ORDER BY id LIMIT +?)`);
  return ({ before }, limit) => ({
    isMore: Number(remove.run(firstIdAt(before), limit).changes) === limit,
  });
}

/**
 * Removes entries of an owner who is erased, and says instead that they were. Entries that say so stay.
 *
 * @returns how many were removed, at most `limit`
 */
export function auditEraser(db: Database): (owner: string, limit: number, audit?: AuditContext) => number {
  const remove = db.prepare(`
    DELETE FROM audit WHERE id IN (
      SELECT id FROM audit WHERE owner_user_id = ? AND target_type <> 'owner' ORDER BY id LIMIT +?)`);
  const isSaid = db.prepare(`
    SELECT 1 FROM audit WHERE owner_user_id = ? AND operation = ? AND target_type = 'owner' AND request_id = ?`);
  const insert = db.prepare(INSERT);
  return (owner, limit, audit) => {
    const removed = Number(remove.run(owner, limit).changes);
    if (removed > 0 && audit && !isSaid.get(owner, audit.operation, audit.requestId))
      insert.run(newId(), ...auditValues({ audit, target: { type: "owner", id: owner } }), "{}");
    return removed;
  };
}
