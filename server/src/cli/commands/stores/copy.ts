import type { Command } from "commander";
import { SCHEMA_NAME, variableRules } from "../../../config/schema.js";
import { loadConfig, loadDatabaseSchema } from "../../../config.js";
import { makeDataDir } from "../../../process/data-dir.js";
import type { CopySummary } from "../../../store/copy/copy.js";
import type { Location } from "../../../store/copy/open.js";
import type { SecretBoxes } from "../../../store/copy/secrets.js";
import { StoreUnavailable } from "../../../store/store.js";
import { abortedBySignals } from "../../abort.js";
import { NotReachable, UsageError } from "../../errors.js";
import { printResult, say } from "../../output/print.js";
import { copyKeys, type KeyOptions } from "../../stores/copy-keys.js";
import { parseLocation } from "../../stores/copy-locations.js";
import { sayProgress } from "../../stores/copy-progress.js";
import { sayMigration } from "../../stores/own-store.js";

interface CommandOptions extends KeyOptions {
  from: string;
  to?: string;
  fromSchema?: string;
  toSchema?: string;
  json?: boolean;
}

/** `botyard copy`: copies everything from one store to another, such as from SQLite to PostgreSQL. */
export function addCopy(program: Command): void {
  program
    .command("copy")
    .description(
      "copy everything into an empty store of the other engine; no service may be running on either",
    )
    .requiredOption("--from <store>", "sqlite:<folder> or postgres://user@host/database")
    .option("--to <store>", "the same; else DATABASE_URL")
    .option("--from-schema <name>", "schema of a PostgreSQL source (else where its search_path leads)")
    .option("--to-schema <name>", "schema of a PostgreSQL target (else DATABASE_SCHEMA)")
    .option(
      "--from-key-file <file>",
      "key that opens the source's webhook secrets (else SOURCE_SECRET_KEY, …)",
    )
    .option("--to-key-file <file>", "key that seals them in the target (else SECRET_KEY, …)")
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      `
Copies bots with their tokens and webhooks, channels, posts, logs with all delivery states, counters and lanes. At the
end rows are counted and compared by checksum. If it is interrupted, run the same command again: it continues where it
stopped, and until it is done no service starts on the target.

Keys: the source's secrets are opened with secret.key of its folder, or SECRET_KEY; the target's are sealed with
SECRET_KEY, or else with secret.key of its folder, or else with the same key as before, which a folder then gets as
secret.key. At the end it prints the settings that the services then need.
A password need not be in the command: PGPASSWORD, ~/.pgpass and DATABASE_URL_FILE work.

Examples:
  botyard copy --from sqlite:./data --to postgres://botyard@db.example.com/botyard
  DATABASE_URL_FILE=/run/secrets/database-url botyard copy --from sqlite:./data
  botyard copy --from postgres://botyard@db.example.com/botyard --to sqlite:./data`,
    )
    .action(copy);
}

async function copy(options: CommandOptions): Promise<void> {
  const config = loadConfig();
  const from = parseLocation("--from", options.from, schemaOf("--from-schema", options.fromSchema));
  const to = parseLocation(
    "--to",
    options.to ?? config.database?.url ?? "",
    schemaOf("--to-schema", options.toSchema) ?? loadDatabaseSchema(),
  );
  if (to.engine === "sqlite") {
    if (from.engine === "sqlite" && from.dataDir === to.dataDir)
      throw new UsageError("--from and --to are the same");
    makeDataDir(to.dataDir, "database");
  }
  const { startWith, putKey, ...secrets } = copyKeys(config, options, from, to);
  if (to.engine === "postgres" && to.schema !== undefined) startWith.push(`DATABASE_SCHEMA=${to.schema}`);
  // Not before: an attempt with a wrong key must not leave that one in the folder.
  let keyFile: string | undefined;
  const beforeEnd = () => {
    keyFile = putKey();
  };
  const { tables, ...copied } = await copyBetween(from, to, secrets, beforeEnd);

  const result = { ...copied, tables, start_with: startWith };
  const rows = tables.map(({ table, rows, sum }) => ({ table, rows: String(rows), checksum: sum }));
  printResult(result, options.json, rows);
  say(`${copied.to} now holds the same as ${copied.from}, row by row.`);
  if (keyFile !== undefined) say(`${keyFile} holds the key of webhook secrets, the same as before.`);
  if (startWith.length > 0) say(`Services on it must be started with:\n  ${startWith.join("\n  ")}`);
}

/** @throws UsageError when it cannot be the name of a schema */
function schemaOf(option: string, name: string | undefined): string | undefined {
  if (name === undefined || SCHEMA_NAME.test(name)) return name;
  throw new UsageError(
    `${option} must be ${variableRules.DATABASE_SCHEMA.expects}, not ${JSON.stringify(name)}`,
  );
}

type Copied = CopySummary & { from: string; to: string };

async function copyBetween(
  from: Location,
  to: Location,
  secrets: SecretBoxes,
  beforeEnd: () => void,
): Promise<Copied> {
  // Loaded here, because the other commands don't need the store and start faster without it.
  const { copyStore } = await import("../../../store/copy/copy.js");
  const { openSource, openTarget } = await import("../../../store/copy/open.js");
  const source = await openSource(from, sayMigration).catch(notReachable);
  try {
    const target = await openTarget(to).catch(notReachable);
    try {
      say(`copying ${source.name} to ${target.name}`);
      const onProgress = sayProgress();
      const summary = await abortedBySignals((signal) =>
        copyStore({ from: source, to: target, secrets, onProgress, beforeEnd, signal }),
      );
      return { from: source.name, to: target.name, ...summary };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function notReachable(error: unknown): never {
  if (error instanceof StoreUnavailable) throw new NotReachable(error.message, { cause: error });
  throw error;
}
