import type { BotRecord, OwnerClient } from "@botyard/sdk";
import type { Command } from "commander";
import {
  type ClientCommandOptions,
  clientCommand,
  createOwnerClient,
  credentialsOf,
  findChannel,
} from "../client.js";
import { printResult, type Row, say } from "../print.js";

/** `botyard bot`: the owner's bots. Commands take a bot by its username or id, a channel by its slug or id. */
export function addBot(program: Command): void {
  const bot = program.command("bot").description("create, list, attach, disable and enable your bots");

  clientCommand(bot, "create")
    .description("create a bot; its token is shown only this once")
    .requiredOption("--username <username>", "letters, digits, _ . - (unique in the service)")
    .option("--display-name <name>", "name for people")
    .option("--description <text>", "what it does")
    .addHelpText("after", '\nExample:\n  botyard bot create --username echo --display-name "Echo"')
    .action(create);

  clientCommand(bot, "list")
    .description("list your bots, oldest first")
    .addHelpText("after", "\nExample:\n  botyard bot list")
    .action(list);

  clientCommand(bot, "attach <bot> <channel>")
    .description("attach a bot to a channel: it may post there and receives what is posted")
    .addHelpText("after", "\nExample:\n  botyard bot attach echo news")
    .action(attach);

  clientCommand(bot, "disable <bot>")
    .description("refuse the bot's token and stop its deliveries; updates are still recorded")
    .addHelpText("after", "\nExample:\n  botyard bot disable echo")
    .action((name: string, options: ClientCommandOptions) => setDisabled("disable", name, options));

  clientCommand(bot, "enable <bot>")
    .description("enable a disabled bot")
    .addHelpText("after", "\nExample:\n  botyard bot enable echo")
    .action((name: string, options: ClientCommandOptions) => setDisabled("enable", name, options));
}

interface CreateOptions extends ClientCommandOptions {
  username: string;
  displayName?: string;
  description?: string;
}

async function create({ username, displayName, description, ...options }: CreateOptions): Promise<void> {
  const owner = await createOwnerClient(credentialsOf(options));
  const answer = await owner.createBot({
    username,
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(description === undefined ? {} : { description }),
  });
  printResult(answer, options.json, [
    { id: answer.bot.id, username: answer.bot.username, token: answer.token.token },
  ]);
  say("keep the token safe: it is not shown again");
}

async function list(options: ClientCommandOptions): Promise<void> {
  const owner = await createOwnerClient(credentialsOf(options));
  const { items } = await owner.listBots();
  printResult({ items }, options.json, items.map(row));
}

async function attach(botName: string, channelName: string, options: ClientCommandOptions): Promise<void> {
  const owner = await createOwnerClient(credentialsOf(options));
  const bot = await findBot(owner, botName);
  const channel = await findChannel(owner, channelName);
  const answer = await owner.attachBot(bot.id, channel.id);
  printResult(answer, options.json, [{ bot: bot.username, channel: channel.slug, role: answer.role }]);
}

async function setDisabled(
  verb: "disable" | "enable",
  name: string,
  options: ClientCommandOptions,
): Promise<void> {
  const owner = await createOwnerClient(credentialsOf(options));
  const { id } = await findBot(owner, name);
  const bot = await (verb === "disable" ? owner.disableBot(id) : owner.enableBot(id));
  printResult(bot, options.json, [row(bot)]);
}

/** @throws Error when the owner has no bot with this username or id */
async function findBot(owner: OwnerClient, usernameOrId: string): Promise<BotRecord> {
  const bot = await owner.findBot(usernameOrId);
  if (bot) return bot;
  throw new Error(`you have no bot "${usernameOrId}"; botyard bot list shows those you have`);
}

function row({ id, username, display_name, webhook_url, disabled_at, created_at }: BotRecord): Row {
  const state = disabled_at ? `disabled ${disabled_at}` : "enabled";
  return { id, username, name: display_name, state, webhook: webhook_url, created: created_at };
}
