import { NotFound } from "../domain/errors.js";
import { BOT_DETACHED } from "../domain/event.js";
import type { ChannelRef, Store } from "../store/store.js";
import { channelNotice } from "./channel-notice.js";
import { eraseRemains } from "./erase-remains.js";
import { found } from "./found.js";

/**
 * Removes a channel and detaches its bots. Its slug is free again. Its posts are erased when this resolves, unless
 * erasing them takes longer than a few seconds.
 *
 * @throws NotFound
 */
export async function deleteChannel(store: Store, ref: ChannelRef): Promise<void> {
  const channel = found(await store.findChannel(ref), "channel");
  const event = channelNotice(BOT_DETACHED, channel, ref.ownerUserId);
  if (!(await store.deleteChannel(ref, event))) throw new NotFound("channel not found", "channel_not_found");
  await eraseRemains(store, ref.ownerUserId);
}
