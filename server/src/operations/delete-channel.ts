import { NotFound } from "../domain/errors.js";
import { BOT_DETACHED } from "../domain/event.js";
import type { ChannelRef, Store } from "../store/store.js";
import { channelNotice } from "./channel-notice.js";
import { found } from "./found.js";

/**
 * Removes a channel and detaches its bots. Its slug is free again; its posts are erased in small steps.
 *
 * @throws NotFound
 */
export async function deleteChannel(store: Store, ref: ChannelRef): Promise<void> {
  const channel = found(await store.findChannel(ref), "channel");
  const event = channelNotice(BOT_DETACHED, channel, ref.ownerUserId);
  if (!(await store.deleteChannel(ref, event))) throw new NotFound("channel not found");
}
