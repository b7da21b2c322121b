import type { ErrorCode } from "../domain/error-codes.js";

/** The store cannot serve now: the disk is full, the database is locked or gone. Trying again later may work. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  readonly code = "unavailable" satisfies ErrorCode;
}
