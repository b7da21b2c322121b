import type { Channel } from "../domain/channel.js";
import { CHANNEL_UPDATED } from "../domain/event.js";
import type { ChannelEdit, ChannelRef, Store } from "../store/store.js";
import { channelNotice } from "./channel-notice.js";
import { found } from "./found.js";

/** Another edit at the same moment comes between reading and writing; this many in a row do not. */
const MAX_RACES = 50;

/**
 * Changes the given fields, and tells the bots that hear of it.
 *
 * @throws NotFound
 */
export async function editChannel(store: Store, ref: ChannelRef, edit: ChannelEdit): Promise<Channel> {
  for (let races = 0; ; races += 1) {
    const channel = found(await store.findChannel(ref), "channel");
    const { title, description } = channel;
    const to = { title: edit.title ?? title, description: edit.description ?? description };
    if (to.title === title && to.description === description) return channel;
    const event = channelNotice(CHANNEL_UPDATED, { ...channel, ...to }, ref.ownerUserId);
    const edited = found(
      await store.editChannel(ref, { from: { title, description }, to, event }),
      "channel",
    );
    if (edited !== "outdated") return edited;
    if (races === MAX_RACES) throw new Error("the channel is changed all the time");
  }
}
