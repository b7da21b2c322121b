import { newId } from "../../domain/ids.js";
import { eraseRemains } from "../../store/erase-remains.js";
import type { BotRef, Store } from "../../store/store.js";
import { notFound } from "../found.js";

/**
 * Removes a bot with its token, attachments and log. Its posts stay. Its log is erased when this resolves, unless that
 * takes longer than a few seconds. Holders of channels in which it was read in their audit logs that it has left; the request is their bot's owner's
 * alone.
 *
 * @throws NotFound
 */
export async function deleteBot(store: Store, bot: BotRef): Promise<void> {
  if (!(await store.deleteBot(bot, bot.audit && newId()))) throw notFound("bot");
  await eraseRemains(store, bot.ownerUserId);
}
