import { readSync } from "node:fs";

/**
 * A backup is one file: an SQLite database, as `VACUUM INTO` wrote it, with this mark in its header and one table more, which
 * holds the manifest. So whatever reads SQLite can look into it.
 */
export const BACKUP_MARK = 0x426f7479;
export const MANIFEST_TABLE = "botyard_backup";

/** What is written down with a backup, and checked when it is put back. */
export interface Manifest {
  format: 1;
  /** The Botyard that made it. */
  version: string;
  madeAt: string;
  /** Steps of the schema that the database had. */
  schema: number;
  /** Rows by table. */
  tables: Record<string, number>;
  /** Ids of the keys with which webhook secrets are sealed. */
  sealingKeys: string[];
  /** The texts of the key files that were in the data folder, by name. */
  keyFiles: Record<string, string>;
}

/** As SQLite's file format has them: https://sqlite.org/fileformat.html */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const PAGE_SIZE_AT = 16;
const PAGE_COUNT_AT = 28;
const MARK_AT = 68;
/** A page size of 65,536 does not fit into its two bytes. */
const LARGEST_PAGE = 65_536;

/**
 * Looks at the first bytes only.
 *
 * @param handle of the open file
 * @throws Error with one line when the file is no backup, or is cut short
 */
export function refuseOtherFiles(handle: number, fileBytes: number, name: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const read = readSync(handle, header, 0, HEADER_BYTES, 0);
  if (read < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC)
    throw new Error(`${name} is not a backup made by botyard backup`);
  if (header.readUInt32BE(MARK_AT) !== BACKUP_MARK)
    throw new Error(
      `${name} is an SQLite database, but not a backup made by botyard backup (docs/operations.md says how to put a plain copy back)`,
    );
  const pageBytes =
    header.readUInt16BE(PAGE_SIZE_AT) === 1 ? LARGEST_PAGE : header.readUInt16BE(PAGE_SIZE_AT);
  const wholeBytes = pageBytes * header.readUInt32BE(PAGE_COUNT_AT);
  if (fileBytes !== wholeBytes)
    throw new Error(`${name} is cut short or damaged: it has ${fileBytes} bytes of ${wholeBytes}`);
}
