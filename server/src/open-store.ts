import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { unknownServed } from "./cell-addresses.js";
import type { Config, SharedDatabase } from "./config.js";
import { createBackOff } from "./domain/back-off.js";
import type { OpenCells } from "./open-cells.js";
import { emptiedDatabase, lostDatabase, RESTORE_INSTEAD } from "./process/lost-database.js";
import { notTheDirectory } from "./store/cells/cell-identity.js";
import type { Inspection } from "./store/inspection.js";
import { describeMigration, type OnMigrationProgress } from "./store/migration-progress.js";
import { type StoreObserver, UNOBSERVED } from "./store/observer.js";
import type { BatchGate } from "./store/postgres/connection/batcher.js";
import { watchForDamage } from "./store/sqlite/files/damage-watch.js";
import { inspectSqlite } from "./store/sqlite/inspect.js";
import { openSqliteStore } from "./store/sqlite/open.js";
import { DAMAGED, type OnListenerError, type Store, StoreDamaged } from "./store/store.js";

/** How often to check whether the database serves again after its connection broke. */
const CHECK_AGAIN_MS = 500;

/** Makes what is told of the work of a cell's store; of the only one without a name. */
export type ObserveCell = (cell: string) => StoreObserver;

/**
 * Opens the store that the configuration names: the PostgreSQL database that instances share, else the SQLite file in
 * the data folder.
 *
 * @param onMigration called while the database is brought to a new schema; logs it when left out
 * @throws Error whose message says in one line why it cannot be opened
 */
export async function openStore(
  config: Config,
  logger: Logger,
  observe: ObserveCell = () => UNOBSERVED,
  onMigration: OnMigrationProgress = logMigration(logger),
): Promise<Store> {
  return (await openStores(config, logger, observe, onMigration)).store;
}

/** The same with the cells that it consists of; without cells it is the only one, and has no name. */
export async function openStores(
  { database, dataDir }: Pick<Config, "database" | "dataDir">,
  logger: Logger,
  observe: ObserveCell = () => UNOBSERVED,
  onMigration: OnMigrationProgress = logMigration(logger),
): Promise<OpenCells> {
  if (database) return await openShared(database, logger, observe, onMigration);
  return alone(await openEmbedded(dataDir, logger, observe(""), onMigration));
}

/** A store that is not divided into cells. */
function alone(store: Store): OpenCells {
  const cells = [{ name: "", number: 0, store }];
  return {
    store,
    cells: () => cells,
    away: () => [],
    isDirectoryAway: () => false,
    each: (begin) => void cells.map(begin),
  };
}

async function openEmbedded(
  dataDir: string,
  logger: Logger,
  observer: StoreObserver,
  onMigration: OnMigrationProgress,
): Promise<Store> {
  const lost = lostDatabase(dataDir);
  if (lost !== undefined) throw new Error(lost);
  const damage = noteDamage(dataDir, logger, observer);
  const store = await openSqliteStore({
    dataDir,
    observer,
    onListenerError: logListenerErrors(logger),
    onFilesMoved: logMovedFiles(dataDir, logger),
    onMigration,
    onDamage: damage.found,
    whyNotNew: emptiedDatabase(dataDir),
  }).catch((error: Error) => {
    if (!error.message.includes("malformed")) throw error;
    throw new Error(`${join(dataDir, "botyard.db")} is damaged (${error.message}): ${RESTORE_INSTEAD}`);
  });
  const watch = watchForDamage(dataDir, damage.found);
  // It is not ready any more once damaged pages are found, and still serves what it can.
  return {
    ...store,
    async ping() {
      if (damage.isFound()) throw new StoreDamaged(DAMAGED);
      await store.ping();
    },
    async close() {
      watch.stop();
      await store.close();
    },
  };
}

/** Says once that pages are damaged, whether a call has met one or all of them were looked through. */
function noteDamage(dataDir: string, logger: Logger, observer: StoreObserver) {
  let isFound = false;
  return {
    isFound: () => isFound,
    found(damage: string): void {
      if (isFound) return;
      isFound = true;
      observer.damaged();
      logger.error(
        { event: "storage_damaged", dataDir, damage },
        `pages of the database are damaged, so this service is not ready: ${RESTORE_INSTEAD}`,
      );
    },
  };
}

/**
 * Looks at the store that the configuration names, beside any service that runs on it.
 *
 * @returns undefined when there is no database in the data folder
 * @throws StoreUnavailable when it cannot be reached; Error with one line when it cannot be used
 */
export async function inspectStore({
  database,
  dataDir,
}: Pick<Config, "database" | "dataDir">): Promise<Inspection | undefined> {
  if (!database) return await inspectSqlite(dataDir);
  const { inspectPostgres } = await import("./store/postgres/inspect.js");
  return await inspectPostgres(database, database.name);
}

