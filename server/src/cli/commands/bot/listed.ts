import type { BotProfile } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { findAttachableBot } from "../../input/find.js";
import { printRecord, printResult } from "../../output/print.js";
import type { Row } from "../../output/table.js";

/** `botyard bot listed` and `profile`: the bots of all owners that every owner may attach. */
export function addListedBots(bot: Command): void {
  clientCommand(bot, "listed")
    .description("list the bots that every owner may attach, oldest first")
    .option("--search <text>", "only those with this text in the username, display name or description")
    .addHelpText("after", "\nExample:\n  botyard bot listed --search weather")
    .action(list);

  clientCommand(bot, "profile <bot>")
    .description("show what every owner may see of a bot, and which commands it offers")
    .addHelpText("after", "\nExample:\n  botyard bot profile weather_bot")
    .action(show);
}

async function list({ search, ...options }: ClientCommandOptions & { search?: string }): Promise<void> {
  const owner = await ownerOf(options);
  const items: BotProfile[] = [];
  for await (const bot of owner.listedBots({ q: search })) items.push(bot);
  printResult({ items }, options.json, items.map(row));
}

async function show(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const bot = await owner.getBotProfile((await findAttachableBot(owner, name)).id);
  printRecord(bot, options.json, {
    id: bot.id,
    username: bot.username,
    name: bot.display_name,
    description: bot.description,
    "you may attach it": bot.may_attach ? "yes" : "no",
    "in a channel of yours": bot.is_attached_by_you ? "yes" : "no",
    commands: bot.commands?.map((command) => `/${command.name}`).join(", "),
  });
}

function row({ id, username, display_name: name, description, is_attached_by_you: isHere }: BotProfile): Row {
  return { id, username, name, description, "in a channel of yours": isHere ? "yes" : "" };
}
