import type { Command } from "commander";
import { ownerOf } from "../../client.js";
import { findBot } from "../../input/find.js";
import { printRecord, say } from "../../output/print.js";
import { type NamedWebhookOptions, namedBy, webhookCommand } from "./named.js";
import { KEEP_SECRET } from "./secret-options.js";

interface RotateOptions extends NamedWebhookOptions {
  overlap?: string;
}

/** `botyard webhook secret`: replaces the secret token of a webhook. */
export function addSecret(webhook: Command): void {
  webhookCommand(webhook, "secret <bot>")
    .description("sign with a new secret, and show it; the one before signs too for a while")
    .option("--overlap <duration>", "for how long, up to 24h (default: 24h)")
    .addHelpText(
      "after",
      `
Give the receiver the new secret beside the one before, and it loses nothing. Setting the webhook with the new one ends the overlap at once.

Example:
  botyard webhook secret echo --overlap 1h`,
    )
    .action(rotate);
}

async function rotate(name: string, { overlap, ...options }: RotateOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const rotated = await owner.rotateWebhookSecret(id, {
    ...(overlap !== undefined && { overlap }),
    ...namedBy(options),
  });
  printRecord(rotated, options.json, { bot: username, ...rotated });
  say(KEEP_SECRET);
}
