import { existsSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import type { Config } from "../../config.js";
import { makeDataDir } from "../../process/data-dir.js";
import { describeMigration, type MigrationProgress } from "../../store/migration-progress.js";
import { type Store, StoreUnavailable } from "../../store/store.js";
import { NotReachable } from "../errors.js";
import { say } from "../output/print.js";

/**
 * Opens the configured store, for the commands that work on it directly.
 *
 * @throws NotReachable when its database, or one of its cells, cannot be reached; Error with one line when a service uses the folder
 */
export async function openOwnStore(config: Config): Promise<Store> {
  makeDataDir(config.dataDir, config.database ? "keys" : "database");
  // Loaded here, because the other commands don't need the store and start faster without it.
  const { openStores } = await import("../../open-store.js");
  const { database, dataDir } = config;
  // All cells, whichever an instance with this configuration serves.
  const shared = database && { ...database, cells: undefined };
  try {
    const opened = await openStores(
      { database: shared, dataDir },
      pino({ level: "silent" }),
      undefined,
      sayMigration,
    );
    const away = opened.away();
    if (away.length === 0) return opened.store;
    await opened.store.close();
    throw new StoreUnavailable(
      `nothing was done, because not all cells can be used now: ${away.join(", ")}; botyard doctor says why`,
    );
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new NotReachable(error.message, { cause: error });
    throw error;
  }
}

/**
 * In a wrong folder a new database would be made, and the command would seem to succeed.
 *
 * @throws Error with one line when the data folder has none
 */
export function refuseMissingDatabase({ database, dataDir }: Config): void {
  if (!database && !existsSync(join(dataDir, "botyard.db")))
    throw new Error(`there is no botyard.db in ${dataDir}: set DATA_DIR to the folder of the service`);
}

/** Shows how far a database is that is brought to a new schema. */
export function sayMigration(progress: MigrationProgress): void {
  say(describeMigration(progress));
}
