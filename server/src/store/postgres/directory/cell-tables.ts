import { randomUUID } from "node:crypto";
import type pg from "pg";
import { KEYS_PER_CELL, MAX_CELLS } from "../../cells/cell.js";
import type { CellEntry, CellIdentity, CellList, CellTables } from "../../cells/directory.js";
import { type DatabaseAddress, inTransaction } from "../connection/client.js";
import { sqlState } from "../connection/errors.js";
import { openClient } from "../connection/open-client.js";
import type { NoteMove } from "../move/feed.js";
import { makeFence } from "../move/fence.js";
import { useSchema } from "../schema/database-schema.js";
import { runningServices } from "../schema/running-services.js";
import {
  type CellRow,
  entryOf,
  MOVE_OWNER,
  noteMove,
  SELECT_CELLS,
  SELECT_DIRECTORY,
  SELECT_OWNER,
} from "./directory-rows.js";

const UNDEFINED_TABLE = "42P01";

/**
 * Looks at a schema, which may be empty or of an earlier version.
 *
 * @param name what the database is called if it cannot be reached
 * @throws StoreUnavailable when it cannot be reached
 */
export async function readCellTables(address: DatabaseAddress, name?: string): Promise<CellTables> {
  return await withClient(address, cellTablesOf, name);
}

/** The same, in a session that has the schema. */
export async function cellTablesOf(client: pg.Client): Promise<CellTables> {
  try {
    const { rows: cells } = await client.query<CellIdentity>(
      `SELECT directory_id AS "directoryId", name, number FROM cell`,
    );
    const list = await readList(client);
    return { ...(cells[0] && { cell: cells[0] }), ...(list && { list }) };
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return {};
    throw error;
  }
}

/** Moves out of the cell $1 that a service has not forgotten yet: until then its feed has what the owners did there. */
const HAS_LEFT = `
  SELECT FROM directory_feed_moves m JOIN directory_cells c ON c.number = (m.move::json -> 'from' ->> 'cell')::integer
  WHERE c.name = $1 LIMIT 1`;

async function readList(client: pg.Client): Promise<CellList | undefined> {
  const { rows: heads } = await client.query<Omit<CellList, "cells">>(SELECT_DIRECTORY.text);
  const [head] = heads;
  if (!head) return undefined;
  const { rows } = await client.query<CellRow>(SELECT_CELLS.text);
  return { ...head, cells: rows.map(entryOf) };
}

export interface Collation {
  name: string;
  isByBytes: boolean;
}

export async function readCollation(address: DatabaseAddress): Promise<Collation> {
  return await withClient(address, collationOf);
}

/** The same, in a session. */
export async function collationOf(client: pg.Client): Promise<Collation> {
  const { rows } = await client.query<Collation>(`
    SELECT coalesce(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale', datcollate) AS name,
      'B' < 'a' AND 'a-c' < 'ab' AND 'z' < 'é' AS "isByBytes"
    FROM pg_database d WHERE datname = current_database()`);
  const [collation] = rows;
  if (!collation) throw new Error("the database is not in its own list");
  return collation;
}

/** Where a cell of the directory is. */
export function addressOf(directory: DatabaseAddress, { url, schema }: CellEntry): DatabaseAddress {
  if (url !== undefined) return { url, schema };
  return { url: directory.url, schema: schema ?? directory.schema };
}

/** Whether a schema has what is somebody's. */
export async function isInUse(address: DatabaseAddress): Promise<boolean> {
  return await withClient(address, async (client) => {
    const { rows } = await client.query<{ used: boolean }>(
      "SELECT EXISTS (SELECT FROM bots) OR EXISTS (SELECT FROM channels) OR EXISTS (SELECT FROM owners) AS used",
    );
    return rows[0]?.used === true;
  });
}

/** Connections of services to the schema that do not know that it is a cell. */
export async function countPlainServices(address: DatabaseAddress): Promise<number> {
  return await withClient(address, (client) => runningServices(client, address.schema));
}

/**
 * Makes a schema a cell: it gives out keys of its own from now on. Its tables must be there.
 *
 * @throws Error with one line when it is another cell already, or an empty one is needed and it is not
 */
export async function makeCell(address: DatabaseAddress, cell: CellIdentity): Promise<void> {
  await withClient(address, async (client) => {
    await inTransaction(client, async () => {
      const { rows } = await client.query<CellIdentity>(
        `INSERT INTO cell (id, directory_id, name, number) VALUES (1, $1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET id = 1
        RETURNING directory_id AS "directoryId", name, number`,
        [cell.directoryId, cell.name, cell.number],
      );
      const [made] = rows;
      if (made?.directoryId !== cell.directoryId || made.name !== cell.name || made.number !== cell.number)
        throw new Error(
          `that schema is the cell ${made?.name} of ${made?.directoryId === cell.directoryId ? "this directory" : "another directory"}: name an empty schema`,
        );
      // The first cell may be a database that is in use, whose keys begin at 1.
      if (cell.number > 0) await moveKeys(client, cell.number * KEYS_PER_CELL);
    });
    await makeFence(client);
  });
}

async function moveKeys(client: pg.Client, first: number): Promise<void> {
  const { rows } = await client.query<{ sequence: string }>(`
    SELECT pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name) AS sequence
    FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`);
  for (const { sequence } of rows)
    await client.query("SELECT setval($1::regclass, greatest($2::bigint, nextval($1::regclass)))", [
      sequence,
      first,
    ]);
}

