import type { Channel } from "../../domain/events/channel.js";
import { CHANNEL_UPDATED } from "../../domain/events/event.js";
import { type ChannelRef, type ChannelRevision, Contended, type Store } from "../../store/store.js";
import { encodeMetadata, type Metadata } from "../encode-metadata.js";
import { found } from "../found.js";
import { channelNotice } from "./channel-notice.js";

/** Fields that are left out stay unchanged. */
export interface ChannelEdit {
  title?: string | undefined;
  description?: string | undefined;
  metadata?: Metadata | undefined;
}

export const CHANGED_ALL_THE_TIME = "other calls change this channel all the time: repeat the call";
/** Tries when concurrent edits come between the read and the write. */
const MAX_RACES = 50;

/**
 * Changes the given fields. Changes of title and description are told to the bots that subscribe to them.
 *
 * @throws InvalidInput when the metadata are too much
 * @throws NotFound
 * @throws Contended when other calls edit the channel again and again
 */
export async function editChannel(store: Store, ref: ChannelRef, edit: ChannelEdit): Promise<Channel> {
  const metadata = edit.metadata && encodeMetadata(edit.metadata);
  for (let races = 0; ; races += 1) {
    const channel = found(await store.findChannel(ref), "channel");
    const revision = revisionOf(channel, { ...edit, metadata }, ref.ownerUserId);
    if (!revision) return channel;
    const edited = found(await store.editChannel(ref, revision), "channel");
    if (edited !== "outdated") return edited;
    if (races === MAX_RACES) throw new Contended(CHANGED_ALL_THE_TIME);
  }
}

/**
 * @param edit the edit, with its metadata as stored text; null removes the metadata
 * @returns undefined when nothing changes
 */
export function revisionOf(
  channel: Channel,
  edit: Pick<ChannelEdit, "title" | "description"> & { metadata?: string | null | undefined },
  by: string,
): ChannelRevision | undefined {
  const { title, description, metadata } = channel;
  const from = { title, description, metadata };
  const to = {
    title: edit.title ?? title,
    description: edit.description ?? description,
    metadata: edit.metadata === undefined ? metadata : (edit.metadata ?? undefined),
  };
  const isHeard = to.title !== title || to.description !== description;
  if (isHeard) return { from, to, event: channelNotice(CHANNEL_UPDATED, { ...channel, ...to }, by) };
  return to.metadata === metadata ? undefined : { from, to };
}
