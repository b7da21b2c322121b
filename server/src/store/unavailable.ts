import type { ErrorCode } from "../domain/error-codes.js";

/** The store cannot serve now: the disk is full, the database is locked or gone. Trying again later may work. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
  readonly code = "unavailable" satisfies ErrorCode;
}

/** What a call has deleted is not all erased: the same call, once more, goes on with it. */
export class NotErasedYet extends StoreUnavailable {
  override readonly name = "NotErasedYet";
}

/** What a call does, or waits for, has not reached another cell: the same call, once more, does the rest. */
export class NotCarriedYet extends StoreUnavailable {
  override readonly name = "NotCarriedYet";
}

/** Other calls changed the same thing between each look at it and the change: the same call, once more, may come through. */
export class Contended extends StoreUnavailable {
  override readonly name = "Contended";
}

export const DAMAGED = "pages of the database are damaged: see the service's log";

/** Pages of the database are damaged: its owner has to put a backup in its place. */
export class StoreDamaged extends Error {
  override readonly name = "StoreDamaged";
  readonly code = "unavailable" satisfies ErrorCode;
}

/** The owner moves to another cell, or has moved there: here nothing of theirs may be made. */
export class OwnerElsewhere extends Error {
  override readonly name = "OwnerElsewhere";
}

/** The owner is being moved to another cell: for a moment nothing of theirs is changed. */
export class OwnerMoving extends Error {
  override readonly name = "OwnerMoving";
  readonly code = "owner_moving" satisfies ErrorCode;
}
