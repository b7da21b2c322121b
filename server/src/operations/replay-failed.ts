import type { BotRef, Store } from "../store/store.js";
import { found } from "./found.js";

/**
 * Puts failed updates back in the delivery queue with a fresh schedule, oldest first, up to `limit`.
 *
 * @returns how many
 * @throws NotFound
 */
export async function replayFailed(store: Store, bot: BotRef, limit: number): Promise<number> {
  return found(await store.replayFailed(bot, limit, Date.now()), "bot");
}
