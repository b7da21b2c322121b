import type { Command } from "commander";
import { type Config, loadConfig } from "../../../config.js";
import { VERSION } from "../../../process/version.js";
import type { SchemaStatus } from "../../../store/inspection.js";
import { StoreUnavailable } from "../../../store/store.js";
import { NotReachable } from "../../errors.js";
import { printResult, say } from "../../output/print.js";
import { openOwnStore } from "../../stores/own-store.js";

interface CommandOptions {
  check?: boolean;
  json?: boolean;
}

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

Examples:
  botyard migrate --check
  botyard backup --to before.db && botyard migrate`,
    )
    .action(migrate);
}

async function migrate({ check, json }: CommandOptions): Promise<void> {
  const config = loadConfig();
  const { name, status } = await look(config);
  if (status.done > status.known)
    throw new Error(
      `${name} has schema ${status.done}, which is of a newer Botyard; ${VERSION} knows up to ${status.known}: use that version, or restore a backup from before the upgrade`,
    );
  if (!check && status.waiting.length > 0) await (await openOwnStore(config)).close();
  printResult(
    {
      database: name,
      schema: status.done,
      known_schema: status.known,
      version: VERSION,
      up_to_date: !check || status.waiting.length === 0,
      steps: status.waiting.map(({ step, does, rows }) => ({ step, does, rows: rows ?? null })),
    },
    json,
    status.waiting.map(({ step, does, rows }) => ({
      step: String(step),
      what: does,
      rows: rows === undefined ? "" : `about ${rows.toLocaleString("en-US")}`,
    })),
  );
  say(summary(name, status, check === true));
  if (check && status.waiting.length > 0) process.exitCode = 1;
}

/** @throws NotReachable when the database cannot be reached */
async function look(config: Config): Promise<{ name: string; status: SchemaStatus }> {
  // Loaded here, because the other commands don't need the store and start faster without it.
  const { inspectStore } = await import("../../../open-store.js");
  try {
    const inspection = await inspectStore(config);
    if (!inspection)
      throw new Error(
        `there is no botyard.db in ${config.dataDir}: set DATA_DIR to the folder of the service`,
      );
    try {
      return { name: inspection.name, status: await inspection.schema() };
    } finally {
      await inspection.close();
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new NotReachable(error.message, { cause: error });
    throw error;
  }
}

function summary(name: string, { done, known, waiting }: SchemaStatus, isCheck: boolean): string {
  if (waiting.length === 0) return `${name} has schema ${done}, the newest that Botyard ${VERSION} knows.`;
  if (!isCheck) return `${name} had schema ${done} and has ${known} now.`;
  const which = done === 0 ? "has no tables yet" : `has schema ${done}`;
  return `${name} ${which}; the next start of Botyard ${VERSION} brings it to ${known}. Nothing was changed.`;
}
