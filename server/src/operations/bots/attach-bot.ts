import type { AttachRules } from "../../domain/bots/listing.js";
import { InvalidInput, NotFound } from "../../domain/errors.js";
import type { Attachment, AttachRefusal, BotRole, Channel } from "../../domain/events/channel.js";
import { BOT_ATTACHED } from "../../domain/events/event.js";
import type { BotRef, Store } from "../../store/store.js";
import { channelNotice } from "../channels/channel-notice.js";

/**
 * Attaches a bot to a channel of the owner who calls: a bot of theirs, or one that is listed. Attaching again changes the role, or
 * nothing without one.
 *
 * @param role of a bot that is not attached yet, moderator when left out
 * @throws InvalidInput when the bot is attached to as many channels already as it may be, or the channel is a direct one with another bot
 * @throws NotFound when the channel is not the owner's, or the bot neither theirs nor listed
 */
export async function attachBot(
  store: Store,
  bot: BotRef,
  channelId: string,
  rules: AttachRules,
  role?: BotRole,
): Promise<Attachment> {
  const { ownerUserId } = bot;
  const channel = await store.findChannel({ ownerUserId, channelId });
  if (channel) refuseOtherBots(channel, [bot.botId]);
  const attachment =
    channel &&
    (await store.attachBot(bot, channelId, channelNotice(BOT_ATTACHED, channel, ownerUserId), rules, role));
  if (!attachment) throw new NotFound("bot or channel not found");
  if (typeof attachment === "string") throw attachRefused(attachment, rules);
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

export function attachRefused(refusal: AttachRefusal, { perHolder, perBot }: AttachRules): InvalidInput {
  return refusal === "too many"
    ? new InvalidInput(
        `the bot is attached to ${perHolder} of your channels, the most that one bot may be: detach it from one first`,
        "too_many_channels",
      )
    : new InvalidInput(
        `the bot is attached to ${perBot} channels of all owners, the most that one bot may be: its owner can take it out of some`,
        "bot_full",
      );
}