/**
 * Asks the shared database once whether it serves; the embedded one always does.
 *
 * @returns why it cannot serve yet; undefined also when waiting would not change that, so that opening it says why
 */
export async function reasonToWait({ database }: Config): Promise<string | undefined> {
  if (!database) return undefined;
  const { reasonNotServing } = await import("./store/postgres/connection/not-serving.js");
  return await reasonNotServing(database);
}

/** Throttled: the same listener may fail a thousand times a second. */
function logListenerErrors(logger: Logger): OnListenerError {
  const backOff = createBackOff((err) =>
    logger.error(
      { event: "hint_failed", err },
      "a listener of the store's events failed; the service goes on without that event",
    ),
  );
  return backOff.failed;
}

function logMigration(logger: Logger): OnMigrationProgress {
  return (progress) => logger.info({ event: "migrating", ...progress }, describeMigration(progress));
}

function logMovedFiles(dataDir: string, logger: Logger) {
  return (areInPlace: boolean): void => {
    if (areInPlace) {
      logger.info({ event: "storage_recovered", dataDir }, "the files of DATA_DIR are in place again");
    } else {
      logger.error(
        { event: "storage_lost", dataDir },
        "the files of DATA_DIR were removed or replaced under the running service: nothing is stored until they are back, or the service is started anew",
      );
    }
  };
}

/**
 * @throws Error with one line when the schema is a cell, which services reach through its directory
 */
async function openShared(
  database: SharedDatabase,
  logger: Logger,
  observe: ObserveCell,
  onMigration: OnMigrationProgress,
): Promise<OpenCells> {
  const { readCellTables } = await import("./store/postgres/directory/cell-tables.js");
  const { cell, list } = await readCellTables(database, "the database of DATABASE_URL");
  if (!list && cell) throw new Error(notTheDirectory(database.name, cell.name));
  if (!list) return alone(await openSharedStore(database, undefined, logger, observe(""), onMigration));
  const unknown = unknownServed(
    database.cells,
    list.cells.map(({ name }) => name),
  );
  if (unknown !== undefined) throw new Error(`${unknown}: correct it, or unset it to serve all cells`);
  const { migrate } = await import("./store/postgres/schema/migrate.js");
  await migrate(database.url, { schema: database.schema, onProgress: onMigration });
  const { openCells } = await import("./open-cells.js");
  return await openCells(list, {
    database,
    logger,
    onListenerError: logListenerErrors(logger),
    openCell: (cellDatabase, cell) =>
      openSharedStore(cellDatabase, cell, logger, observe(cell.name), onMigration),
  });
}

/** An outage of the server breaks every connection and fails each attempt to open a new one; it is logged once. */
async function openSharedStore(
  { url, name, schema, poolSize }: SharedDatabase,
  cell: { name: string; gate: BatchGate | undefined } | undefined,
  logger: Logger,
  observer: StoreObserver,
  onMigration: OnMigrationProgress,
): Promise<Store> {
  // Loaded only here: most services use SQLite, and loading the driver takes a tenth of their start.
  const { openPostgresStore } = await import("./store/postgres/open.js");
  let isBroken = false;
  let isClosed = false;

  const store = await openPostgresStore({
    url,
    schema,
    cell: cell?.name,
    gate: cell?.gate,
    poolSize,
    observer,
    onMigration,
    onListenerError: logListenerErrors(logger),
    onConnectionError(error) {
      if (isBroken || isClosed) return;
      isBroken = true;
      logger.warn(
        { event: "database_broken", database: name, reason: error.message },
        "the connection to the database broke",
      );
      void waitForService();
    },
  });

  const waitForService = async (): Promise<void> => {
    const brokenAt = performance.now();
    do await sleep(CHECK_AGAIN_MS, undefined, { ref: false });
    while (!isClosed && !(await serves(store)));
    isBroken = false;
    if (!isClosed)
      logger.info(
        { event: "database_recovered", database: name, outageMs: Math.round(performance.now() - brokenAt) },
        "the database serves again",
      );
  };

  store.events.on("hintsLost", () => {
    observer.hintsLost();
    logger.warn({ event: "hints_lost", database: name }, "hints of other instances were lost for a while");
  });

  store.events.on("failedOver", ({ fromTimeline, toTimeline }) => {
    observer.failedOver();
    logger.warn(
      { event: "failover_noticed", database: name, fromTimeline, toTimeline },
      "the database was failed over or restored: what was recorded last may be lost. Every log skips numbers before its next update, and what the database does not know to be delivered is sent again",
    );
  });

  return {
    ...store,
    async close() {
      isClosed = true;
      await store.close();
      observer.closed();
    },
  };
}

async function serves(store: Store): Promise<boolean> {
  try {
    await store.ping();
    return true;
  } catch {
    return false;
  }
}
