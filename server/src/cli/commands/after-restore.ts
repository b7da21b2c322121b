import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { loadConfig } from "../../config.js";
import { DEFAULT_PASSED_OVER_NUMBERS, MAX_PASSED_OVER_NUMBERS } from "../../domain/limits.js";
import { passOverNumbers } from "../../operations/pass-over-numbers.js";
import { UsageError } from "../errors.js";
import { openOwnStore } from "../own-store.js";
import { printResult, say } from "../print.js";

/** A line about progress at most this often. */
const INTERVAL_MS = 1000;

interface CommandOptions {
  skip: string;
  json?: boolean;
}

/** `botyard after-restore`: lets no log give out a number again that it gave out before its data was lost. */
export function addAfterRestore(program: Command): void {
  program
    .command("after-restore")
    .description(
      "after a restored backup or a fail-over that lost data: move every log on to numbers never given out",
    )
    .option(
      "--skip <numbers>",
      "how many numbers every log passes over: more than any bot can have had since",
      String(DEFAULT_PASSED_OVER_NUMBERS),
    )
    .option("--json", "print the counts as JSON")
    .addHelpText(
      "after",
      `
A database that was put back to an earlier moment would give out the numbers of updates since then once more: bots that
poll from beyond them would miss what is new, and receivers would take it for something they have had. Run this once
after every such loss, before the first service starts on the database.

On the SQLite database of DATA_DIR no service may be running. With DATABASE_URL it may run beside services, in small
steps; but what they have given out meanwhile was given out twice. Interrupted, run it again: logs that were moved
already are moved once more, which does no harm. Statistics count no number that was passed over.

Example:
  botyard after-restore && botyard serve`,
    )
    .action(afterRestore);
}

async function afterRestore({ skip, json }: CommandOptions): Promise<void> {
  const count = toCount(skip);
  const config = loadConfig();
  // A new database would be made in a folder that was named by mistake, and all seem well.
  if (!config.database && !existsSync(join(config.dataDir, "botyard.db")))
    throw new Error(`there is no botyard.db in ${config.dataDir}: set DATA_DIR to the folder of the service`);
  const store = await openOwnStore(config);
  let logs: number;
  try {
    logs = await passOverNumbers(store, count, sayProgress());
  } finally {
    await store.close();
  }
  printResult({ logs, skipped: count }, json, [{ logs: String(logs), skipped: String(count) }]);
  say(
    logs === 0
      ? "There is no log in this database, and nothing was moved: is it the right one?"
      : `Every log goes on ${count.toLocaleString("en-US")} numbers further. Services may be started.`,
  );
}

/** @throws UsageError when it is no number, or one that cannot be meant */
function toCount(text: string): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_PASSED_OVER_NUMBERS) return count;
  throw new UsageError(
    `--skip must be an integer from 1 to ${MAX_PASSED_OVER_NUMBERS}, not ${JSON.stringify(text)}`,
  );
}

function sayProgress(): (logs: number) => void {
  let saidAt = performance.now();
  return (logs) => {
    if (performance.now() - saidAt < INTERVAL_MS) return;
    saidAt = performance.now();
    say(`${logs.toLocaleString("en-US")} logs moved`);
  };
}
