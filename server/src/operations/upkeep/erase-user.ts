import { setTimeout as sleep } from "node:timers/promises";
import { ERASING_MS, eraseRemains } from "../../store/erase-remains.js";
import type { Audited, Store } from "../../store/store.js";
import { deletionNotice } from "../channels/channel-notice.js";

/** How often to ask whether the upkeep has come to the end. */
const ASK_AGAIN_MS = 50;

/**
 * Erases one user of a product, whoever told of them: deletes their direct channels, and has the upkeep erase them from all events. Continues
 * where an earlier call ended.
 *
 * @param userId the product's own id of the user
 * @returns whether everything that was stored before the first call is erased; otherwise another call is needed
 */
export async function eraseUser(
  store: Store,
  userId: string,
  { audit }: Audited = {},
): Promise<"deleted" | "erasing"> {
  const endsAt = performance.now() + ERASING_MS;
  for (;;) {
    const [channel] = await store.listUserChannels(userId, 1);
    if (!channel) break;
    const { channelId, ownerUserId } = channel;
    await store.deleteChannel(
      { channelId, ownerUserId, isPlatform: true, audit: audit && { ...audit, ownerUserId } },
      deletionNotice(channelId, ownerUserId),
    );
    await eraseRemains(store, ownerUserId, endsAt);
    if (performance.now() >= endsAt) return "erasing";
  }
  for (
    let isAskedAgain = false;
    !(await store.eraseUser(userId, { audit, isAskedAgain }));
    isAskedAgain = true
  ) {
    if (performance.now() >= endsAt) return "erasing";
    await sleep(ASK_AGAIN_MS);
  }
  return "deleted";
}
