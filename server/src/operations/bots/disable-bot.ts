import type { Bot } from "../../domain/bots/bot.js";
import { Forbidden } from "../../domain/errors.js";
import type { BotRef, Store } from "../../store/store.js";
import { found } from "../found.js";
import { waitUntilTargetsExpire } from "../webhooks/wait-until-targets-expire.js";

/**
 * Refuses the bot's token and stops its deliveries; its updates are still recorded. Once this resolves no instance starts
 * an attempt. Disabling a disabled bot changes nothing, except that the platform takes over what its owner has disabled.
 *
 * @throws NotFound
 */
export async function disableBot(store: Store, bot: BotRef): Promise<Bot> {
  const disabled = await setDisabled(store, bot, true);
  await waitUntilTargetsExpire(store, { botId: bot.botId });
  return disabled;
}

/**
 * Enables a disabled bot: its token is accepted again, and the updates that waited are delivered. Enabling an enabled bot
 * changes nothing.
 *
 * @throws NotFound
 * @throws Forbidden when the platform has disabled it, and its owner wants to enable it
 */
export async function enableBot(store: Store, ref: BotRef): Promise<Bot> {
  const bot = await setDisabled(store, ref, false);
  if (bot.disabledBy === "platform" && !ref.isPlatform)
    throw new Forbidden(
      "the platform disabled the bot: ask the platform to enable it",
      "disabled_by_platform",
    );
  return bot;
}

async function setDisabled(store: Store, ref: BotRef, disabled: boolean): Promise<Bot> {
  const bot = found(await store.findBot(ref), "bot");
  const isDisabled = bot.disabledAt !== undefined;
  const isTakenOver = disabled && ref.isPlatform && bot.disabledBy !== "platform";
  return isDisabled === disabled && !isTakenOver
    ? bot
    : found(await store.setBotDisabled(ref, disabled, Date.now()), "bot");
}
