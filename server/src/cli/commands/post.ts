import type { Command } from "commander";
import { looksLikeBotToken } from "../../domain/tokens.js";
import {
  type ClientCommandOptions,
  type Credentials,
  clientCommand,
  createBotClient,
  createOwnerClient,
  credentialsOf,
  findChannel,
} from "../client.js";
import { printResult } from "../print.js";

interface PostOptions extends ClientCommandOptions {
  channel: string;
  body: string;
}

/** `botyard post`: publishes as the bot or the owner that the token belongs to. */
export function addPost(program: Command): void {
  clientCommand(program, "post")
    .description("publish a post, as the bot or the owner the token belongs to")
    .requiredOption("--channel <channel>", "slug or id of the channel")
    .requiredOption("--body <text>", "text of the post, up to 4096 characters")
    .addHelpText(
      "after",
      `
Examples:
  botyard post --channel news --body "Doors open at seven"
  BOTYARD_TOKEN=bot_… botyard post --channel news --body "A post by the bot"`,
    )
    .action(post);
}

async function post({ channel: name, body, ...options }: PostOptions): Promise<void> {
  const credentials = credentialsOf(options);
  const { answer, channel } = await (looksLikeBotToken(credentials.token)
    ? postAsBot(credentials, name, body)
    : postAsOwner(credentials, name, body));
  const row = {
    id: answer.id,
    channel: channel.slug,
    author: answer.author_username,
    created: answer.created_at,
  };
  printResult(answer, options.json, [row]);
}

async function postAsBot(credentials: Credentials, name: string, body: string) {
  const bot = await createBotClient(credentials);
  const channel = await findChannel(bot, name);
  return { channel, answer: await bot.createBotPost(channel.id, { body }) };
}

async function postAsOwner(credentials: Credentials, name: string, body: string) {
  const owner = await createOwnerClient(credentials);
  const channel = await findChannel(owner, name);
  return { channel, answer: await owner.createChannelPost(channel.id, { body }) };
}
