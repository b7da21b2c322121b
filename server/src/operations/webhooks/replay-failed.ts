import type { Store, WebhookRef } from "../../store/store.js";
import { foundWebhook } from "../found.js";

/**
 * Puts failed updates back in the delivery queue with a fresh schedule: the chosen ones that have failed, or the oldest ones,
 * up to `limit`.
 *
 * @returns how many
 * @throws NotFound
 */
export async function replayFailed(
  store: Store,
  ref: WebhookRef,
  which: { updateIds: readonly number[] } | { limit: number },
): Promise<number> {
  const now = Date.now();
  const replayed =
    "limit" in which
      ? store.replayFailed(ref, which.limit, now)
      : store.replayUpdates(ref, which.updateIds, now);
  return foundWebhook(await replayed, ref);
}
