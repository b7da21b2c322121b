import { InvalidInput, NotFound } from "../../domain/errors.js";
import type { Attachment, BotRole, Channel } from "../../domain/events/channel.js";
import { BOT_ATTACHED } from "../../domain/events/event.js";
import type { BotRef, Store } from "../../store/store.js";
import { channelNotice } from "../channels/channel-notice.js";

/**
 * Attaches an owner's bot to a channel of the same owner. Attaching again changes the role, or nothing without one.
 *
 * @param maxChannels the most that one bot may be attached to
 * @param role of a bot that is not attached yet, moderator when left out
 * @throws InvalidInput when the bot is attached to as many already, or the channel is a direct one with another bot
 * @throws NotFound when the bot or the channel is not the owner's
 */
export async function attachBot(
  store: Store,
  bot: BotRef,
  channelId: string,
  maxChannels: number,
  role?: BotRole,
): Promise<Attachment> {
  const { ownerUserId } = bot;
  const channel = await store.findChannel({ ownerUserId, channelId });
  if (channel) refuseOtherBots(channel, [bot.botId]);
  const attachment =
    channel &&
    (await store.attachBot(
      bot,
      channelId,
      channelNotice(BOT_ATTACHED, channel, ownerUserId),
      maxChannels,
      role,
    ));
  if (!attachment) throw new NotFound("bot or channel not found");
  if (attachment === "too many") throw attachedToTooMany(maxChannels);
  return attachment;
}

/** @throws InvalidInput when the channel is a direct one, and one of the bots is not its own */
export function refuseOtherBots({ directBotId }: Channel, botIds: readonly string[]): void {
  if (directBotId !== undefined && botIds.some((id) => id !== directBotId))
    throw new InvalidInput(
      "a direct channel has one bot: attach others to another channel",
      "direct_channel",
    );
}

export function attachedToTooMany(maxChannels: number): InvalidInput {
  return new InvalidInput(
    `the bot is attached to ${maxChannels} channels, the most that one bot may be: detach it from one first`,
    "too_many_channels",
  );
}
