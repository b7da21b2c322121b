import type { Bot } from "../domain/bot.js";
import type { BotRole, ChannelBot } from "../domain/channel.js";
import { present } from "./present.js";

/** A bot in a channel, as both engines read it in one row: what the bot has, and its role. */
export function channelBotOf(row: unknown): ChannelBot {
  const { role, ...bot } = present<Bot & { role: BotRole }>(row);
  return { bot, role };
}
