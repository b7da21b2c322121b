import type { Command } from "commander";
import { ownerOf } from "../../client.js";
import { findBot } from "../../input/find.js";
import { integerOf } from "../../input/values.js";
import { printRecord } from "../../output/print.js";
import { type NamedWebhookOptions, namedBy, webhookCommand } from "./named.js";

/** `botyard webhook skip`: gives up an update that its receiver cannot handle. */
export function addSkip(webhook: Command): void {
  webhookCommand(webhook, "skip <bot> <update>")
    .description("give up an update that waits to be sent: it has failed for good")
    .addHelpText(
      "after",
      `
All other updates are sent as before. botyard webhook replay sends it after all.

Example:
  botyard webhook skip echo 42`,
    )
    .action(skip);
}

async function skip(name: string, update: string, options: NamedWebhookOptions): Promise<void> {
  const updateId = integerOf("<update>", update, 1);
  const owner = await ownerOf(options);
  const skipped = await owner.skipUpdate((await findBot(owner, name)).id, updateId, namedBy(options));
  const { update_id, state, webhook_attempt_count, last_delivery_error } = skipped;
  printRecord(skipped, options.json, { update_id, state, webhook_attempt_count, last_delivery_error });
}
