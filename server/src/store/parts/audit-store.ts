import type { AuditActor, AuditEntry, AuditTarget, AuditTargetType } from "../../domain/audit.js";
import type { ChangeNotice } from "./guest-store.js";

/**
 * Who asks for a change, and by which request. A verb that gets it, in its reference to what it changes, writes an entry of the
 * audit log in its own transaction, unless nothing has changed: see `audited-verbs.ts`.
 */
export interface AuditContext {
  by: AuditActor;
  /** Whose entry it is; empty for the platform's own. */
  ownerUserId: string;
  operation: string;
  requestId: string;
  /** For whom else there is an entry of it, and who has made it to them, how: the holder of a channel does not know the owner of a bot there. */
  also?: (Pick<AuditContext, "ownerUserId" | "by"> & Partial<AuditContext>) | undefined;
  /** What is changed, where that is not what the verb is named after: of a webhook that is no bot's. */
  target?: { type: AuditTargetType; id: string };
}

/** What a verb's parameter has that may be audited. */
export interface Audited {
  audit?: AuditContext | undefined;
  /** What other cells are told of the change, in its transaction. */
  tell?: ChangeNotice | undefined;
}

/** Which entries a list has; those of all that is left out. */
export interface AuditFilter {
  operation?: string | undefined;
  /** The id of a bot, a channel or a post, in an entry about it or about an attachment of it. */
  target?: string | undefined;
  /** Not made before this time, in milliseconds since the epoch. */
  from?: number | undefined;
  /** Made before this time. */
  to?: number | undefined;
  /** Only older ones than the entry with this id, also when it was removed since. */
  before?: string | undefined;
}

/** The entry that a change has which was made in another cell than its owner's. */
export interface CarriedAudit {
  id: string;
  audit: AuditContext;
  target: AuditTarget;
  changes: AuditEntry["changes"];
}

/** The part of the store that says who changed what. */
export interface AuditStore {
  /**
   * Newest first.
   *
   * @param ownerUserId undefined for those of all owners, and the platform's own
   */
  listAudit(ownerUserId: string | undefined, filter: AuditFilter, limit: number): Promise<AuditEntry[]>;
  /**
   * Writes those of these entries that are not there. Without cells there are none to write.
   *
   * @param entries of one owner
   * @returns false when the owner has neither a bot nor a channel here: then nothing is written, since they may have been erased
   */
  carryAudit(entries: readonly CarriedAudit[]): Promise<boolean>;
}
