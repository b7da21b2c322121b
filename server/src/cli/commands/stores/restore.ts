import { readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { type Config, loadConfig } from "../../../config.js";
import { withoutPassword } from "../../../domain/database-url.js";
import { DEFAULT_SKIPPED_NUMBERS } from "../../../domain/limits.js";
import { type KeyFile, makeDataDir, putKeyFile, readKeyFile } from "../../../process/data-dir.js";
import { backupsIn } from "../../../store/backup/backup-folder.js";
import type { Unpacked } from "../../../store/backup/unpack-backup.js";
import { abortedBySignals } from "../../abort.js";
import { UsageError } from "../../errors.js";
import { sayBytes } from "../../output/byte-progress.js";
import { printResult, say } from "../../output/print.js";
import { skippedNumbers } from "../../skip-option.js";
import { checkRestored, type Restored } from "../../stores/restore-check.js";

interface CommandOptions {
  from: string;
  before?: string;
  skip: string;
  deliveries: boolean;
  json?: boolean;
}

/** `botyard restore`: puts a backup into an empty data folder. */
export function addRestore(program: Command): void {
  program
    .command("restore")
    .description("put a file of botyard backup into an empty data folder, and check it")
    .requiredOption("--from <path>", "the backup, or the folder of BACKUP_DIR, for the newest in it")
    .option(
      "--before <time>",
      "of a folder: the newest backup that was begun before, such as 2026-01-15T08:00:00Z",
    )
    .option(
      "--skip <numbers>",
      "how many numbers every log skips; 0 only if no service has run since the backup",
      String(DEFAULT_SKIPPED_NUMBERS),
    )
    .option("--no-deliveries", "send nothing to webhooks until botyard deliveries on: for a drill")
    .option("--json", "print what was restored as JSON")
    .addHelpText(
      "after",
      `
Puts the database and its keys into DATA_DIR (./data), which must have no database, and checks: the file is whole, every
table has as many rows as when it was backed up, the keys open the webhook secrets. The schema is brought to that of this
version. If anything is wrong, or Ctrl-C ends it, no database is in the folder.

It does what botyard after-restore does, so that no number of an update that came after the backup is given out a second
time. With --skip 0 it does not: right for a backup of a stopped service that never ran again, when moving to another
machine for instance.

Examples:
  DATA_DIR=/var/lib/botyard botyard restore --from botyard-2026-01-15.db
  DATA_DIR=/var/lib/botyard botyard restore --from /backups --before 2026-01-15T08:00:00Z`,
    )
    .action(restore);
}

async function restore(options: CommandOptions): Promise<void> {
  const config = loadConfig();
  const skip = skippedNumbers(options.skip, 0);
  if (config.database) throw new UsageError(howToRestore(config));
  const { dataDir } = config;
  const { deliveries } = options;
  makeDataDir(dataDir, "database");
  // Loaded here, because the other commands don't need it and start faster without it.
  const { unpackBackup } = await import("../../../store/backup/unpack-backup.js");
  const from = chosenBackup(resolve(options.from), options.before);
  const { unpacked, restored } = await abortedBySignals(async (signal) => {
    const unpacked = await unpackBackup({ from, dataDir, onProgress: sayBytes(), signal });
    try {
      refuseOtherKeys(dataDir, unpacked);
      const restored = await checkRestored({ config, unpacked, skip, deliveries, signal });
      putInPlace(dataDir, unpacked);
      return { unpacked, restored };
    } finally {
      unpacked.close();
    }
  });
  report(config, unpacked, restored, skip, options.json);
}

/**
 * The file to restore: of a folder with scheduled backups, the newest one that was begun before a time.
 *
 * @throws UsageError when there is none
 */
function chosenBackup(path: string, before: string | undefined): string {
  const limit = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
  if (Number.isNaN(limit))
    throw new UsageError(
      `--before must be a time such as 2026-01-15T08:00:00Z, not ${JSON.stringify(before)}`,
    );
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const [oldest, ...others] = isFolder ? backupsIn(path) : [];
  if (!oldest) {
    if (before === undefined) return path;
    throw new UsageError(
      `--before needs a folder with scheduled backups (botyard-….db), and ${path} is none`,
    );
  }
  const chosen = [oldest, ...others].findLast(({ madeAt }) => madeAt.getTime() < limit);
  if (!chosen)
    throw new UsageError(
      `the oldest backup in ${path} is of ${oldest.madeAt.toISOString()}: give a later --before`,
    );
  say(`The newest backup${before === undefined ? "" : ` before ${before}`} is ${chosen.file}.`);
  return chosen.file;
}

/** Refuses a folder that has a different key already, which may be needed for something else. */
function refuseOtherKeys(dataDir: string, { manifest }: Unpacked): void {
  for (const [name, text] of keyFilesOf(manifest)) {
    const there = readKeyFile(dataDir, name);
    if (there !== undefined && there !== text)
      throw new Error(
        `${join(dataDir, name)} is another key than that of the backup: move it away, or restore into another folder`,
      );
  }
}

/** The keys come first: a database without its keys would be of no use. */
function putInPlace(dataDir: string, unpacked: Unpacked): void {
  const put: string[] = [];
  try {
    for (const [name, text] of keyFilesOf(unpacked.manifest))
      if (putKeyFile(dataDir, name, text)) put.push(join(dataDir, name));
    unpacked.putInPlace();
  } catch (error) {
    for (const file of put) rmSync(file, { force: true });
    throw error;
  }
}

function report(
  { dataDir, secretKeys }: Config,
  { manifest }: Unpacked,
  { logs, secrets, missing, areDeliveriesOff }: Restored,
  skip: number,
  json: boolean | undefined,
): void {
  const { madeAt, version, schema, tables, keyFiles } = manifest;
  const result = {
    data_dir: dataDir,
    made_at: madeAt,
    made_by: version,
    schema,
    tables,
    key_files: Object.keys(keyFiles),
    opened_secrets: secrets,
    missing_keys: missing,
    logs,
    skipped: skip,
    deliveries: areDeliveriesOff ? "off" : "on",
  };
  printResult(
    result,
    json,
    Object.entries(tables).map(([table, rows]) => ({ table, rows: String(rows) })),
  );
  say(`${dataDir} holds the backup of ${madeAt}: ${readdirSync(dataDir).sort().join(", ")}.`);
  say(
    skip === 0
      ? "No log was moved on. If a service has run since the backup was made, run botyard after-restore before the next start."
      : `Every log was moved on by ${skip.toLocaleString("en-US")} numbers.`,
  );
  if (areDeliveriesOff)
    say("Deliveries are off: services on it send nothing to webhooks, until botyard deliveries on.");
  if (missing.length === 0) return say("Services may be started.");
  const mend = secretKeys
    ? `SECRET_KEY, as it is set now, does not list: list it there${keyFiles["secret.key"] === undefined ? "" : " (or unset SECRET_KEY, if it is that of secret.key)"}`
    : "is not here: set SECRET_KEY to it";
  say(`Before services start: webhook secrets are sealed with key ${missing.join(" and ")}, which ${mend}.`);
}

function keyFilesOf({ keyFiles }: Unpacked["manifest"]): [KeyFile, string][] {
  return Object.entries(keyFiles) as [KeyFile, string][];
}

function howToRestore({ database }: Config): string {
  const url = withoutPassword(database?.url ?? "");
  return `the database is PostgreSQL, which has its own tool for this, with no service running:
  pg_restore --no-owner --dbname='${url}' <file of pg_dump>
Then run botyard after-restore, and start the services with the keys they had. To restore into a data folder, unset DATABASE_URL.`;
}
