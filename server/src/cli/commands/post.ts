import type { CreateChannelPostRequest, CreateOwnerPostRequest, PostComponent } from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../../domain/bots/tokens.js";
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
import { componentsOf, mediaOf } from "../input/json.js";
import { textOf } from "../input/values.js";
import { printResult } from "../output/print.js";
import { addPublishedPosts } from "./post/published.js";
import { addPostUpdates } from "./post/updates.js";

interface PostOptions extends ClientCommandOptions {
  channel: string;
  body: string;
  media?: string;
  components?: string;
  replyTo?: string;
  idempotencyKey?: string;
  silent?: true;
  createdAt?: string;
}

/** `botyard post`: publishes and changes posts, as the bot or the owner that the token belongs to. */
export function addPost(program: Command): void {
  const post = program
    .command("post")
    .description("publish, change and delete posts, as the bot or the owner the token belongs to");

  clientCommand(post, "create", { isDefault: true })
    .description("publish a post, as the bot or the owner the token belongs to; `create` may be left out")
    .requiredOption("--channel <channel>", "slug or id of the channel")
    .requiredOption(
      "--body <text>",
      "text of the post, up to 4096 characters unless the service takes more; - reads it from stdin",
    )
    .option("--media <json>", "objects to send along, as a JSON array; then the text may be empty")
    .option("--components <json>", "rows of buttons and selects under it, as a JSON array")
    .option("--reply-to <post>", "id of a post in the channel, which this one answers")
    .option("--idempotency-key <key>", "publish nothing when there is a post with this key already")
    .option("--silent", "only store it: no bot gets an update, and the feed does not have it (an owner's)")
    .option("--created-at <time>", "with --silent: when it was written, like 2020-01-31T12:00:00Z")
    .addHelpText(
      "after",
      `
Examples:
  botyard post create --channel news --body "Doors open at seven"
  BOTYARD_TOKEN=bot_… botyard post --channel news --body "A post by the bot"
  git log -1 --format=%B | botyard post --channel news --body -
  botyard post --channel news --body "Good morning" --idempotency-key "morning-$(date +%F)"`,
    )
    .action(create);

  addPublishedPosts(post);
  addPostUpdates(post);
}

async function create({
  channel: name,
  body,
  media,
  components,
  replyTo,
  silent,
  createdAt,
  ...options
}: PostOptions): Promise<void> {
  const attached = media === undefined ? undefined : mediaOf(media);
  const content = {
    body: await textOf(body),
    ...(attached ? { media: attached } : {}),
    ...(components === undefined
      ? {}
      : { components: componentsOf(components) as unknown as PostComponent[][] }),
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    ...(silent && { silent }),
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
  };
  const credentials = credentialsOf(options);
  const isBot = looksLikeBotToken(credentials.token);
  if (isBot && (silent || createdAt !== undefined))
    throw new UsageError(
      "--silent and --created-at are for owners: a bot's posts are told to all who hear them",
    );
  const publish = isBot ? postAsBot : postAsOwner;
  const { answer, channel } = await publish(credentials, name, content, options.idempotencyKey);
  const row = {
    id: answer.id,
    channel: channel.slug,
    author: answer.author_username,
    created: answer.created_at,
  };
  printResult(answer, options.json, [row]);
}

async function postAsBot(
  credentials: Credentials,
  name: string,
  content: CreateChannelPostRequest,
  idempotencyKey: string | undefined,
) {
  const bot = await createBotClient(credentials);
  const channel = await findChannel(bot, name);
  return { channel, answer: await bot.createBotPost(channel.id, content, { idempotencyKey }) };
}

async function postAsOwner(
  credentials: Credentials,
  name: string,
  content: CreateOwnerPostRequest,
  idempotencyKey: string | undefined,
) {
  const owner = await createOwnerClient(credentials);
  const channel = await findChannel(owner, name);
  return { channel, answer: await owner.createChannelPost(channel.id, content, { idempotencyKey }) };
}
