import type { Attachment } from "../domain/channel.js";
import { NotFound } from "../domain/errors.js";
import type { BotRef, Store } from "../store/store.js";

/**
 * Attaches an owner's bot to a channel of the same owner, as moderator. Attaching again changes nothing.
 *
 * @throws NotFound when the bot or the channel is not the owner's
 */
export async function attachBot(store: Store, bot: BotRef, channelId: string): Promise<Attachment> {
  const attachment = await store.attachBot(bot, channelId);
  if (!attachment) throw new NotFound("bot or channel not found");
  return attachment;
}
