import type { ErrorCode } from "../domain/error-codes.js";

/** The store cannot serve now: the disk is full, the database is locked or gone. Trying again later may work. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  readonly code = "unavailable" satisfies ErrorCode;
}

/** Pages of the database are damaged: its owner has to put a backup in its place. */
export class StoreDamaged extends Error {
  override readonly name = "StoreDamaged";
  readonly code = "unavailable" satisfies ErrorCode;
}
