import type { Bot } from "../domain/bot.js";
import type { BotRef, Store } from "../store/store.js";
import { found } from "./found.js";

/**
 * Refuses the bot's token and pauses its deliveries; its updates are still recorded. Disabling a disabled bot changes
 * nothing.
 *
 * @throws NotFound
 */
export async function disableBot(store: Store, bot: BotRef): Promise<Bot> {
  return found(await store.setBotDisabled(bot, true, Date.now()), "bot");
}

/**
 * Takes a bot back into service: its token counts again and what waited is delivered.
 *
 * @throws NotFound
 */
export async function enableBot(store: Store, bot: BotRef): Promise<Bot> {
  return found(await store.setBotDisabled(bot, false, Date.now()), "bot");
}
