import { NotFound } from "../../domain/errors.js";
import { BOT_DETACHED } from "../../domain/events/event.js";
import type { BotRef, Store } from "../../store/store.js";
import { channelNotice } from "../channels/channel-notice.js";

/**
 * Detaches a bot from a channel: it receives no further posts from there.
 *
 * @throws NotFound when the bot is not the owner's or not attached
 */
export async function detachBot(store: Store, bot: BotRef, channelId: string): Promise<void> {
  const { ownerUserId } = bot;
  const channel = await store.findChannel({ ownerUserId, channelId });
  const isDetached =
    channel !== undefined &&
    (await store.detachBot(bot, channelId, channelNotice(BOT_DETACHED, channel, ownerUserId)));
  if (!isDetached)
    throw new NotFound("bot not found, or not attached to this channel", "attachment_not_found");
}
