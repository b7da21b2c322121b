import { NotFound } from "../domain/errors.js";
import type { BotRef, Store } from "../store/store.js";

/**
 * Takes a bot out of a channel: no further post there reaches it.
 *
 * @throws NotFound when the bot is not the owner's or not attached
 */
export async function detachBot(store: Store, bot: BotRef, channelId: string): Promise<void> {
  if (!(await store.detachBot(bot, channelId)))
    throw new NotFound("bot not found, or not attached to this channel");
}
