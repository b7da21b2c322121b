import type { BotChannel, Channel, Post } from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../../domain/bots/tokens.js";
import {
  type ClientCommandOptions,
  type Credentials,
  clientCommand,
  createBotClient,
  createOwnerClient,
  credentialsOf,
  ownerOf,
} from "../client.js";
import { UsageError } from "../errors.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../input/confirm.js";
import { findAttachableBot, findChannel } from "../input/find.js";
import { CHANGED_METADATA, METADATA, metadataField } from "../input/json.js";
import { limitOf, readPages } from "../input/values.js";
import { printRecord, printResult } from "../output/print.js";
import type { Row } from "../output/table.js";
import { shortened } from "../output/text.js";
import { addChannelCommands } from "./bot/commands.js";
import { addChannelBots } from "./channel-bots.js";
import { addChannelEmit } from "./emit.js";

/** `botyard channel`: the channels an owner holds, or those a bot is attached to. */
export function addChannel(program: Command): void {
  const channel = program.command("channel").description("create, list, change and delete your channels");

  clientCommand(channel, "create")
    .description("create a channel")
    .requiredOption("--slug <slug>", "short name in addresses: a-z, 0-9 and -")
    .requiredOption("--title <title>", "name for people")
    .option("--description <text>", "what it is about")
    .option("--external-id <id>", "your own id of it")
    .option("--metadata <json>", METADATA)
    .addHelpText("after", '\nExample:\n  botyard channel create --slug news --title "News"')
    .action(create);

  clientCommand(channel, "put <external-id>")
    .description("create the channel that has this id with you, or change it")
    .requiredOption("--title <title>", "name for people")
    .option("--description <text>", "what it is about")
    .option("--metadata <json>", CHANGED_METADATA)
    .addHelpText("after", '\nExample:\n  botyard channel put room-42 --title "Room 42"')
    .action(put);

  clientCommand(channel, "direct <bot>")
    .description("create the direct channel with your bot or a listed one, or show it")
    .option("--user <id>", "for whom it is: your own id of the user")
    .option("--username <name>", "the user's name to show; the id when left out")
    .option("--title <title>", "name for people; that of the user or the bot when left out")
    .addHelpText("after", "\nExample:\n  botyard channel direct weather_bot --user user-7 --username Zoe")
    .action(direct);

  clientCommand(channel, "list")
    .description("list the channels you hold, or, with a bot's token, those it is attached to")
    .addHelpText("after", "\nExample:\n  botyard channel list --json")
    .action(list);

  clientCommand(channel, "show <channel>")
    .description("show a channel")
    .option("--external", "<channel> is your own id of it")
    .addHelpText(
      "after",
      "\nExamples:\n  botyard channel show news\n  botyard channel show room-42 --external",
    )
    .action(show);

  clientCommand(channel, "edit <channel>")
    .description("change a channel's title, description or metadata")
    .option("--title <title>", "name for people")
    .option("--description <text>", "what it is about")
    .option("--metadata <json>", CHANGED_METADATA)
    .addHelpText("after", '\nExample:\n  botyard channel edit news --title "All the news"')
    .action(edit);

  clientCommand(channel, "posts <channel>")
    .description("list a channel's posts, newest first, as its holder or as a bot in it")
    .option("--limit <number>", "how many", "20")
    .option("--before <id>", "only posts older than this one")
    .addHelpText("after", "\nExample:\n  botyard channel posts news --limit 100")
    .action(posts);

  addChannelBots(channel);
  addChannelCommands(channel);
  addChannelEmit(channel);

  confirmedCommand(clientCommand(channel, "delete <channel>"))
    .description("delete a channel: detach its bots and erase its posts")
    .addHelpText("after", "\nExample:\n  botyard channel delete news --yes")
    .action(remove);
}

interface EditOptions extends ClientCommandOptions {
  title?: string;
  description?: string;
  metadata?: string;
}

async function create({
  slug,
  title,
  externalId,
  ...options
}: EditOptions & { slug: string; title: string; externalId?: string }) {
  const fields = { slug, title, ...fieldsOf(options) };
  const owner = await ownerOf(options);
  const channel = await owner.createChannel({
    ...fields,
    ...(externalId === undefined ? {} : { external_id: externalId }),
  });
  printResult(channel, options.json, [row(channel)]);
}

