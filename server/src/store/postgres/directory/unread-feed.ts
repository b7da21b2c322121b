import type pg from "pg";
import type { DatabaseAddress } from "../connection/client.js";
import { withClient } from "./cell-tables.js";

const SELECT_NAMES = `
  SELECT DISTINCT c.name FROM feed f JOIN consumers c ON c.bot_key >= f.first_key AND c.bot_key < f.first_key + f.partitions
  WHERE f.id = 1`;
/** $1: names of consumers. One that is not in the cell yet will be made there, at the beginning. */
const SELECT_BEHIND = `
  SELECT n.name FROM unnest($1::text[]) AS n (name)
  WHERE EXISTS (
    SELECT FROM feed f CROSS JOIN generate_series(f.first_key, f.first_key + f.partitions - 1) AS p (key)
    LEFT JOIN consumers c ON c.bot_key = p.key AND lower(c.name) = lower(n.name)
    WHERE f.id = 1 AND EXISTS (
      SELECT FROM entries e WHERE e.log_key = p.key
        AND e.number > coalesce(c.position, 0) AND e.number <> ALL (coalesce(c.done, '{}'))))
  ORDER BY n.name`;

/**
 * The consumers of the platform's feed that have not read everything in a cell.
 *
 * @param first the first cell, which knows them all
 * @throws StoreUnavailable when one of the two cannot be reached; the cell is not asked when there are none
 */
export async function consumersBehind(
  first: DatabaseAddress,
  cell: DatabaseAddress,
  cellName: string,
): Promise<string[]> {
  const names = await namesOf(first, "the database of the first cell", SELECT_NAMES);
  if (names.length === 0) return [];
  return await namesOf(
    cell,
    `what consumers of the feed have read in the cell ${cellName} is not known (--force removes it all the same): its database`,
    SELECT_BEHIND,
    [names],
  );
}

async function namesOf(
  address: DatabaseAddress,
  what: string,
  sql: string,
  values: unknown[] = [],
): Promise<string[]> {
  const read = async (client: pg.Client): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(sql, values);
    return rows.map(({ name }) => name);
  };
  return await withClient(address, read, what);
}
