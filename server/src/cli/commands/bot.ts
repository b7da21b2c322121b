import type { Command } from "commander";
import { type ApiOptions, apiCommand, connect } from "../api.js";
import { type Bot, findBot, findChannel, listBots, listChannels } from "../find.js";
import { printResult, type Row, say } from "../print.js";

/** `botyard bot`: the owner's bots. A bot is named by its username or id, a channel by its slug or id. */
export function addBot(program: Command): void {
  const bot = program.command("bot").description("create, list, attach, disable and enable your bots");

  apiCommand(bot, "create")
    .description("create a bot; its token is shown this once")
    .requiredOption("--username <username>", "letters, digits, _ . - (unique in the service)")
    .option("--display-name <name>", "name for people")
    .option("--description <text>", "what it does")
    .addHelpText("after", '\nExample:\n  botyard bot create --username echo --display-name "Echo"')
    .action(create);

  apiCommand(bot, "list")
    .description("list your bots, oldest first")
    .addHelpText("after", "\nExample:\n  botyard bot list")
    .action(list);

  apiCommand(bot, "attach <bot> <channel>")
    .description("attach a bot to a channel: it may post there and receives what is posted")
    .addHelpText("after", "\nExample:\n  botyard bot attach echo news")
    .action(attach);

  apiCommand(bot, "disable <bot>")
    .description("refuse the bot's token and pause its webhook; updates keep being recorded")
    .addHelpText("after", "\nExample:\n  botyard bot disable echo")
    .action((name: string, options: ApiOptions) => setDisabled("disable", name, options));

  apiCommand(bot, "enable <bot>")
    .description("let a disabled bot work again")
    .addHelpText("after", "\nExample:\n  botyard bot enable echo")
    .action((name: string, options: ApiOptions) => setDisabled("enable", name, options));
}

interface CreateOptions extends ApiOptions {
  username: string;
  displayName?: string;
  description?: string;
}

async function create({ username, displayName, description, ...options }: CreateOptions): Promise<void> {
  const body = { username, display_name: displayName, description };
  const answer = await connect(options).request<{ bot: Bot; token: { token: string } }>(
    "POST",
    "/v1/bot-api/bots",
    body,
  );
  printResult(answer, options.json, [
    { id: answer.bot.id, username: answer.bot.username, token: answer.token.token },
  ]);
  say("keep the token safe: it is not shown again");
}

async function list(options: ApiOptions): Promise<void> {
  const items = await listBots(connect(options));
  printResult({ items }, options.json, items.map(row));
}

async function attach(botName: string, channelName: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const bot = await findBot(api, botName);
  const channel = findChannel(await listChannels(api), channelName);
  const path = `/v1/bot-api/bots/${bot.id}/channels/${channel.id}`;
  const answer = await api.request<{ role: string }>("POST", path);
  printResult(answer, options.json, [{ bot: bot.username, channel: channel.slug, role: answer.role }]);
}

async function setDisabled(verb: "disable" | "enable", name: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const { id } = await findBot(api, name);
  const bot = await api.request<Bot>("POST", `/v1/bot-api/bots/${id}/${verb}`);
  printResult(bot, options.json, [row(bot)]);
}

function row({ id, username, display_name, webhook_url, disabled_at, created_at }: Bot): Row {
  const state = disabled_at ? `disabled ${disabled_at}` : "enabled";
  return { id, username, name: display_name, state, webhook: webhook_url, created: created_at };
}
