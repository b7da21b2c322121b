import { MAX_UNSENT_BYTES } from "../../domain/limits.js";

/** An owner's lanes may take more while what they have is less than so many times what is free: see `slots.ts`. */
const TIMES_FREE = 3;

/** Counts the bytes of queued updates, by owner. */
export interface UnsentBytes {
  change(ownerUserId: string, bytes: number): void;
  /** How many more the owner's lanes may queue; none when it is 0 or below. */
  roomFor(ownerUserId: string): number;
}

export function countUnsentBytes(limit = MAX_UNSENT_BYTES): UnsentBytes {
  const byOwner = new Map<string, number>();
  let total = 0;
  return {
    change(ownerUserId, bytes) {
      total += bytes;
      const own = (byOwner.get(ownerUserId) ?? 0) + bytes;
      if (own === 0) byOwner.delete(ownerUserId);
      else byOwner.set(ownerUserId, own);
    },
    roomFor: (ownerUserId) => TIMES_FREE * (limit - total) - (byOwner.get(ownerUserId) ?? 0),
  };
}
