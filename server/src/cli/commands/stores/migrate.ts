import type { Command } from "commander";
import { type Config, loadConfig, type SharedDatabase } from "../../../config.js";
import type { ListedCell } from "../../../inspect-cells.js";
import { VERSION } from "../../../process/version.js";
import type { Inspection } from "../../../store/inspection.js";
import { StoreUnavailable } from "../../../store/store.js";
import { NotReachable } from "../../errors.js";
import { printResult, say } from "../../output/print.js";
import { openOwnStore } from "../../stores/own-store.js";
import {
  bringOn,
  jsonOfSteps,
  type MigrateOptions,
  rowOfStep,
  summaryOf,
} from "../../stores/schema-report.js";

/** `botyard migrate`: brings the database to the schema of this version, or shows what that would do. */
export function addMigrate(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to the schema of this version, or tell what that would do (--check)")
    .option(
      "--check",
      "change nothing: end with 0 when the schema is up to date, with 1 when an upgrade waits",
    )
    .option("--json", "print the versions and the steps as JSON")
    .addHelpText(
      "after",
      `
A service does the same when it starts; this does it before, or shows it. With DATABASE_URL it runs beside services of
this version and the one before, except for the upgrade from schema 45: that is refused while a service is connected, so
stop all of them first. On the SQLite database of DATA_DIR no service may be running. --check works beside any service.
The number of rows says how long a step takes: SQLite and PostgreSQL read some 500,000 rows a second, and move 30,000.
An interrupted upgrade continues when this is run again.

With cells it goes through the directory and one cell after the other, and on when one of them cannot be reached; it ends with
1 or 3 then, and is run again.

Examples:
  botyard migrate --check
  botyard backup --to before.db && botyard migrate`,
    )
    .action(migrate);
}

async function migrate(options: MigrateOptions): Promise<void> {
  const config = loadConfig();
  const inspection = await look(config);
  const { database } = config;
  const cells = database ? await cellsOf(database, inspection) : [];
  // Loaded here, because few have cells.
  if (database && cells.length > 0) {
    const { migrateCells } = await import("../../stores/migrate-cells.js");
    return await migrateCells(database, cells, inspection, options);
  }
  const { check = false, json } = options;
  const { name } = inspection;
  const status = await bringOn(inspection, check, async () => (await openOwnStore(config)).close()).catch(
    notReachable,
  );
  printResult(
    {
      database: name,
      schema: status.done,
      known_schema: status.known,
      version: VERSION,
      up_to_date: !check || status.waiting.length === 0,
      steps: jsonOfSteps(status),
    },
    json,
    status.waiting.map(rowOfStep),
  );
  say(summaryOf(name, status, check));
  if (check && status.waiting.length > 0) process.exitCode = 1;
}

/** @throws NotReachable when the database cannot be reached */
async function look(config: Config): Promise<Inspection> {
  // Loaded here, because the other commands don't need the store and start faster without it.
  const { inspectStore } = await import("../../../open-store.js");
  const inspection = await inspectStore(config).catch(notReachable);
  if (!inspection)
    throw new Error(`there is no botyard.db in ${config.dataDir}: set DATA_DIR to the folder of the service`);
  return inspection;
}

async function cellsOf(database: SharedDatabase, inspection: Inspection): Promise<ListedCell[]> {
  const { listCellsOf } = await import("../../../inspect-cells.js");
  try {
    return await listCellsOf(database, inspection);
  } catch (error) {
    await inspection.close();
    return notReachable(error);
  }
}

function notReachable(error: unknown): never {
  if (error instanceof StoreUnavailable) throw new NotReachable(error.message, { cause: error });
  throw error;
}
