import { Argument, type Command } from "commander";
import { loadConfig } from "../../../config.js";
import { say } from "../../output/print.js";
import { openOwnStore, refuseMissingDatabase } from "../../stores/own-store.js";

/** `botyard deliveries`: whether services that start on this database send to webhooks. */
export function addDeliveries(program: Command): void {
  program
    .command("deliveries")
    .description("switch webhook deliveries on or off in the database, for services that start on it")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .addHelpText(
      "after",
      `
Off: services record and can be polled, and send nothing to webhooks. For a drill on a copy of a database: switch them off
after pg_restore, before the first service starts. It stays in the database, and in its backups and copies, until they are
switched on. botyard restore has --no-deliveries for this. To switch off a single instance, set DELIVERIES=off.

On the SQLite database of DATA_DIR no service may be running. Services that run on DATABASE_URL go on as they are until
they are started anew.

Example:
  botyard deliveries off && botyard serve`,
    )
    .action(switchDeliveries);
}

async function switchDeliveries(state: "on" | "off"): Promise<void> {
  const config = loadConfig();
  refuseMissingDatabase(config);
  const store = await openOwnStore(config);
  try {
    await store.switchDeliveries(state === "on");
  } finally {
    await store.close();
  }
  const from = config.database ? "Services that are started from now on" : "The service";
  say(
    state === "on"
      ? `${from} will send to webhooks, beginning with what was recorded meanwhile.`
      : `${from} will send nothing to webhooks, until botyard deliveries on.`,
  );
}
