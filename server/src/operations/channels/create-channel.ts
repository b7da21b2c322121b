import type { AttachRules } from "../../domain/bots/listing.js";
import { InvalidInput } from "../../domain/errors.js";
import type { Channel } from "../../domain/events/channel.js";
import { newId } from "../../domain/ids.js";
import { capReached, type OwnerCap } from "../../domain/owners/standing.js";
import type { ChannelRules, NewChannel, OwnerActor, Store } from "../../store/store.js";
import { encodeMetadata, type Metadata } from "../encode-metadata.js";

/** The most channels that an owner may have, and what attaching a bot is bound to. */
export interface ChannelCaps extends AttachRules {
  perOwner: OwnerCap;
}

/** The same for the store, which does not tell who has set the number. */
export function rulesOf({ perOwner, ...rules }: ChannelCaps): ChannelRules {
  return { perOwner: perOwner.most, ...rules };
}

/** The properties of a new channel. The slug is made of the id, and `description` empty, when left out. */
export interface ChannelDraft extends OwnerActor {
  slug?: string | undefined;
  title: string;
  description?: string | undefined;
  externalId?: string | undefined;
  metadata?: Metadata | undefined;
}

/**
 * @param cap the most that the owner may have
 * @throws InvalidInput when the owner has as many already, the slug or the external id is taken, or the metadata are too
 *   much
 */
export async function createChannel(store: Store, draft: ChannelDraft, cap: OwnerCap): Promise<Channel> {
  const channel = await storeChannel(store, draft, cap);
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
  cap: OwnerCap,
): Promise<Channel | "external id taken"> {
  const made = newChannel(draft);
  const channel = await store.createChannel(made, cap.most);
  if (channel === "too many") throw tooManyChannels(cap);
  if (!channel) throw new InvalidInput(`slug "${made.slug}" is already taken: choose another`, "slug_taken");
  return channel;
}

/** @throws InvalidInput when the metadata are too much */
export function newChannel(draft: ChannelDraft): NewChannel {
  const id = newId();
  const metadata = draft.metadata && encodeMetadata(draft.metadata);
  return {
    id,
    slug: draft.slug ?? slugOf(id),
    title: draft.title,
    description: draft.description ?? "",
    ownerUserId: draft.ownerUserId,
    isPlatform: draft.isPlatform,
    audit: draft.audit,
    ...(draft.externalId === undefined ? {} : { externalId: draft.externalId }),
    ...(metadata ? { metadata } : {}),
    createdAt: Date.now(),
  };
}

/** The slug of a channel whose holder gave it none. */
export function slugOf(id: string): string {
  return `c-${id}`;
}

export function tooManyChannels(cap: OwnerCap): InvalidInput {
  return new InvalidInput(capReached(cap, "channel"), "too_many_channels");
}
