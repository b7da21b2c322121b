import type { Command } from "commander";
import { loadConfig } from "../../../config.js";
import { DEFAULT_SKIPPED_NUMBERS } from "../../../domain/limits.js";
import { skipUpdateIds } from "../../../operations/logs/skip-update-ids.js";
import { printResult, say } from "../../output/print.js";
import { sayMovedLogs, skippedNumbers } from "../../skip-option.js";
import { openOwnStore, refuseMissingDatabase } from "../../stores/own-store.js";

interface CommandOptions {
  skip: string;
  json?: boolean;
}

/** `botyard after-restore`: after a loss of data, keeps every log from giving out a number a second time. */
export function addAfterRestore(program: Command): void {
  program
    .command("after-restore")
    .description("after a restored backup or a fail-over that lost data: move every log on to unused numbers")
    .option(
      "--skip <numbers>",
      "how many numbers every log skips: more than any bot can have received since",
      String(DEFAULT_SKIPPED_NUMBERS),
    )
    .option("--json", "print the counts as JSON")
    .addHelpText(
      "after",
      `
A database that was restored to an earlier moment gives out the numbers of later updates a second time: bots that poll
with a higher offset miss the new updates, and receivers take them for repeated ones. Run this once after every such
loss, before the first service starts on the database.

On the SQLite database of DATA_DIR no service may be running. With DATABASE_URL it may run beside services, in small
steps; but numbers that they have given out meanwhile were given out twice. If it is interrupted, run it again: logs that
were moved already are moved once more, which does no harm. Statistics do not count numbers that were skipped.

Example:
  botyard after-restore && botyard serve`,
    )
    .action(afterRestore);
}

async function afterRestore({ skip, json }: CommandOptions): Promise<void> {
  const count = skippedNumbers(skip, 1);
  const config = loadConfig();
  refuseMissingDatabase(config);
  const store = await openOwnStore(config);
  let logs: number;
  try {
    logs = await skipUpdateIds(store, count, sayMovedLogs());
  } finally {
    await store.close();
  }
  printResult({ logs, skipped: count }, json, [{ logs: String(logs), skipped: String(count) }]);
  say(
    logs === 0
      ? "There is no log in this database, so nothing was moved: is it the right one?"
      : `Every log was moved on by ${count.toLocaleString("en-US")} numbers. Services may be started.`,
  );
}
