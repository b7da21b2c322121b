import type { CreateChannelPostRequest } from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../../domain/tokens.js";
import {
  type ClientCommandOptions,
  type Credentials,
  clientCommand,
  createBotClient,
  createOwnerClient,
  credentialsOf,
} from "../client.js";
import { UsageError } from "../errors.js";
import { findChannel } from "../input/find.js";
import { textOf } from "../input/values.js";
import { printResult } from "../print.js";

interface PostOptions extends ClientCommandOptions {
  channel: string;
  body: string;
  media?: string;
}

/** `botyard post`: publishes as the bot or the owner that the token belongs to. */
export function addPost(program: Command): void {
  clientCommand(program, "post")
    .description("publish a post, as the bot or the owner the token belongs to")
    .requiredOption("--channel <channel>", "slug or id of the channel")
    .requiredOption("--body <text>", "text of the post, up to 4096 characters; - reads it from stdin")
    .option("--media <json>", "objects to send along, as a JSON array")
    .addHelpText(
      "after",
      `
Examples:
  botyard post --channel news --body "Doors open at seven"
  BOTYARD_TOKEN=bot_… botyard post --channel news --body "A post by the bot"
  git log -1 --format=%B | botyard post --channel news --body -`,
    )
    .action(post);
}

async function post({ channel: name, body, media, ...options }: PostOptions): Promise<void> {
  const attached = media === undefined ? undefined : mediaOf(media);
  const content = { body: await textOf(body), ...(attached ? { media: attached } : {}) };
  const credentials = credentialsOf(options);
  const { answer, channel } = await (looksLikeBotToken(credentials.token)
    ? postAsBot(credentials, name, content)
    : postAsOwner(credentials, name, content));
  const row = {
    id: answer.id,
    channel: channel.slug,
    author: answer.author_username,
    created: answer.created_at,
  };
  printResult(answer, options.json, [row]);
}

async function postAsBot(credentials: Credentials, name: string, content: CreateChannelPostRequest) {
  const bot = await createBotClient(credentials);
  const channel = await findChannel(bot, name);
  return { channel, answer: await bot.createBotPost(channel.id, content) };
}

async function postAsOwner(credentials: Credentials, name: string, content: CreateChannelPostRequest) {
  const owner = await createOwnerClient(credentials);
  const channel = await findChannel(owner, name);
  return { channel, answer: await owner.createChannelPost(channel.id, content) };
}

/** What the objects must be is for the service to say. */
function mediaOf(text: string): Record<string, unknown>[] {
  try {
    const media: unknown = JSON.parse(text);
    if (Array.isArray(media)) return media as Record<string, unknown>[];
  } catch {
    // Not JSON.
  }
  throw new UsageError(`--media must be a JSON array of objects, such as '[{"kind": "photo"}]'`);
}
