import { hash } from "node:crypto";
import type { Row } from "./table.js";

/** How many rows there were, and the sum of their digests. */
export interface Checksum {
  rows: number;
  /** 24 hex digits. */
  sum: string;
}

export const NO_ROWS: Checksum = { rows: 0, sum: "0".repeat(24) };

/** The sum is kept in two halves of 48 bits, which are added without a carry and fit into plain numbers. */
const HALF_BYTES = 6;
const HALF_DIGITS = HALF_BYTES * 2;
const HALF_RANGE = 2 ** (HALF_BYTES * 8);

/**
 * Adds rows to a checksum. It is a sum and not a digest of digests, so that it can be stored after any batch and continued
 * from there. It finds accidental differences and is no protection against deliberate ones.
 */
export function addRows({ rows: count, sum }: Checksum, rows: readonly Row[]): Checksum {
  let high = Number.parseInt(sum.slice(0, HALF_DIGITS), 16);
  let low = Number.parseInt(sum.slice(HALF_DIGITS), 16);
  for (const row of rows) {
    const digest = hash("sha256", JSON.stringify(row), "buffer");
    high = (high + digest.readUIntBE(0, HALF_BYTES)) % HALF_RANGE;
    low = (low + digest.readUIntBE(HALF_BYTES, HALF_BYTES)) % HALF_RANGE;
  }
  return { rows: count + rows.length, sum: hex(high) + hex(low) };
}

export function isSame(a: Checksum, b: Checksum): boolean {
  return a.rows === b.rows && a.sum === b.sum;
}

const hex = (half: number): string => half.toString(16).padStart(HALF_DIGITS, "0");
