import { NotFound } from "../domain/errors.js";
import type { BotRef, Store } from "../store/store.js";

/**
 * Removes a bot with its token, attachments and log. Its posts stay.
 *
 * @throws NotFound
 */
export async function deleteBot(store: Store, bot: BotRef): Promise<void> {
  if (!(await store.deleteBot(bot))) throw new NotFound("bot not found", "bot_not_found");
}
