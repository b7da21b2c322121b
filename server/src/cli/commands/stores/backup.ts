import { resolve } from "node:path";
import type { Command } from "commander";
import { type Config, loadConfig, type SharedDatabase } from "../../../config.js";
import { withoutPassword } from "../../../domain/database-url.js";
import { keyId } from "../../../domain/secret-box.js";
import { readKeyFiles } from "../../../process/data-dir.js";
import { VERSION } from "../../../process/version.js";
import { abortedBySignals } from "../../abort.js";
import { UsageError } from "../../errors.js";
import { megabytes, sayBytes } from "../../output/byte-progress.js";
import { printResult, say } from "../../output/print.js";

interface CommandOptions {
  to: string;
  json?: boolean;
}

/** `botyard backup`: the database and its keys in one file, while the service runs. */
export function addBackup(program: Command): void {
  program
    .command("backup")
    .description(
      "write the SQLite database and the key files of DATA_DIR to one file, while the service runs",
    )
    .requiredOption("--to <file>", "a file that is not there yet")
    .option("--json", "print what was backed up as JSON")
    .addHelpText(
      "after",
      `
The file holds everything as it was at one moment, and the keys: keep it as secret as the data folder. It is readable by
you alone (mode 0600), checked before it gets its name, and an SQLite database itself. Put it back with botyard restore.
What is configured by the environment (SECRET_KEY, OWNER_JWT_SECRET) is not in it; the command names what else to keep.

PostgreSQL has its own tools: with DATABASE_URL the command says which, and ends with 2.

With BACKUP_EVERY the service makes backups by itself.

Examples:
  botyard backup --to /backups/botyard-$(date +%F).db
  docker exec botyard botyard backup --to /backups/botyard.db`,
    )
    .action(backup);
}

async function backup({ to, json }: CommandOptions): Promise<void> {
  const config = loadConfig();
  if (config.database) throw new UsageError(await howToDump(config, config.database, to));
  const keyFiles = readKeyFiles(config.dataDir);
  // Loaded here, because the other commands don't need it and start faster without it.
  const { makeBackup } = await import("../../../store/backup/make-backup.js");
  const { dataDir } = config;
  const made = await abortedBySignals((signal) =>
    makeBackup({ dataDir, to: resolve(to), version: VERSION, keyFiles, onProgress: sayBytes(), signal }),
  );
  const outside = keysOutside(config);
  const missing = made.sealingKeys.filter((id) => !knownKeys(config, keyFiles).includes(id));
  printResult(
    {
      file: resolve(to),
      bytes: made.bytes,
      made_at: made.madeAt,
      schema: made.schema,
      tables: made.tables,
      key_files: Object.keys(keyFiles),
      keys_outside: outside,
      missing_keys: missing,
    },
    json,
    Object.entries(made.tables).map(([table, rows]) => ({ table, rows: String(rows) })),
  );
  say(
    `${resolve(to)} holds the database (${megabytes(made.bytes)}) and ${listed(Object.keys(keyFiles)) || "no keys"}.`,
  );
  if (outside.length > 0)
    say(`Keep beside it, because the service gets it from its environment: ${listed(outside)}.`);
  if (missing.length > 0)
    say(
      `Webhook secrets are sealed with ${listed(missing)}, a key that neither the file nor SECRET_KEY has: keep that too.`,
    );
}

function keysOutside({ secretKeys, ownerTokens: { trust } }: Config): string[] {
  return [...(secretKeys ? ["SECRET_KEY"] : []), ...(trust?.kind === "secret" ? ["OWNER_JWT_SECRET"] : [])];
}

function knownKeys({ secretKeys = [] }: Config, keyFiles: Record<string, string>): string[] {
  const own = keyFiles["secret.key"];
  return [...secretKeys, ...(own ? [Buffer.from(own, "base64")] : [])].map(keyId);
}

const listed = (names: readonly string[]): string => names.join(" and ");

async function howToDump(
  { secretKeys, ownerTokens: { trust }, dataDir }: Config,
  database: SharedDatabase,
  to: string,
): Promise<string> {
  const others = await databasesOfCells(database);
  const keys = [
    secretKeys ? "SECRET_KEY" : `${dataDir}/secret.key`,
    ...(trust ? (trust.kind === "secret" ? ["OWNER_JWT_SECRET"] : []) : [`${dataDir}/owner-jwt.secret`]),
  ];
  const dumps = [
    { url: database.url, file: to },
    ...[...others].map(([url, cell]) => ({ url, file: `${to}.${cell}` })),
  ];
  const commands = dumps.map(
    ({ url, file }) => `  pg_dump --format=custom --file='${file}' --dbname='${withoutPassword(url)}'`,
  );
  const which =
    others.size > 0
      ? "the databases are PostgreSQL, with the directory and the cells, each to be backed up by itself"
      : "the database is PostgreSQL, which has its own tool for this";
  return `${which}:
${commands.join("\n")}
Keep ${listed(keys)} with it. After pg_restore run botyard ${others.size > 0 ? "cells check and " : ""}after-restore, before the first service starts.`;
}

/** The databases of cells, beside that of the directory, with the cell that is named first; none when it cannot be asked. */
async function databasesOfCells(database: SharedDatabase): Promise<Map<string, string>> {
  const { inspectStore } = await import("../../../open-store.js");
  const { listCellsOf } = await import("../../../inspect-cells.js");
  const found = new Map<string, string>();
  const inspection = await inspectStore({ database, dataDir: "" }).catch(() => undefined);
  try {
    for (const { entry, database: own } of inspection ? await listCellsOf(database, inspection) : [])
      if (own.url !== database.url && !found.has(own.url)) found.set(own.url, entry.name);
  } catch {
    // What cannot be asked is backed up as it is named.
  } finally {
    await inspection?.close();
  }
  return found;
}
