import { InvalidInput } from "../../domain/errors.js";
import type { Channel } from "../../domain/events/channel.js";
import { newId } from "../../domain/ids.js";
import type { OwnerActor, Store } from "../../store/store.js";
import { encodeMetadata, type Metadata } from "../encode-metadata.js";

/** The properties of a new channel. The slug is made of the id, and `description` empty, when left out. */
export interface ChannelDraft extends OwnerActor {
  slug?: string | undefined;
  title: string;
  description?: string | undefined;
  externalId?: string | undefined;
  metadata?: Metadata | undefined;
}

/**
 * @param maxChannels the most that one owner may have
 * @throws InvalidInput when the owner has as many already, the slug or the external id is taken, or the metadata are too
 *   much
 */
export async function createChannel(
  store: Store,
  draft: ChannelDraft,
  maxChannels: number,
): Promise<Channel> {
  const channel = await storeChannel(store, draft, maxChannels);
  if (channel === "external id taken") {
    throw new InvalidInput("you have a channel with this external_id already", "external_id_taken");
  }
  return channel;
}

/**
 * The same, but it does not throw when the owner already has a channel with this external id.
 *
 * @throws InvalidInput when the owner has too many, the slug is taken, or the metadata are too much
 */
export async function storeChannel(
  store: Store,
  draft: ChannelDraft,
  maxChannels: number,
): Promise<Channel | "external id taken"> {
  const id = newId();
  const metadata = draft.metadata && encodeMetadata(draft.metadata);
  const slug = draft.slug ?? slugOf(id);
  const made = {
    id,
    slug,
    title: draft.title,
    description: draft.description ?? "",
    ownerUserId: draft.ownerUserId,
    isPlatform: draft.isPlatform,
    audit: draft.audit,
    ...(draft.externalId === undefined ? {} : { externalId: draft.externalId }),
    ...(metadata ? { metadata } : {}),
    createdAt: Date.now(),
  };
  const channel = await store.createChannel(made, maxChannels);
  if (channel === "too many") throw tooManyChannels(maxChannels);
  if (!channel) throw new InvalidInput(`slug "${slug}" is already taken: choose another`, "slug_taken");
  return channel;
}

/** The slug of a channel whose holder gave it none. */
export function slugOf(id: string): string {
  return `c-${id}`;
}

export function tooManyChannels(maxChannels: number): InvalidInput {
  return new InvalidInput(
    `you have ${maxChannels} channels, the most that one owner may have: delete one first`,
    "too_many_channels",
  );
}
