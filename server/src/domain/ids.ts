import { randomInt } from "node:crypto";
import { v7 } from "uuid";

/** A new identifier: a UUIDv7, so newer ids sort after older ones. Opaque to clients. */
export function newId(): string {
  return v7();
}

/** Ordinals of the last id that was made for a time: when, and how many before it in the same millisecond. */
let madeAt = 0;
let count = 0;
const IDS_PER_MS = 1024;

/**
 * An identifier of this time, so that it sorts among those that were made then. Of one time, those that are made later sort behind the others, also
 * after a restart and at another instance, as far as clocks agree: in place of random bits it has when it is made.
 *
 * @param ms since the Unix epoch
 */
export function idAt(ms: number): string {
  const now = Date.now();
  if (now > madeAt) [madeAt, count] = [now, 0];
  else if (++count === IDS_PER_MS) [madeAt, count] = [madeAt + 1, 0];
  // 43 + 10 + 21 of the 74 bits that UUIDv7 leaves free.
  const bits = (BigInt(madeAt) << 31n) | (BigInt(count) << 21n) | BigInt(randomInt(2 ** 21));
  const time = ms.toString(16).padStart(12, "0");
  const high = (0x7000n | (bits >> 62n)).toString(16);
  const low = ((2n << 62n) | (bits & ((1n << 62n) - 1n))).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low.slice(0, 4)}-${low.slice(4)}`;
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
