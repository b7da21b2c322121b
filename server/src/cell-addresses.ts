import type { SharedDatabase } from "./config.js";
import { parseDatabaseUrl } from "./domain/database-url.js";
import type { CellEntry } from "./store/cells/directory.js";
import { addressOf } from "./store/postgres/directory/cell-tables.js";

export const DIRECTORY_CONNECTIONS = 3;
/** For a cell, whatever its share of the connections to its server is. */
const MIN_CONNECTIONS = 2;

/** Which server a cell is on; the same text for the cells of one server. */
export function serverOf(directory: SharedDatabase, entry: CellEntry): string {
  return JSON.stringify(parseDatabaseUrl(addressOf(directory, entry).url)?.servers);
}

/** Connections are counted for each server, whatever number of cells it has. */
function poolSizeOf(directory: SharedDatabase, entry: CellEntry, entries: readonly CellEntry[]): number {
  const server = serverOf(directory, entry);
  const neighbours = entries.filter((other) => serverOf(directory, other) === server).length;
  return Math.max(MIN_CONNECTIONS, Math.floor(directory.poolSize / neighbours));
}

/** How many connections an instance opens at most to the server of a cell: the pools, one for hints of each cell, and those to the directory. */
export function connectionsToServerOf(
  directory: SharedDatabase,
  entry: CellEntry,
  entries: readonly CellEntry[],
): number {
  const server = serverOf(directory, entry);
  const there = entries.filter((other) => serverOf(directory, other) === server);
  const pools = there.reduce((sum, other) => sum + poolSizeOf(directory, other, entries) + 1, 0);
  const isOfDirectory = server === JSON.stringify(parseDatabaseUrl(directory.url)?.servers);
  return pools + (isOfDirectory ? DIRECTORY_CONNECTIONS : 0);
}

/** The database of a cell, as the configuration names one. */
export function databaseOf(
  directory: SharedDatabase,
  entry: CellEntry,
  entries: readonly CellEntry[],
): SharedDatabase {
  const { url, schema } = addressOf(directory, entry);
  const name = (parseDatabaseUrl(url)?.name ?? "") + (schema === undefined ? "" : `, schema ${schema}`);
  return { url, schema, name, poolSize: poolSizeOf(directory, entry, entries) };
}

/** What is wrong with the names of `CELLS`; undefined when nothing is. */
export function unknownServed(
  served: readonly string[] | undefined,
  names: readonly string[],
): string | undefined {
  const unknown = served?.filter((name) => !names.includes(name)) ?? [];
  return unknown.length > 0
    ? `CELLS names ${unknown.join(", ")}, and there are ${names.join(", ")}`
    : undefined;
}
