import type { Command } from "commander";
import { loadConfig } from "../../../config.js";
import { howToPutBack, missingKeys, openSecretKeys } from "../../../open-keys.js";
import { type ResealProgress, resealSecrets } from "../../../operations/webhooks/reseal-secrets.js";
import { printResult, say } from "../../output/print.js";
import { sayEverySecond } from "../../output/progress.js";
import { openOwnStore } from "../../stores/own-store.js";

/** `botyard rekey`: seals all webhook secrets with the first key of SECRET_KEY. */
export function addRekey(program: Command): void {
  program
    .command("rekey")
    .description("encrypt every webhook secret with the first key of SECRET_KEY")
    .option("--json", "print the counts as JSON")
    .addHelpText(
      "after",
      `
To change the key: put the new key first in SECRET_KEY and keep the old one after it, separated by a comma; restart all
services with that; run this command with the same setting; then remove the old key.

With DATABASE_URL it may run beside services; on the SQLite database of DATA_DIR no service may be running. If it is
interrupted, run it again. It exits with 1 when a secret cannot be opened with any of the keys: that one is left unchanged.

Example:
  SECRET_KEY="$NEW_KEY,$OLD_KEY" botyard rekey`,
    )
    .action(rekey);
}

async function rekey({ json }: { json?: boolean }): Promise<void> {
  const config = loadConfig();
  const store = await openOwnStore(config);
  let done: ResealProgress;
  let missing: string[];
  try {
    const secretBox = await openSecretKeys(config, store);
    missing = await missingKeys(store, secretBox);
    done = await resealSecrets(store, secretBox, sayProgress());
  } finally {
    await store.close();
  }
  const { bots, resealed, current, failures } = done;
  const counts = { bots, resealed, already_sealed_with_it: current, failed: failures.length };
  printResult({ ...counts, failures }, json, [
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
  ]);
  if (missing.length > 0) say(howToPutBack(missing, config));
  for (const failure of failures) say(failure);
  if (failures.length > 0) throw new Error(`${failures.length} secrets are still sealed with another key`);
  say("Every webhook secret is sealed with the first key: the other keys are no longer needed.");
}

function sayProgress(): (progress: ResealProgress) => void {
  return sayEverySecond(
    ({ bots, resealed }) =>
      `${bots.toLocaleString("en-US")} bots checked, ${resealed.toLocaleString("en-US")} secrets resealed`,
  );
}
