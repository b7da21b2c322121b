import { eraseRemains } from "../../store/erase-remains.js";
import type { ChannelRef, Store } from "../../store/store.js";
import { notFound } from "../found.js";
import { deletionNotice } from "./channel-notice.js";

/**
 * Removes a channel and detaches its bots. Its slug is free again. Its posts are erased when this resolves, unless
 * erasing them takes longer than a few seconds.
 *
 * @throws NotFound
 */
export async function deleteChannel(store: Store, ref: ChannelRef): Promise<void> {
  const isDeleted = await store.deleteChannel(ref, deletionNotice(ref.channelId, ref.ownerUserId));
  if (!isDeleted) throw notFound("channel");
  await eraseRemains(store, ref.ownerUserId);
}
