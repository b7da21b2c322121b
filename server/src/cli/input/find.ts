import type { BotChannel, BotProfile, BotRecord, Channel, OwnerClient } from "@botyard/sdk";
import { isId } from "../../domain/ids.js";
import { suggestion } from "../../domain/similar-names.js";
import { UsageError } from "../errors.js";

/** Names read to suggest one from; an owner may have very many channels. */
const MOST_NAMES = 1_000;

/**
 * The owner's bot with this username or id.
 *
 * @throws Error that names similar ones when there is none; UsageError when the name is empty
 */
export async function findBot(owner: OwnerClient, usernameOrId: string): Promise<BotRecord> {
  refuseEmpty(usernameOrId, "bot");
  const bot = await owner.findBot(usernameOrId);
  if (bot) return bot;
  const names = await namesOf(owner.bots(), ({ username }) => username);
  throw new Error(
    `you have no bot "${usernameOrId}"${suggestion(usernameOrId, names) ?? "; botyard bot list shows those you have"}`,
  );
}

/**
 * The owner's bot with this username or id, else the listed one.
 *
 * @throws Error when there is neither; UsageError when the name is empty
 */
export async function findAttachableBot(
  owner: OwnerClient,
  usernameOrId: string,
): Promise<BotRecord | BotProfile> {
  refuseEmpty(usernameOrId, "bot");
  const bot = (await owner.findBot(usernameOrId)) ?? (await findListedBot(owner, usernameOrId));
  if (bot) return bot;
  const own = await namesOf(owner.bots(), ({ username }) => username);
  const listed = await namesOf(owner.listedBots(), ({ username }) => username);
  throw new Error(
    `you have no bot "${usernameOrId}", and none is listed by this name${suggestion(usernameOrId, [...new Set([...own, ...listed])]) ?? ": botyard bot list and botyard bot listed show them"}`,
  );
}

/**
 * The owner's bot with this username or id, else the one in this channel of theirs, which may be listed no more.
 *
 * @returns undefined when there is neither
 * @throws UsageError when the name is empty
 */
export async function findBotIn(
  owner: OwnerClient,
  channelId: string,
  usernameOrId: string,
): Promise<{ id: string } | undefined> {
  refuseEmpty(usernameOrId, "bot");
  return (await owner.findBot(usernameOrId)) ?? (await findAttachedBot(owner, channelId, usernameOrId));
}

async function findAttachedBot(owner: OwnerClient, channelId: string, name: string) {
  for (let after: string | undefined; ; ) {
    const { items } = await owner.listChannelBots(channelId, { after });
    const found = items.find((item) => isNamed(item.bot, name));
    if (found) return found.bot;
    after = items.at(-1)?.bot.id;
    if (after === undefined) return undefined;
  }
}

/** A listed bot by its username or id; undefined when there is none. */
async function findListedBot(owner: OwnerClient, usernameOrId: string): Promise<BotProfile | undefined> {
  if (isId(usernameOrId)) return await owner.getBotProfile(usernameOrId).catch(() => undefined);
  for await (const bot of owner.listedBots({ q: usernameOrId }))
    if (bot.username.toLowerCase() === usernameOrId.toLowerCase()) return bot;
  return undefined;
}

/**
 * A bot and a channel, of which the owner has at least one.
 *
 * @throws Error when the bot is not attached, as far as the owner can see; UsageError when a name is empty
 */
export async function findAttachment(owner: OwnerClient, botName: string, channelName: string) {
  refuseEmpty(botName, "bot");
  refuseEmpty(channelName, "channel");
  const bot = await owner.findBot(botName);
  const channel = await owner.findChannel(channelName);
  if (bot && channel) return { bot, channel };
  if (bot) {
    const { items } = await owner.listBotChannels(bot.id);
    const left = items.find(({ id, slug }) => id === channelName || slug === channelName);
    if (left) return { bot, channel: left };
  }
  const attached = channel && (await findAttachedBot(owner, channel.id, botName));
  if (attached) return { bot: attached, channel };
  throw new Error(
    `no bot "${botName}" of yours, or in a channel "${channelName}" of yours, is attached there`,
  );
}

function isNamed({ id, username }: { id: string; username: string }, name: string): boolean {
  return id === name || username.toLowerCase() === name.toLowerCase();
}

/** A client of an owner or of a bot. */
interface ChannelClient<Found> {
  findChannel(slugOrId: string): Promise<Found | undefined>;
  channels(): AsyncIterable<Found>;
}

/**
 * The channel with this slug or id, for an owner among those they hold, for a bot among those it is attached to.
 *
 * @throws Error that names similar ones when there is none; UsageError when the name is empty
 */
export async function findChannel<Found extends Channel | BotChannel>(
  client: ChannelClient<Found>,
  slugOrId: string,
): Promise<Found> {
  refuseEmpty(slugOrId, "channel");
  const channel = await client.findChannel(slugOrId);
  if (channel) return channel;
  const names = await namesOf(client.channels(), ({ slug }) => slug);
  throw new Error(
    `there is no channel "${slugOrId}" here that this token may use${suggestion(slugOrId, names) ?? "; botyard channel list shows those it may use"}`,
  );
}

function refuseEmpty(name: string, what: "bot" | "channel"): void {
  if (name.trim() === "") throw new UsageError(`the name of the ${what} is empty: is its variable set?`);
}

async function namesOf<Item>(items: AsyncIterable<Item>, nameOf: (item: Item) => string): Promise<string[]> {
  const names: string[] = [];
  for await (const item of items) if (names.push(nameOf(item)) === MOST_NAMES) break;
  return names;
}
