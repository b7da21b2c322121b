import { NotFound } from "../../domain/errors.js";
import { BOT_DETACHED } from "../../domain/events/event.js";
import type { BotRef, Store } from "../../store/store.js";
import { channelNotice } from "../channels/channel-notice.js";
import { toldToHolder } from "../told-to-holder.js";

/**
 * Detaches a bot from a channel: it receives no further posts from there. Its owner may do so, and the holder of the channel.
 *
 * @throws NotFound when the bot is not attached, or the owner neither owns it nor holds the channel
 */
export async function detachBot(store: Store, bot: BotRef, channelId: string): Promise<void> {
  const channel = await store.findAttachedChannel(bot, channelId);
  // A bot that leaves a channel of another owner is not told there as its owner, whom the channel's holder does not know.
  const hasLeft = channel?.ownerUserId !== bot.ownerUserId;
  const by = hasLeft ? bot.botId : bot.ownerUserId;
  const isDetached =
    channel !== undefined &&
    (await store.detachBot(
      hasLeft ? { ...bot, audit: toldToHolder(bot.audit, bot.botId, channel.ownerUserId) } : bot,
      channelId,
      channelNotice(BOT_DETACHED, channel, by),
    ));
  if (!isDetached)
    throw new NotFound("bot not found, or not attached to this channel", "attachment_not_found");
}

/** Detaches a bot, which another call may have detached meanwhile. */
export async function detachIfAttached(store: Store, bot: BotRef, channelId: string): Promise<void> {
  try {
    await detachBot(store, bot, channelId);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}
