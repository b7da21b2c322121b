import type { BotRole } from "../domain/channel.js";
import { InvalidInput, NotFound } from "../domain/errors.js";
import { MAX_CHANNEL_BOTS_SET, MAX_PAGE_ITEMS } from "../domain/limits.js";
import type { ChannelRef, Store } from "../store/store.js";
import { attachBot } from "./attach-bot.js";
import { detachBot } from "./detach-bot.js";
import { found } from "./found.js";

/** A bot that shall be attached, and as what; see {@link attachBot}. */
export interface WishedBot {
  botId: string;
  role?: BotRole | undefined;
}

/** Ids of bots, ascending. */
export interface ChannelBotsChange {
  attached: string[];
  detached: string[];
  /** Those that were attached before, in another role. */
  roleChanged: string[];
}

/**
 * Attaches these bots to a channel in their roles and detaches all others, one after the other. When it fails in between, what was done
 * stays: the same call again does the rest.
 *
 * @param maxChannels the most that one bot may be attached to
 * @throws InvalidInput when a bot is not the owner's, with nothing changed; when one has as many channels already
 * @throws NotFound when the channel is not the owner's
 */
export async function setChannelBots(
  store: Store,
  channel: ChannelRef,
  bots: readonly WishedBot[],
  maxChannels: number,
): Promise<ChannelBotsChange> {
  const { ownerUserId, channelId } = channel;
  found(await store.findChannel(channel), "channel");
  const before = await rolesIn(store, channelId);
  const wished = new Map(bots.map(({ botId, role }) => [botId, role]));
  const ids = [...wished.keys()].sort();
  const attached = ids.filter((id) => !before.has(id));
  for (const botId of attached) {
    if (await store.findBot({ ownerUserId, botId })) continue;
    throw new InvalidInput(`${botId} is none of your bots`, "unknown_bot");
  }
  const roleChanged = ids.filter(
    (id) => before.has(id) && (wished.get(id) ?? before.get(id)) !== before.get(id),
  );
  const detached = [...before.keys()].filter((id) => !wished.has(id)).sort();
  for (const botId of [...attached, ...roleChanged]) {
    await attachBot(store, { ownerUserId, botId }, channelId, maxChannels, wished.get(botId));
  }
  for (const botId of detached) await detachIfAttached(store, { ownerUserId, botId }, channelId);
  return { attached, detached, roleChanged };
}

async function rolesIn(store: Store, channelId: string): Promise<Map<string, BotRole>> {
  const roles = new Map<string, BotRole>();
  for (let after: string | undefined; ; ) {
    const page = await store.listChannelBots(channelId, MAX_PAGE_ITEMS, after);
    after = page.at(-1)?.bot.id;
    if (after === undefined) return roles;
    for (const { bot, role } of page) roles.set(bot.id, role);
    if (roles.size > MAX_CHANNEL_BOTS_SET) {
      throw new InvalidInput(
        `the channel has more than ${MAX_CHANNEL_BOTS_SET} bots: attach and detach them one by one`,
        "too_many_bots_in_channel",
      );
    }
  }
}

/** Somebody else may have detached it meanwhile. */
async function detachIfAttached(
  store: Store,
  bot: { ownerUserId: string; botId: string },
  channelId: string,
): Promise<void> {
  try {
    await detachBot(store, bot, channelId);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}
