import type { SharedDatabase } from "./config.js";
import { guestsOfMove } from "./guests-of-move.js";
import { wrongCollation } from "./inspect-cells.js";
import { notTheDirectory } from "./store/cells/cell-identity.js";
import type { CellEntry, CellList } from "./store/cells/directory.js";
import type { OnMigrationProgress } from "./store/migration-progress.js";
import {
  addressOf,
  countPlainServices,
  type DirectoryAdmin,
  isInUse,
  makeCell,
  openDirectoryAdmin,
  readCellTables,
  readCollation,
  withClient,
} from "./store/postgres/directory/cell-tables.js";
import type { CellCheck } from "./store/postgres/directory/check-cell.js";
import { checkCells } from "./store/postgres/directory/check-cells.js";
import { consumersBehind } from "./store/postgres/directory/unread-feed.js";
import {
  abandonMove,
  type CellAddress,
  finishMove,
  type MoveProgress,
  MoveRefused,
  moveOwner,
  type NoteMove,
} from "./store/postgres/move/move-owner.js";
import { ARRIVING, LEFT, readRecord } from "./store/postgres/move/records.js";
import { migrate } from "./store/postgres/schema/migrate.js";

export type { CellCheck } from "./store/postgres/directory/check-cell.js";

/** Whether an owner could not be moved for a reason that the error's one line says. */
export const isMoveRefused = (error: unknown): error is Error => error instanceof MoveRefused;

export interface CellRow {
  name: string;
  number: number;
  url: string;
  schema: string | undefined;
  owners: number;
  isDraining: boolean;
}

/** What an administrator does with the cells of a directory, beside the services. Errors have one line that says what to do. */
export interface CellsAdmin {
  list(): Promise<CellRow[]>;
  /** Makes a cell, or goes on with it where an earlier call ended. @returns its number */
  add(
    name: string,
    url: string | undefined,
    schema: string | undefined,
    onMigration: OnMigrationProgress,
  ): Promise<number>;
  setDraining(name: string, isDraining: boolean): Promise<void>;
  /** @param isForced also when consumers of the platform's feed have not read everything there */
  remove(name: string, isForced?: boolean): Promise<void>;
  check(
    onProgress: (cell: string, found: { owners: number; bots: number }) => void,
  ): Promise<Map<string, CellCheck>>;
  move(
    ownerUserId: string,
    to: string,
    onProgress: (progress: MoveProgress) => void,
  ): Promise<{ rows: number; pausedMs: number }>;
  /** Moves an owner to the cell with the fewest owners, of those that are not drained and do not refuse them. @returns its name */
  moveAway(ownerUserId: string, from: string, onProgress: (progress: MoveProgress) => void): Promise<string>;
  /** Owners of a cell, at most `limit`. */
  ownersOf(name: string, limit: number): Promise<string[]>;
  close(): Promise<void>;
}

/** @throws StoreUnavailable when the directory cannot be reached */
export async function administerCells(
  database: SharedDatabase,
  onMigration: OnMigrationProgress,
): Promise<CellsAdmin> {
  const { cell, list: directory } = await readCellTables(database, "the database of DATABASE_URL");
  if (cell && !directory) throw new Error(notTheDirectory(database.name, cell.name));
  await migrate(database.url, { schema: database.schema, onProgress: onMigration });
  const admin = await openDirectoryAdmin(database);
  const listed = async (): Promise<CellList> => {
    const list = await admin.list();
    if (!list || list.cells.length === 0)
      throw new Error("there are no cells yet: botyard cells add NAME makes this database the first one");
    return list;
  };
  const entryNamed = async (name: string): Promise<CellEntry> => {
    const { cells } = await listed();
    const entry = cells.find((cell) => cell.name === name);
    if (!entry)
      throw new Error(`there is no cell ${name}: there are ${cells.map((cell) => cell.name).join(", ")}`);
    return entry;
  };
  const named = (entry: CellEntry) => ({ ...addressOf(database, entry), name: entry.name });

  const list: CellsAdmin["list"] = async () => {
    const known = await admin.list();
    const counts = await admin.countOwners();
    return (known?.cells ?? []).map((entry) => ({
      name: entry.name,
      number: entry.number,
      ...addressOf(database, entry),
      schema: addressOf(database, entry).schema,
      owners: counts.get(entry.name) ?? 0,
      isDraining: entry.isDraining,
    }));
  };
  const move: CellsAdmin["move"] = async (ownerUserId, to, onProgress) => {
    const target = await entryNamed(to);
    const from = await admin.findOwner(ownerUserId);
    if (from === undefined)
      throw new Error(`the directory knows no owner ${ownerUserId}: botyard cells check finds what it lacks`);
    const source = named(await entryNamed(from));
    const { cells } = await listed();
    await endInterrupted(source, cells.map(named), ownerUserId, admin.noteMove);
    if (from === to) return { rows: 0, pausedMs: 0 };
    const listCells = async () => (await listed()).cells;
    const guests = guestsOfMove(database, cells, listCells, admin.findOwner, { from, to });
    try {
      const moved = await moveOwner({
        from: source,
        to: named(target),
        ownerUserId,
        onProgress,
        noteMove: admin.noteMove,
        guests,
      });
      await admin.moveOwner(ownerUserId, from, to);
      return moved;
    } finally {
      await guests.close();
    }
  };

  return {
    list,
    add: (name, url, schema, progress) =>
      addCell(
        database,
        admin,
        { name, ...(url !== undefined && { url }), ...(schema !== undefined && { schema }) },
        progress,
      ),
    async setDraining(name, isDraining) {
      await entryNamed(name);
      await admin.setDraining(name, isDraining);
    },
    async remove(name, isForced = false) {
      const entry = await entryNamed(name);
      const [first] = (await listed()).cells;
      const owners = await admin.ownersOf(name, 1);
      if (!isForced && owners.length === 0 && first && first.name !== name) {
        const behind = await consumersBehind(addressOf(database, first), addressOf(database, entry), name);
        if (behind.length > 0)
          throw new Error(
            `consumers of the platform's feed have not read everything in the cell ${name}: ${behind.join(", ")}; let them read on, or remove it with --force, and they never get it`,
          );
      }
      if (!(await admin.remove(name)))
        throw new Error(`owners live in the cell ${name}: botyard cells drain ${name} moves them to others`);
    },
    check: async (onProgress) => await checkCells(database, await listed(), onProgress),
    move,
    async moveAway(ownerUserId, from, onProgress) {
      const others = (await list()).filter(({ name, isDraining }) => name !== from && !isDraining);
      let refused = new Error(
        "there is no other cell to which owners could move: add one, or undo the draining of one",
      );
      for (const { name } of others.sort((a, b) => a.owners - b.owners)) {
        try {
          await move(ownerUserId, name, onProgress);
          return name;
        } catch (error) {
          if (!(error instanceof MoveRefused)) throw error;
          refused = error;
        }
      }
      throw refused;
    },
    ownersOf: admin.ownersOf,
    close: admin.close,
  };
}

