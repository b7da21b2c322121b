import { InvalidInput, NotFound } from "../../domain/errors.js";
import type { Channel } from "../../domain/events/channel.js";
import type { OwnerCap } from "../../domain/owners/standing.js";
import { Contended, type Store } from "../../store/store.js";
import { type ChannelDraft, storeChannel } from "./create-channel.js";
import { CHANGED_ALL_THE_TIME, editChannel } from "./edit-channel.js";

/** Tries when other calls create or delete the channel between two steps of this one. */
const MAX_RACES = 20;

/**
 * Creates the channel with this external id, or changes the given fields of an existing one.
 *
 * @param cap the most that the owner may have
 * @throws InvalidInput when the owner has too many, when the slug is taken, or is not the one that the channel has; or
 *   the metadata are too much
 * @throws Contended when other calls create, edit or delete the channel again and again
 */
export async function putExternalChannel(
  store: Store,
  draft: ChannelDraft & { externalId: string },
  cap: OwnerCap,
): Promise<{ channel: Channel; isNew: boolean }> {
  const { ownerUserId, isPlatform, audit, externalId, slug, title, description, metadata } = draft;
  for (let races = 0; races < MAX_RACES; races += 1) {
    const found = await store.findExternalChannel(ownerUserId, externalId);
    if (!found) {
      const made = await storeChannel(store, draft, cap);
      if (made === "external id taken") continue;
      return { channel: made, isNew: true };
    }
    if (slug !== undefined && slug !== found.slug) {
      throw new InvalidInput(
        `the channel has the slug "${found.slug}", which cannot be changed`,
        "slug_fixed",
      );
    }
    try {
      const ref = { ownerUserId, isPlatform, audit, channelId: found.id };
      return { channel: await editChannel(store, ref, { title, description, metadata }), isNew: false };
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  }
  throw new Contended(CHANGED_ALL_THE_TIME);
}
