import { createHash } from "node:crypto";
import { batchesOf } from "./batches.js";
import { addRows, NO_ROWS } from "./checksum.js";
import type { CopyDatabase } from "./database.js";
import type { TableName } from "./table.js";
import { TABLES } from "./tables.js";

/** What there is to copy. */
export interface Survey {
  /** The same only for the same source with the same content. */
  fingerprint: string;
  rows: Record<TableName, number>;
}

/**
 * These tables are hashed row by row. The others are only counted, because posts, entries and deliveries are most of a database,
 * and a new or delivered update also changes its lane or its destination. A post that is edited or deleted while no bot hears it changes
 * none of these: a copy that is continued reads again what it has copied.
 */
const HASHED = new Set<TableName>([
  "bots",
  "channels",
  "attachments",
  "lanes",
  "destinations",
  "consumers",
  "given_up",
  "removed_bots",
]);

/** Identifies the source, so that an interrupted copy continues only with the one it was begun with. */
export async function survey(source: CopyDatabase): Promise<Survey> {
  const digest = createHash("sha256");
  const rows = {} as Record<TableName, number>;
  for (const table of TABLES) {
    rows[table.name] = await source.count(table);
    digest.update(`${table.name} ${rows[table.name]} `);
    if (!HASHED.has(table.name)) continue;
    let checksum = NO_ROWS;
    for await (const batch of batchesOf(source, table)) checksum = addRows(checksum, batch);
    digest.update(checksum.sum);
  }
  return { fingerprint: digest.digest("hex"), rows };
}