/**
 * Ends what an interrupted move of an owner has left in their cell: one that had been decided lets the owner in, any other is given up.
 *
 * @throws MoveRefused while it goes on
 */
async function endInterrupted(
  home: CellAddress,
  cells: readonly CellAddress[],
  ownerUserId: string,
  noteMove: NoteMove,
): Promise<void> {
  const left = await withClient(home, (client) => readRecord(client, ownerUserId), `the cell ${home.name}`);
  const other = cells.find(({ name }) => name === left?.otherCell);
  if (!left || !other) return;
  if (left.state === ARRIVING) await finishMove(other, home, ownerUserId, noteMove);
  else if (left.state !== LEFT) await abandonMove(home, other, ownerUserId);
}

async function addCell(
  database: SharedDatabase,
  admin: DirectoryAdmin,
  cell: Pick<CellEntry, "name" | "url" | "schema">,
  onMigration: OnMigrationProgress,
): Promise<number> {
  const address = addressOf(database, { ...cell, number: 0, isDraining: false });
  const list = await admin.list();
  const cells = list?.cells ?? [];
  const known = cells.find(({ name }) => name === cell.name);
  const isOwn = cell.url === undefined && cell.schema === undefined;
  if (cells.length === 0 && !isOwn && (await isInUse(database)))
    throw new Error(
      "this database has owners already: make it the first cell, with botyard cells add NAME and no --url, and then add others",
    );
  if (cells.length === 1 && !known && cells[0]) {
    const plain = await countPlainServices(addressOf(database, cells[0]));
    if (plain > 0)
      throw new Error(
        `a service that was started before there were cells is connected (${plain} connections): restart all of them, one after the other, then add another cell`,
      );
    // Whom the directory does not know would get the new cell, away from what they have.
    if (list) await checkCells(database, list, () => {});
  }
  const isFirst = cells.length === 0 || known?.number === 0;
  // The first one may be a database that is in use; those that are there stay.
  if (!known && !(isFirst && isOwn)) {
    const { isByBytes, name } = await readCollation(address);
    if (!isByBytes)
      throw new Error(
        `${wrongCollation(name)}; make a database with the collation C or C.UTF-8, and add that`,
      );
  }
  await migrate(address.url, {
    schema: address.schema,
    name: `the cell ${cell.name}`,
    onProgress: onMigration,
  });
  const { cell: made } = await readCellTables(address);
  if (made && (made.directoryId !== list?.directoryId || made.name !== cell.name))
    throw new Error(
      made.directoryId === list?.directoryId
        ? `that schema is the cell ${made.name}: one schema is one cell`
        : `that schema is the cell ${made.name} of another directory: name an empty schema`,
    );
  if (!made && !(isFirst && isOwn) && (await isInUse(address)))
    throw new Error(
      "that schema has owners already: a cell begins empty, except for the first one in the directory's own database",
    );
  const { directoryId, entry } = await admin.add(cell, made?.number);
  await makeCell(address, { directoryId, name: entry.name, number: entry.number });
  return entry.number;
}
