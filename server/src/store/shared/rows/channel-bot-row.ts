import type { Bot } from "../../../domain/bots/bot.js";
import type { BotRole, ChannelBot } from "../../../domain/events/channel.js";
import { omitNulls } from "../omit-nulls.js";

/** A bot in a channel from one row of either engine: the bot's fields, its role, and who attached it. */
export function channelBotOf(row: unknown): ChannelBot {
  const { role, attachedBy, ...bot } = omitNulls<Bot & { role: BotRole; attachedBy: string }>(row);
  return { bot, role, attachedBy };
}
