import { createHash } from "node:crypto";
import {
  type BotCommands,
  type Command,
  decodeCommands,
  encodeCommands,
} from "../../domain/bots/commands.js";
import type { Audited, ChannelRef, Store } from "../../store/store.js";
import { found } from "../found.js";
import { logGone } from "../logs/open-consumer.js";

/**
 * Sets the commands that a bot offers. The same again changes nothing, so a bot may do it at each start.
 *
 * @throws InvalidInput
 * @throws Unauthenticated when the bot was deleted meanwhile
 */
export async function setCommands(
  store: Store,
  botId: string,
  commands: readonly Command[],
  by?: Audited,
): Promise<void> {
  const text = encodeCommands(commands);
  if (!(await store.putCommands(botId, commands.length === 0 ? null : text, Date.now(), by)))
    throw logGone(botId);
}

export async function readCommands(store: Store, botId: string): Promise<Command[]> {
  const text = await store.readCommands(botId);
  if (text === undefined) throw logGone(botId);
  return decodeCommands(text);
}

/** The commands of the bots in a channel, by bot. */
export async function listChannelCommands(
  store: Store,
  channelId: string,
  limit: number,
  after?: string,
): Promise<BotCommands[]> {
  const offered = await store.listChannelCommands(channelId, limit, after);
  return offered.map((bot) => ({ ...bot, commands: decodeCommands(bot.commands) }));
}

/**
 * An entity tag of what {@link listChannelCommands} lists. To be read before it, so that what changes meanwhile is read again.
 *
 * @throws NotFound
 */
export async function tagOfCommands(store: Store, channel: ChannelRef): Promise<string> {
  const { id } = found(await store.findChannel(channel), "channel");
  const version = await store.readCommandsVersion(id);
  return createHash("sha256").update(version).digest("base64url").slice(0, 22);
}
