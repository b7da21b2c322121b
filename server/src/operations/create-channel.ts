import type { Channel } from "../domain/channel.js";
import { InvalidInput } from "../domain/errors.js";
import { newId } from "../domain/ids.js";
import type { Store } from "../store/store.js";

/** The properties of a new channel. `description` is empty when left out. */
export interface ChannelDraft {
  ownerUserId: string;
  slug: string;
  title: string;
  description?: string;
}

/** @throws InvalidInput when the slug is taken */
export async function createChannel(store: Store, draft: ChannelDraft): Promise<Channel> {
  const channel = await store.createChannel({
    id: newId(),
    slug: draft.slug,
    title: draft.title,
    description: draft.description ?? "",
    ownerUserId: draft.ownerUserId,
    createdAt: Date.now(),
  });
  if (!channel) throw new InvalidInput(`slug "${draft.slug}" is already taken: choose another`);
  return channel;
}
