import { InvalidInput, NotFound } from "../domain/errors.js";
import { MAX_CHANNEL_BOTS_SET, MAX_PAGE_ITEMS } from "../domain/limits.js";
import type { ChannelRef, Store } from "../store/store.js";
import { attachBot } from "./attach-bot.js";
import { detachBot } from "./detach-bot.js";
import { found } from "./found.js";

/** Ids of bots, ascending. */
export interface ChannelBotsChange {
  attached: string[];
  detached: string[];
}

/**
 * Attaches these bots to a channel and detaches all others, one after the other. When it fails in between, what was done
 * stays: the same call again does the rest.
 *
 * @param maxChannels the most that one bot may be attached to
 * @throws InvalidInput when a bot is not the owner's, with nothing changed; when one has as many channels already
 * @throws NotFound when the channel is not the owner's
 */
export async function setChannelBots(
  store: Store,
  channel: ChannelRef,
  botIds: readonly string[],
  maxChannels: number,
): Promise<ChannelBotsChange> {
  const { ownerUserId, channelId } = channel;
  found(await store.findChannel(channel), "channel");
  const before = new Set(await attachedIds(store, channelId));
  const attached = botIds.filter((id) => !before.has(id)).sort();
  for (const botId of attached) {
    if (await store.findBot({ ownerUserId, botId })) continue;
    throw new InvalidInput(`bot_ids has ${botId}, which is none of your bots`, "unknown_bot");
  }
  const wished = new Set(botIds);
  const detached = [...before].filter((id) => !wished.has(id)).sort();
  for (const botId of attached) await attachBot(store, { ownerUserId, botId }, channelId, maxChannels);
  for (const botId of detached) await detachIfAttached(store, { ownerUserId, botId }, channelId);
  return { attached, detached };
}

async function attachedIds(store: Store, channelId: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await store.listChannelBots(channelId, MAX_PAGE_ITEMS, ids.at(-1));
    if (page.length === 0) return ids;
    ids.push(...page.map(({ bot }) => bot.id));
    if (ids.length > MAX_CHANNEL_BOTS_SET) {
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