async function put(
  externalId: string,
  { title, ...options }: EditOptions & { title: string },
): Promise<void> {
  const fields = { title, ...fieldsOf(options) };
  const owner = await ownerOf(options);
  print(await owner.putExternalChannel(externalId, fields), options);
}

interface DirectOptions extends ClientCommandOptions {
  user?: string;
  username?: string;
  title?: string;
}

async function direct(name: string, { user, username, title, ...options }: DirectOptions): Promise<void> {
  if (username !== undefined && user === undefined) throw new UsageError("--username goes with --user");
  const owner = await ownerOf(options);
  const { id } = await findAttachableBot(owner, name);
  const channel = await owner.putDirectChannel(id, {
    ...(user === undefined ? {} : { user: { id: user, username: username ?? user } }),
    ...(title === undefined ? {} : { title }),
  });
  print(channel, options);
}

async function list(options: ClientCommandOptions): Promise<void> {
  const items: (Channel | BotChannel)[] = [];
  const credentials = credentialsOf(options);
  const client = await (looksLikeBotToken(credentials.token)
    ? createBotClient(credentials)
    : ownerOf(options));
  for await (const channel of client.channels()) items.push(channel);
  printResult({ items }, options.json, items.map(row));
}

async function show(
  name: string,
  { external, ...options }: ClientCommandOptions & { external?: boolean },
): Promise<void> {
  const owner = await ownerOf(options);
  print(await (external ? owner.getExternalChannel(name) : findChannel(owner, name)), options);
}

async function edit(name: string, options: EditOptions): Promise<void> {
  const changes = fieldsOf(options);
  if (Object.keys(changes).length === 0)
    throw new UsageError("say what to change: --title, --description or --metadata");
  const owner = await ownerOf(options);
  const { id } = await findChannel(owner, name);
  print(await owner.editChannel(id, changes), options);
}

async function remove(name: string, options: ClientCommandOptions & ConfirmOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, slug } = await findChannel(owner, name);
  await confirm(`delete the channel ${slug} and erase its posts`, options);
  const answer = await owner.deleteChannel(id);
  printResult(answer, options.json, [{ id, slug, status: answer.status }]);
}

interface PostsOptions extends ClientCommandOptions {
  limit: string;
  before?: string;
}

async function posts(name: string, { before, ...options }: PostsOptions): Promise<void> {
  const limit = limitOf(options.limit);
  const credentials = credentialsOf(options);
  const list = await (looksLikeBotToken(credentials.token) ? postsAsBot : postsAsOwner)(credentials, name);
  const items = await readPages<Post>(limit, (limit, last) => list({ limit, before: last?.id ?? before }));
  printResult(
    { items },
    options.json,
    items.map((post) => ({
      id: post.id,
      created: post.created_at,
      author: post.author_username,
      media: post.media?.length,
      body: shortened(post.body),
    })),
  );
}

async function postsAsBot(credentials: Credentials, name: string) {
  const bot = await createBotClient(credentials);
  const { id } = await findChannel(bot, name);
  return (page: ListPostsPage) => bot.listBotPosts(id, page);
}

async function postsAsOwner(credentials: Credentials, name: string) {
  const owner = await createOwnerClient(credentials);
  const { id } = await findChannel(owner, name);
  return (page: ListPostsPage) => owner.listChannelPosts(id, page);
}

interface ListPostsPage {
  limit: number;
  before?: string | undefined;
}

function fieldsOf({ title, description, metadata }: EditOptions) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...metadataField(metadata),
  };
}

function print(channel: Channel, { json }: ClientCommandOptions): void {
  printRecord(channel, json, {
    id: channel.id,
    slug: channel.slug,
    title: channel.title,
    description: channel.description,
    owner: channel.owner_user_id,
    "external id": channel.external_id ?? "none",
    direct: directOf(channel),
    created: channel.created_at,
    "last activity": channel.last_activity_at ?? "none",
  });
}

/** With which bot, and for whom; undefined of other channels. */
function directOf({ direct_bot_id: botId, direct_user: user }: Channel): string | undefined {
  if (botId === undefined) return undefined;
  return user ? `with the bot ${botId} for ${user.username} (${user.id})` : `with the bot ${botId}`;
}

function row({ id, slug, title, created_at, last_activity_at }: Channel | BotChannel): Row {
  return { id, slug, title, created: created_at, "last activity": last_activity_at };
}
