import { connectionsToServerOf, unknownServed } from "../cell-addresses.js";
import type { Config, SharedDatabase } from "../config.js";
import { inspectCell, type ListedCell, listCellsOf, wrongCollation } from "../inspect-cells.js";
import type { Inspection } from "../store/inspection.js";
import { checkAudit } from "./audit.js";
import { checkDatabase, checkDatabaseClock } from "./database.js";
import { checkDeliveries, type RepairOptions } from "./deliveries.js";
import { type Finding, ok, warning, wrong } from "./finding.js";
import { checkSecretKeys } from "./keys.js";

const CHECK = "cell";
/** Longer than a relay takes to find what nobody told it of. */
const CARRIED_WITHIN_MS = 60_000;
const START_INSTANCES = "look at the log of an instance for cell_unopened or cell_away, and at that server";

/**
 * The cells of a directory, each as a database of its own: whether it can be reached, is the cell that it should be, and has what it needs. Nothing
 * for a database without cells.
 *
 * @param directory a look at the database of DATABASE_URL, which the other checks have looked at
 */
export async function* checkCells(
  config: Config,
  database: SharedDatabase,
  directory: Inspection,
  options: RepairOptions,
): AsyncGenerator<Finding[]> {
  const cells = await listCellsOf(database, directory);
  const directoryId = (await directory.cells()).list?.directoryId ?? "";
  if (cells.length === 0) return;
  yield checkServed(database, cells);
  for (const cell of cells) {
    const found = cell.isOfDirectory
      ? await checkOwn(database, cell, cells, directory, directoryId)
      : await checkOther(config, cell, cells, directoryId, options);
    yield found.map((finding) => ({ ...finding, says: `${cell.entry.name}: ${finding.says}` }));
  }
}

/** `CELLS` must name cells that are there. */
function checkServed({ cells: served }: SharedDatabase, cells: readonly ListedCell[]): Finding[] {
  const names = cells.map(({ entry }) => entry.name);
  const unknown = unknownServed(served, names);
  if (unknown !== undefined) return [wrong(CHECK, unknown, "correct it, or unset it to serve all cells")];
  return [
    ok(
      CHECK,
      `${names.length} in the directory${served ? `, this instance serves ${served.join(", ")}` : ""}`,
    ),
  ];
}

/** In the directory's schema: what every database needs was looked at with that. */
async function checkOwn(
  database: SharedDatabase,
  cell: ListedCell,
  cells: readonly ListedCell[],
  directory: Inspection,
  directoryId: string,
): Promise<Finding[]> {
  return [
    ok(CHECK, `number ${cell.entry.number}, in the schema of the directory ${directoryId}`),
    ...(await checkCollation(cells, directory)),
    ...(await checkConnections(database, cell, cells, directory)),
    ...(await checkCarried(cells, directory)),
  ];
}

async function checkOther(
  config: Config,
  cell: ListedCell,
  cells: readonly ListedCell[],
  directoryId: string,
  options: RepairOptions,
): Promise<Finding[]> {
  let inspection: Inspection;
  try {
    inspection = await inspectCell(cell, directoryId);
  } catch (error) {
    return [wrong(CHECK, (error as Error).message, START_INSTANCES)];
  }
  try {
    return [
      ok(CHECK, `number ${cell.entry.number}${cell.entry.isDraining ? ", gets no new owners" : ""}`),
      ...(await checkDatabase(config, inspection)),
      ...(await checkDatabaseClock(inspection)),
      ...(await checkCollation(cells, inspection)),
      ...(config.database ? await checkConnections(config.database, cell, cells, inspection) : []),
      ...(await checkCarried(cells, inspection)),
      ...(await checkDeliveries(config, inspection, options, cell.entry.name)),
      ...(await checkAudit(config, inspection)),
      ...(await checkSecretKeys(config, inspection, true)),
    ];
  } catch (error) {
    return [wrong(CHECK, (error as Error).message, START_INSTANCES)];
  } finally {
    await inspection.close();
  }
}

/** What happened in channels with bots of other cells gets there within moments. */
async function checkCarried(cells: readonly ListedCell[], inspection: Inspection): Promise<Finding[]> {
  const late = (await inspection.findUncarried()).filter(
    ({ since }) => since < Date.now() - CARRIED_WITHIN_MS,
  );
  if (late.length === 0) return [ok("bots of others", "everything was carried to other cells")];
  return late.map(({ cell, entries, since }) =>
    warning(
      "bots of others",
      `${entries === 1 ? "1 event waits" : `${entries} events wait`} to be carried to the cell ${cells.find(({ entry }) => entry.number === cell)?.entry.name ?? cell}, the oldest since ${new Date(since).toISOString()}`,
      "if that cell is there, look at the log of an instance that serves both for relay_failed",
    ),
  );
}

async function checkCollation(cells: readonly ListedCell[], inspection: Inspection): Promise<Finding[]> {
  const collation = await inspection.collation();
  if (!collation) return [];
  if (collation.isByBytes) return [ok("collation", collation.name)];
  if (cells.length === 1) return [ok("collation", `${collation.name}; further cells need C or C.UTF-8`)];
  return [
    wrong(
      "collation",
      wrongCollation(collation.name),
      "make a database with the collation C or C.UTF-8, add it as a cell, and move the owners there",
    ),
  ];
}

async function checkConnections(
  database: SharedDatabase,
  cell: ListedCell,
  cells: readonly ListedCell[],
  inspection: Inspection,
): Promise<Finding[]> {
  const connections = await inspection.connections();
  if (!connections) return [];
  const { most, open } = connections;
  const wanted = connectionsToServerOf(
    database,
    cell.entry,
    cells.map(({ entry }) => entry),
  );
  if (open + wanted <= most) return [ok("connections", `${open} of ${most} are open on its server`)];
  return [
    warning(
      "connections",
      `${open} of ${most} are open on its server, and an instance takes up to ${wanted}`,
      "raise max_connections of the server, or lower DATABASE_POOL_SIZE",
    ),
  ];
}
