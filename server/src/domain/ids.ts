import { v7 } from "uuid";

/** A new identifier: a UUIDv7, so newer ids sort after older ones. Opaque to clients. */
export function newId(): string {
  return v7();
}

let count = 0;

/**
 * An identifier of this time, so that it sorts among those that were made then. Of one time, those that were made later by this process sort
 * after the others.
 *
 * @param ms since the Unix epoch
 */
export function idAt(ms: number): string {
  count = (count + 1) % 2 ** 32;
  return v7({ msecs: ms, seq: count });
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether the text can be such an id, whatever has it or had it. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** Sorts behind every id. */
export const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** When an id was made, in milliseconds since the epoch. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Sorts before every id. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000";

/** Sorts before every id that is made at this time or later, and behind all earlier ones. */
export function firstIdAt(time: number): string {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}
