import type { BotRecord } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { VISIBILITIES, type Visibility } from "../../domain/bots/listing.js";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { UsageError } from "../errors.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../input/confirm.js";
import { findBot } from "../input/find.js";
import { CHANGED_METADATA, METADATA, metadataField } from "../input/json.js";
import { printRecord, printResult, say } from "../output/print.js";
import type { Row } from "../output/table.js";
import { addBotChannels } from "./bot/channels.js";
import { addCommands } from "./bot/commands.js";
import { addListedBots } from "./bot/listed.js";
import { addBotReports } from "./bot/reports.js";
import { addSubscription } from "./bot/subscription.js";
import { addBotEmit } from "./emit.js";

/** `botyard bot`: the owner's bots. Commands take a bot by its username or id, a channel by its slug or id. */
export function addBot(program: Command): void {
  const bot = program.command("bot").description("create, change, watch and delete your bots");

  clientCommand(bot, "create")
    .description("create a bot; its token is shown only this once")
    .requiredOption("--username <username>", "letters, digits, _ . - (unique in the service)")
    .option("--display-name <name>", "name for people")
    .option("--description <text>", "what it does")
    .option("--metadata <json>", METADATA)
    .addOption(visibilityOption())
    .addHelpText("after", '\nExample:\n  botyard bot create --username echo --display-name "Echo"')
    .action(create);

  clientCommand(bot, "list")
    .description("list your bots, oldest first")
    .addHelpText("after", "\nExample:\n  botyard bot list")
    .action(list);

  clientCommand(bot, "show <bot>")
    .description("show a bot")
    .addHelpText("after", "\nExample:\n  botyard bot show echo")
    .action(show);

  clientCommand(bot, "edit <bot>")
    .description("change a bot's display name, description, metadata or visibility")
    .option("--display-name <name>", "name for people")
    .option("--description <text>", "what it does")
    .option("--metadata <json>", CHANGED_METADATA)
    .addOption(visibilityOption())
    .addHelpText("after", '\nExample:\n  botyard bot edit echo --description "Repeats what you say"')
    .action(edit);

  addListedBots(bot);
  addBotChannels(bot);
  addSubscription(bot);
  addCommands(bot);
  addBotEmit(bot);
  addBotReports(bot);

  clientCommand(bot, "disable <bot>")
    .description("refuse the bot's token and stop its deliveries; updates are still recorded")
    .addHelpText("after", "\nExample:\n  botyard bot disable echo")
    .action((name: string, options: ClientCommandOptions) => setDisabled("disable", name, options));

  clientCommand(bot, "enable <bot>")
    .description("enable a disabled bot")
    .addHelpText("after", "\nExample:\n  botyard bot enable echo")
    .action((name: string, options: ClientCommandOptions) => setDisabled("enable", name, options));

  confirmedCommand(clientCommand(bot, "rotate-token <bot>"))
    .description("give a bot a new token, shown only this once; the old one is refused from then on")
    .addHelpText("after", "\nExample:\n  botyard bot rotate-token echo")
    .action(rotateToken);

  confirmedCommand(clientCommand(bot, "delete <bot>"))
    .description("delete a bot with its token and updates; its posts stay")
    .addHelpText("after", "\nExample:\n  botyard bot delete echo --yes")
    .action(remove);
}

function visibilityOption(): Option {
  const option = new Option(
    "--visibility <who>",
    "who may attach it to their channels: private (you) or listed (every owner)",
  );
  return option.choices(VISIBILITIES);
}

interface EditOptions extends ClientCommandOptions {
  displayName?: string;
  description?: string;
  metadata?: string;
  visibility?: Visibility;
}

async function create({ username, ...options }: EditOptions & { username: string }): Promise<void> {
  const fields = { username, ...fieldsOf(options) };
  const owner = await ownerOf(options);
  const answer = await owner.createBot(fields);
  printResult(answer, options.json, [
    { id: answer.bot.id, username: answer.bot.username, token: answer.token.token },
  ]);
  say("keep the token safe: it is not shown again");
}

async function list(options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { items } = await owner.listBots();
  printResult({ items }, options.json, items.map(row));
}

async function show(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  print(await findBot(owner, name), options);
}

async function edit(name: string, options: EditOptions): Promise<void> {
  const changes = fieldsOf(options);
  if (Object.keys(changes).length === 0)
    throw new UsageError("say what to change: --display-name, --description, --metadata or --visibility");
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  print(await owner.editBot(id, changes), options);
}

async function setDisabled(
  verb: "disable" | "enable",
  name: string,
  options: ClientCommandOptions,
): Promise<void> {
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  const bot = await (verb === "disable" ? owner.disableBot(id) : owner.enableBot(id));
  printResult(bot, options.json, [row(bot)]);
}

async function rotateToken(name: string, options: ClientCommandOptions & ConfirmOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  await confirm(`replace the token of the bot ${username}, and refuse the old one`, options);
  const answer = await owner.rotateBotToken(id);
  printResult(answer, options.json, [{ id, username, token: answer.token }]);
  say("keep the token safe: it is not shown again");
}

async function remove(name: string, options: ClientCommandOptions & ConfirmOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  await confirm(`delete the bot ${username} with its token and updates`, options);
  const answer = await owner.deleteBot(id);
  printResult(answer, options.json, [{ id, username, status: answer.status }]);
}

function fieldsOf({ displayName, description, metadata, visibility }: EditOptions) {
  return {
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(description === undefined ? {} : { description }),
    ...metadataField(metadata),
    ...(visibility === undefined ? {} : { visibility }),
  };
}

function print(bot: BotRecord, { json }: ClientCommandOptions): void {
  printRecord(bot, json, {
    id: bot.id,
    username: bot.username,
    name: bot.display_name,
    description: bot.description,
    state: stateOf(bot),
    visibility: bot.visibility,
    review: bot.review && [bot.review.status, bot.review.note].filter(Boolean).join(": "),
    webhook: bot.webhook_url ?? "none",
    created: bot.created_at,
    updated: bot.updated_at,
  });
}

function row(bot: BotRecord): Row {
  const { id, username, display_name, webhook_url, created_at } = bot;
  return { id, username, name: display_name, state: stateOf(bot), webhook: webhook_url, created: created_at };
}

function stateOf({ disabled_at, disabled_by }: BotRecord): string {
  if (!disabled_at) return "enabled";
  return disabled_by === "platform" ? `disabled ${disabled_at} by the platform` : `disabled ${disabled_at}`;
}
