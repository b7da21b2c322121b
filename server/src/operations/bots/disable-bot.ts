import type { Bot } from "../../domain/bots/bot.js";
import type { BotRef, Store } from "../../store/store.js";
import { found } from "../found.js";
import { outlastTargets } from "../webhooks/outlast-targets.js";

/**
 * Refuses the bot's token and stops its deliveries; its updates are still recorded. Once this resolves no instance starts
 * an attempt. Disabling a disabled bot changes nothing.
 *
 * @throws NotFound
 */
export async function disableBot(store: Store, bot: BotRef): Promise<Bot> {
  const disabled = await setDisabled(store, bot, true);
  await outlastTargets(store, bot.botId);
  return disabled;
}

/**
 * Enables a disabled bot: its token is accepted again, and the updates that waited are delivered. Enabling an enabled bot
 * changes nothing.
 *
 * @throws NotFound
 */
export function enableBot(store: Store, bot: BotRef): Promise<Bot> {
  return setDisabled(store, bot, false);
}

async function setDisabled(store: Store, ref: BotRef, disabled: boolean): Promise<Bot> {
  const bot = found(await store.findBot(ref), "bot");
  const isDisabled = bot.disabledAt !== undefined;
  return isDisabled === disabled ? bot : found(await store.setBotDisabled(ref, disabled, Date.now()), "bot");
}
