import { v7 } from "uuid";

/** A new identifier: a UUIDv7, so newer ids sort after older ones. Opaque to clients. */
export function newId(): string {
  return v7();
}

/** Sorts behind every id. */
export const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";
