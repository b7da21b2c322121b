import type { BotOverview } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { findBot } from "../../input/find.js";
import { printResult } from "../../output/print.js";
import type { Row } from "../../output/table.js";

/** `botyard overview`: all bots of the owner, and what keeps each from receiving. */
export function addOverview(program: Command): void {
  clientCommand(program, "overview [bot]")
    .description("list your bots with the state of their delivery, or show that of one")
    .addHelpText("after", "\nExample:\n  botyard overview")
    .action(overview);
}

async function overview(name: string | undefined, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const items =
    name === undefined
      ? (await owner.overview()).items
      : [await owner.getBotOverview((await findBot(owner, name)).id)];
  printResult({ items }, options.json, items.map(row));
}

function row(item: BotOverview): Row {
  return {
    username: item.bot.username,
    state: item.state.name.replaceAll("_", " "),
    since: item.state.since,
    error: item.state.error,
    channels: item.attached_channel_count,
    "delivered in 1 h": item.delivered.reduce((sum, count) => sum + count, 0),
    pending: item.pending_updates,
    retries: item.scheduled_retries,
    failed: item.terminal_failed_updates,
    "oldest pending": item.oldest_pending_at,
  };
}
