import type { BotRef, Store } from "../../store/store.js";
import { found } from "../found.js";

/**
 * Puts failed updates back in the delivery queue with a fresh schedule: the chosen ones that have failed, or the oldest ones,
 * up to `limit`.
 *
 * @returns how many
 * @throws NotFound
 */
export async function replayFailed(
  store: Store,
  bot: BotRef,
  which: { updateIds: readonly number[] } | { limit: number },
): Promise<number> {
  const now = Date.now();
  const replayed =
    "limit" in which
      ? store.replayFailed(bot, which.limit, now)
      : store.replayUpdates(bot, which.updateIds, now);
  return found(await replayed, "bot");
}
