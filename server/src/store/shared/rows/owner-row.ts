import type { OwnerStanding } from "../../../domain/owners/standing.js";
import type { OwnerEdit } from "../../parts/owner-store.js";
import { omitNulls } from "../omit-nulls.js";

export type OwnerRow = Omit<OwnerStanding, "limits"> & { limits: string | null };

export function standingOf(row: unknown): OwnerStanding {
  const { limits, ...owner } = row as OwnerRow;
  return { ...omitNulls<OwnerStanding>(owner), limits: limits === null ? {} : JSON.parse(limits) };
}

/** Whether an edit suspends, true, or lifts that, false; null when it does neither. The limits are JSON, with null where one is removed. */
export function ownerValues({ suspension, limits = {}, metadata }: OwnerEdit) {
  return {
    suspends: suspension === undefined ? null : suspension !== null,
    reason: suspension?.reason ?? null,
    limits: JSON.stringify(limits),
    // Empty text, which is not JSON, stands for removing it.
    metadata: metadata === null ? "" : (metadata ?? null),
  };
}
