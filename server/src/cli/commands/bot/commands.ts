import type { BotCommand, ChannelCommands } from "@botyard/sdk";
import type { Command } from "commander";
import {
  type ClientCommandOptions,
  clientCommand,
  createBotClient,
  credentialsOf,
  ownerOf,
} from "../../client.js";
import { findChannel } from "../../input/find.js";
import { commandsOf } from "../../input/json.js";
import { textOf } from "../../input/values.js";
import { printResult } from "../../output/print.js";
import type { Row } from "../../output/table.js";

/** `botyard bot commands`: what a bot offers in its channels. */
export function addCommands(bot: Command): void {
  const commands = bot.command("commands").description("say which commands a bot offers, with its token");

  clientCommand(commands, "show")
    .description("show the commands that the bot of the token offers")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=bot_… botyard bot commands show")
    .action(show);

  clientCommand(commands, "set <json>")
    .description("set them, as a JSON array in place of those before; - reads it from stdin, [] removes them")
    .addHelpText(
      "after",
      `
Example:
  BOTYARD_TOKEN=bot_… botyard bot commands set '[{"name": "weather", "description": "Tell the weather"}]'`,
    )
    .action(set);
}

/** `botyard channel commands` */
export function addChannelCommands(channel: Command): void {
  clientCommand(channel, "commands <channel>")
    .description("list the commands that bots offer in a channel")
    .addHelpText("after", "\nExample:\n  botyard channel commands news")
    .action(list);
}

async function show(options: ClientCommandOptions): Promise<void> {
  const bot = await createBotClient(credentialsOf(options));
  const answer = await bot.getMyCommands();
  printResult(answer, options.json, answer.items.map(rowOf));
}

async function set(json: string, options: ClientCommandOptions): Promise<void> {
  const commands = commandsOf(await textOf(json)) as unknown as BotCommand[];
  const bot = await createBotClient(credentialsOf(options));
  const answer = await bot.putMyCommands(commands);
  printResult(answer, options.json, answer.items.map(rowOf));
}

async function list(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const answer = await owner.listChannelCommands((await findChannel(owner, name)).id);
  const rows = answer.items.flatMap((bot: ChannelCommands) =>
    bot.commands.map((command) => ({ bot: bot.username, ...rowOf(command) })),
  );
  printResult(answer, options.json, rows);
}

function rowOf({ name, description, options = [] }: BotCommand): Row {
  const given = options.map((option) => (option.required ? `<${option.name}>` : `[${option.name}]`));
  return { command: [`/${name}`, ...given].join(" "), description };
}
