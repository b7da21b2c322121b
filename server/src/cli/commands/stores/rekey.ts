import type { Command } from "commander";
import { loadConfig } from "../../../config.js";
import { howToPutBack, missingKeys, openSecretKeys } from "../../../open-keys.js";
import { forgetSecrets } from "../../../operations/webhooks/forget-secrets.js";
import { type ResealProgress, resealSecrets } from "../../../operations/webhooks/reseal-secrets.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../../input/confirm.js";
import { printResult, say } from "../../output/print.js";
import { sayEverySecond } from "../../output/progress.js";
import { openOwnStore, refuseMissingDatabase } from "../../stores/own-store.js";

/** `botyard rekey`: seals all webhook secrets with the first key of SECRET_KEY. */
export function addRekey(program: Command): void {
  confirmedCommand(program.command("rekey"))
    .description("encrypt every webhook secret with the first key of SECRET_KEY")
    .option("--forget", "remove secrets that no key opens, because it is lost, and pause their webhooks")
    .option("--json", "print the counts as JSON")
    .addHelpText(
      "after",
      `
To change the key: put the new key first in SECRET_KEY and keep the old one after it, separated by a comma; restart all
services with that; run this command with the same setting; then remove the old key.

With DATABASE_URL it may run beside services; on the SQLite database of DATA_DIR no service may be running. If it is
interrupted, run it again. It exits with 1 when a secret cannot be opened with any of the keys: that one is left unchanged.

If a key is lost: set SECRET_KEY to a new one, or let secret.key be made anew, and run it with --forget. It removes the
secrets that cannot be opened and pauses their webhooks. Their owners set a secret again and resume.

Examples:
  SECRET_KEY="$NEW_KEY,$OLD_KEY" botyard rekey
  SECRET_KEY="$NEW_KEY" botyard rekey --forget`,
    )
    .action(rekey);
}

interface CommandOptions extends ConfirmOptions {
  forget?: boolean;
  json?: boolean;
}

async function rekey({ forget = false, json, yes }: CommandOptions): Promise<void> {
  const config = loadConfig();
  refuseMissingDatabase(config);
  if (forget) await confirm("remove every webhook secret that the configured keys do not open", { yes });
  const store = await openOwnStore(config);
  let done: ResealProgress;
  let missing: string[];
  let forgotten: string[] = [];
  try {
    const secretBox = await openSecretKeys(config, store, forget);
    if (forget) forgotten = await forgetSecrets(store, secretBox);
    missing = await missingKeys(store, secretBox);
    done = await resealSecrets(store, secretBox, sayProgress());
  } finally {
    await store.close();
  }
  const { bots, resealed, current, failures } = done;
  const counts = { bots, resealed, already_sealed_with_it: current, failed: failures.length };
  printResult({ ...counts, failures, ...(forget && { forgotten }) }, json, [
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
  ]);
  if (forget)
    say(`${forgotten.length} secrets were removed and their webhooks paused: set them again, then resume.`);
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
