import type pg from "pg";
import { whyNotTheCell } from "../../cells/cell-identity.js";
import type { CellEntry, CellList } from "../../cells/directory.js";
import type { DatabaseAddress } from "../connection/client.js";
import { clearCapture } from "../move/clear-capture.js";
import { abandonMove, type CellAddress, finishMove, MoveRefused, type NoteMove } from "../move/move-owner.js";
import { ARRIVING, LEFT, readRecord } from "../move/records.js";
import { addressOf, cellTablesOf, connect } from "./cell-tables.js";
import { type CellCheck, checkCell } from "./check-cell.js";
import { checkGuests } from "./check-guests.js";
import { MOVE_OWNER, noteMove, SELECT_OWNER } from "./directory-rows.js";

/**
 * Compares the directory with all cells and mends it, and ends moves that were interrupted.
 *
 * @returns what was found, by the name of the cell
 */
export async function checkCells(
  database: DatabaseAddress,
  { cells, directoryId }: CellList,
  onProgress: (cell: string, found: { owners: number; bots: number }) => void,
): Promise<Map<string, CellCheck>> {
  const directory = await connect(database);
  const clients = new Map<string, pg.Client>();
  const results = new Map<string, CellCheck>();
  try {
    for (const entry of cells) {
      const { name } = entry;
      clients.set(name, await connect(addressOf(database, entry), `the cell ${name}`));
    }
    for (const entry of cells) {
      const client = clients.get(entry.name) as pg.Client;
      const { cell } = await cellTablesOf(client);
      const reason = whyNotTheCell(entry, cell, directoryId);
      if (reason !== undefined) {
        results.set(entry.name, { owners: 0, bots: 0, mended: 0, problems: [`${entry.name}: ${reason}`] });
        continue;
      }
      const problems = await endMoves(database, cells, directory, clients, entry);
      const found = await checkCell({
        directory,
        client,
        entry,
        isIn: async (name, owner) => await hasAny(clients.get(name), owner),
        hasBot: async (owner, botId) => {
          const { rows } = await directory.query<{ cell: string }>(SELECT_OWNER.text, [owner]);
          const other = clients.get(rows[0]?.cell ?? "");
          const there = await other?.query("SELECT FROM bots WHERE id = $1 AND owner_user_id = $2", [
            botId,
            owner,
          ]);
          return (there?.rowCount ?? 0) > 0;
        },
        onProgress: (progress) => onProgress(entry.name, progress),
      });
      results.set(entry.name, { ...found, problems: [...problems, ...found.problems] });
    }
    const inBoth = cells.map((cell) => ({ ...cell, client: clients.get(cell.name) as pg.Client }));
    const told = await checkGuests(inBoth, async (owner) => {
      const { rows } = await directory.query<{ cell: string }>(SELECT_OWNER.text, [owner]);
      return inBoth.find(({ name }) => name === rows[0]?.cell);
    });
    for (const [cell, count] of told) {
      const found = results.get(cell);
      if (found) found.mended += count;
    }
    return results;
  } finally {
    for (const client of [directory, ...clients.values()]) await client.end();
  }
}

async function hasAny(client: pg.Client | undefined, owner: string): Promise<boolean> {
  const found = await client?.query(
    `SELECT FROM bots WHERE owner_user_id = $1 UNION ALL SELECT FROM channels WHERE owner_user_id = $1
    UNION ALL SELECT FROM owners WHERE user_id = $1 LIMIT 1`,
    [owner],
  );
  return (found?.rowCount ?? 0) > 0;
}

interface MoveRow {
  owner: string;
  moveId: string;
  state: number;
  otherCell: string;
  /** Whether the feed of the cell has something of before. */
  hasFeed: boolean;
}

async function notedMoves(directory: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await directory.query<{ id: string }>("SELECT move_id AS id FROM directory_feed_moves");
  return new Set(rows.map(({ id }) => id));
}

/** Ends moves that were interrupted: those that are decided are finished, others given up. @returns a line for each that goes on */
async function endMoves(
  database: DatabaseAddress,
  cells: readonly CellEntry[],
  directory: pg.Client,
  clients: ReadonlyMap<string, pg.Client>,
  entry: CellEntry,
): Promise<string[]> {
  const client = clients.get(entry.name) as pg.Client;
  const { rows } = await client.query<MoveRow>(
    `SELECT owner_user_id AS owner, move_id AS "moveId", state, other_cell AS "otherCell", feed_log IS NOT NULL AS "hasFeed" FROM owner_moves`,
  );
  const addressNamed = (name: string): CellAddress | undefined => {
    const found = cells.find((cell) => cell.name === name);
    return found && { ...addressOf(database, found), name };
  };
  const home = { ...addressOf(database, entry), name: entry.name };
  const note: NoteMove = async (moveId, move) => {
    const { statement, values } = noteMove(moveId, move);
    await directory.query(statement.text, values);
  };
  const problems: string[] = [];
  const noted = await notedMoves(directory);
  for (const { owner, moveId, state, otherCell, hasFeed } of rows) {
    const other = addressNamed(otherCell);
    if (!other) continue;
    if (state === LEFT) {
      const there = await readRecord(clients.get(otherCell) as pg.Client, owner);
      const isArriving = there?.state === ARRIVING && there.moveId === moveId;
      // The directory may have been restored from a backup.
      if (isArriving || (hasFeed && !noted.has(moveId))) await finishMove(home, other, owner, note);
      await directory.query(MOVE_OWNER.text, [owner, entry.name, otherCell]);
    } else if (state !== ARRIVING) {
      try {
        await abandonMove(home, other, owner);
      } catch (error) {
        if (!(error instanceof MoveRefused)) throw error;
        problems.push(`the owner ${owner} is being moved to ${otherCell}: ${error.message}`);
      }
    }
  }
  // Another move may be under way.
  await clearCapture(home);
  return problems;
}
