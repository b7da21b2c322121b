import type { Channel } from "../domain/channel.js";
import type { ChannelEdit, ChannelRef, Store } from "../store/store.js";
import { found } from "./found.js";

/**
 * Changes the given fields.
 *
 * @throws NotFound
 */
export async function editChannel(store: Store, channel: ChannelRef, edit: ChannelEdit): Promise<Channel> {
  const nothingGiven = edit.title === undefined && edit.description === undefined;
  const edited = nothingGiven ? await store.findChannel(channel) : await store.editChannel(channel, edit);
  return found(edited, "channel");
}
