import { NotFound } from "../../domain/errors.js";
import { eraseRemains } from "../../store/erase-remains.js";
import type { BotRef, Store } from "../../store/store.js";

/**
 * Removes a bot with its token, attachments and log. Its posts stay. Its log is erased when this resolves, unless that
 * takes longer than a few seconds.
 *
 * @throws NotFound
 */
export async function deleteBot(store: Store, bot: BotRef): Promise<void> {
  if (!(await store.deleteBot(bot))) throw new NotFound("bot not found", "bot_not_found");
  await eraseRemains(store, bot.ownerUserId);
}
