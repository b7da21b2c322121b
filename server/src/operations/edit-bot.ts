import type { Bot } from "../domain/bot.js";
import type { BotEdit, BotRef, Store } from "../store/store.js";
import { found } from "./found.js";

/**
 * Changes the given fields. An edit without any leaves the bot, its `updatedAt` included, unchanged.
 *
 * @throws NotFound
 */
export async function editBot(store: Store, bot: BotRef, edit: Omit<BotEdit, "updatedAt">): Promise<Bot> {
  const nothingGiven = edit.displayName === undefined && edit.description === undefined;
  const edited = nothingGiven
    ? await store.findBot(bot)
    : await store.editBot(bot, { ...edit, updatedAt: Date.now() });
  return found(edited, "bot");
}
