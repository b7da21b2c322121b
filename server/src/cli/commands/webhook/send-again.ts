import type { Command } from "commander";
import { ownerOf } from "../../client.js";
import { findBot } from "../../input/find.js";
import { integerOf } from "../../input/values.js";
import { printAnswer } from "./answer.js";
import { type NamedWebhookOptions, namedBy, webhookCommand } from "./named.js";

/** `botyard webhook send-again`: sends a delivered update once more. */
export function addSendAgain(webhook: Command): void {
  webhookCommand(webhook, "send-again <bot> <update>")
    .description("send a delivered update once more, at once, and show what the receiver answered")
    .addHelpText(
      "after",
      `
The update stays delivered whatever comes of it; the exit code is 1 when the receiver refuses. A receiver that remembers
what it has handled, as the SDK's does, accepts it and does nothing more.

Example:
  botyard webhook send-again echo 42`,
    )
    .action(sendAgain);
}

async function sendAgain(name: string, update: string, options: NamedWebhookOptions): Promise<void> {
  const updateId = integerOf("<update>", update, 1);
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  const answer = await owner.sendUpdateAgain(id, updateId, namedBy(options));
  printAnswer(answer, options.json);
  if (!answer.delivered) throw new Error(`the receiver did not accept the update: ${answer.error}`);
}
