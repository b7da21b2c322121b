import type { BotOverview } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { printResult } from "../print.js";
import type { Row } from "../table.js";

/** `botyard overview`: all bots of the owner, and what keeps each from receiving. */
export function addOverview(program: Command): void {
  clientCommand(program, "overview")
    .description("list your bots with the state of their delivery")
    .addHelpText("after", "\nExample:\n  botyard overview")
    .action(overview);
}

async function overview(options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { items } = await owner.overview();
  printResult({ items }, options.json, items.map(row));
}

function row(item: BotOverview): Row {
  return {
    username: item.bot.username,
    health: item.health.replaceAll("_", " "),
    "failing since": item.failing_since,
    channels: item.attached_channel_count,
    "delivered in 1 h": item.delivered.reduce((sum, count) => sum + count, 0),
    pending: item.pending_updates,
    retries: item.scheduled_retries,
    failed: item.terminal_failed_updates,
    "oldest pending": item.oldest_pending_at,
  };
}