/** What the directory is asked for by those who administer it. */
export interface DirectoryAdmin {
  list(): Promise<CellList | undefined>;
  /**
   * @param earlier the number that the cell had before it was removed
   * @returns the entry, with its number; the one that is there already when a call was interrupted
   */
  add(
    cell: Pick<CellEntry, "name" | "url" | "schema">,
    earlier?: number,
  ): Promise<{ directoryId: string; entry: CellEntry }>;
  setDraining(name: string, isDraining: boolean): Promise<void>;
  /** @returns false when owners live there */
  remove(name: string): Promise<boolean>;
  countOwners(): Promise<Map<string, number>>;
  findOwner(ownerUserId: string): Promise<string | undefined>;
  ownersOf(cell: string, limit: number): Promise<string[]>;
  /** Notes that the owner has moved. */
  moveOwner(ownerUserId: string, from: string, to: string): Promise<void>;
  /** Notes a move for the readers of the feed. */
  noteMove: NoteMove;
  close(): Promise<void>;
}

/** @throws StoreUnavailable when the directory cannot be reached */
export async function openDirectoryAdmin(address: DatabaseAddress): Promise<DirectoryAdmin> {
  const client = await connect(address);
  const changed = () => client.query("UPDATE directory SET version = version + 1");

  return {
    list: () => readList(client),
    add: ({ name, url, schema }, earlier) =>
      inTransaction(client, async () => {
        await client.query(
          "INSERT INTO directory (id, directory_id, version, next_number) VALUES (1, $1, 1, 0) ON CONFLICT (id) DO NOTHING",
          [randomUUID()],
        );
        const { rows } = await client.query<{ next: number }>(
          "SELECT next_number AS next FROM directory FOR UPDATE",
        );
        const list = await readList(client);
        const known = list?.cells.find((cell) => cell.name === name);
        if (!list) throw new Error("the directory has no row");
        if (known) {
          if (known.url !== url || known.schema !== schema)
            throw new Error(
              `there is a cell ${name} already, with another URL or schema: choose another name`,
            );
          return { directoryId: list.directoryId, entry: known };
        }
        const twin = list.cells.find((cell) => cell.url === url && cell.schema === schema);
        if (twin) throw new Error(`that schema is the cell ${twin.name}: one schema is one cell`);
        // One that was removed keeps its keys, and so its number.
        const number = earlier ?? rows[0]?.next ?? 0;
        if (number >= MAX_CELLS)
          throw new Error(`a directory has at most ${MAX_CELLS} cells, removed ones among them`);
        await client.query(
          "INSERT INTO directory_cells (name, number, url, schema_name, work_at) VALUES ($1, $2, $3, $4, $5)",
          [name, number, url ?? null, schema ?? null, Date.now()],
        );
        await client.query("UPDATE directory SET next_number = greatest(next_number, $1)", [number + 1]);
        await changed();
        return {
          directoryId: list.directoryId,
          entry: entryOf({ name, number, url: url ?? null, schema: schema ?? null, isDraining: false }),
        };
      }),
    setDraining: (name, isDraining) =>
      inTransaction(client, async () => {
        await client.query("UPDATE directory_cells SET is_draining = $2 WHERE name = $1", [name, isDraining]);
        await changed();
      }),
    remove: (name) =>
      inTransaction(client, async () => {
        await client.query("SELECT FROM directory_cells WHERE name = $1 FOR UPDATE", [name]);
        const [first] = (await readList(client))?.cells ?? [];
        if (first?.name === name)
          throw new Error(`${name} is the first cell, which has the feed's webhook and position: it stays`);
        const { rows } = await client.query("SELECT FROM directory_owners WHERE cell = $1 LIMIT 1", [name]);
        if (rows.length > 0) return false;
        if ((await client.query(HAS_LEFT, [name])).rows.length > 0)
          throw new Error(
            `the feed of the cell ${name} still has what owners did there before they moved: it can be removed when that has expired (RETENTION_DAYS)`,
          );
        await client.query("DELETE FROM directory_cells WHERE name = $1", [name]);
        await changed();
        return true;
      }),
    async countOwners() {
      const { rows } = await client.query<{ cell: string; owners: number }>(
        "SELECT cell, count(*) AS owners FROM directory_owners GROUP BY cell",
      );
      return new Map(rows.map(({ cell, owners }) => [cell, owners]));
    },
    async findOwner(ownerUserId) {
      const { rows } = await client.query<{ cell: string }>(SELECT_OWNER.text, [ownerUserId]);
      return rows[0]?.cell;
    },
    async ownersOf(cell, limit) {
      const { rows } = await client.query<{ owner: string }>(
        "SELECT owner_user_id AS owner FROM directory_owners WHERE cell = $1 ORDER BY owner_user_id LIMIT $2",
        [cell, limit],
      );
      return rows.map(({ owner }) => owner);
    },
    async moveOwner(ownerUserId, from, to) {
      await client.query(MOVE_OWNER.text, [ownerUserId, from, to]);
    },
    async noteMove(moveId, move) {
      const { statement, values } = noteMove(moveId, move);
      await client.query(statement.text, values);
    },
    close: () => client.end(),
  };
}

/** @throws StoreUnavailable when the schema cannot be reached */
export async function connect(address: DatabaseAddress, name = "the database"): Promise<pg.Client> {
  const session = useSchema(address.schema) || "SELECT 1";
  const failure = `${name} cannot be used`;
  return await openClient({ ...address, cell: "administration" }, { session, failure });
}

/** @throws StoreUnavailable when the schema cannot be reached */
export async function withClient<Result>(
  address: DatabaseAddress,
  work: (client: pg.Client) => Promise<Result>,
  name?: string,
): Promise<Result> {
  const client = await connect(address, name);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
