import type { ErrorCode } from "../../domain/error-codes.js";
import { InvalidInput } from "../../domain/errors.js";
import type { Store } from "../../store/store.js";
import { createOwnerStandings, type Kept, type OwnerStandings } from "../credentials/owner-standings.js";
import { createTokenBuckets, type TokenBuckets } from "./token-buckets.js";

/** An owner has published as many posts in a second as the platform lets them. */
export class OwnerPostLimit extends Error {
  override readonly name = "OwnerPostLimit";
  readonly code = "owner_post_limit" satisfies ErrorCode;
}

type Refusal = OwnerPostLimit | InvalidInput | undefined;

/**
 * Limits of what is published, where there are any: how much an owner and the owner's bots publish in a second, counted by this instance; and how
 * much an owner's channels keep, as far as the upkeep has counted it.
 */
export interface PostLimit {
  /**
   * Counts a post, an edit or another event of an owner in a channel of theirs.
   *
   * @param isKept false when it is in no channel
   * @returns the error when there are too many; a promise only when the store has to be asked
   */
  refusalOf(ownerUserId: string, isKept?: boolean): Refusal | Promise<Refusal>;
  /** @throws OwnerPostLimit, InvalidInput */
  admit(ownerUserId: string, isKept?: boolean): Promise<void>;
  /**
   * The same for a bot of the owner, in a channel of any.
   *
   * @throws OwnerPostLimit, InvalidInput
   */
  admitIn(channelId: string, ownerUserId: string): Promise<void>;
}

/** What the platform has decided about owners, and what follows for what they publish: by a request or by a webhook's answer. */
export interface OwnerLimits {
  standings: OwnerStandings;
  postLimit: PostLimit;
}

/** @param caps what the configuration says */
export function createOwnerLimits(
  store: Pick<Store, "findOwner" | "readKeptBytes" | "findHolders" | "events">,
  caps: Parameters<typeof createOwnerStandings>[1],
): OwnerLimits {
  const standings = createOwnerStandings(store, caps);
  return { standings, postLimit: createPostLimit(standings, store) };
}

/** Plans are few; with more limits than this the buckets of all are full again. */
const MAX_SIZES = 1_000;
/** Channels whose holders are known, at about 150 bytes each: a channel never changes hands. */
const MAX_CHANNELS = 50_000;

function createPostLimit(standings: OwnerStandings, store: Pick<Store, "findHolders">): PostLimit {
  /** By the limit, which is also how many there may be at once. */
  const bySize = new Map<number, TokenBuckets>();
  const holders = new Map<string, string>();

  const count = (ownerUserId: string, perSecond: number | undefined): Refusal => {
    if (perSecond === undefined) return undefined;
    let buckets = bySize.get(perSecond);
    if (!buckets) {
      if (bySize.size >= MAX_SIZES) bySize.clear();
      buckets = createTokenBuckets({ burst: perSecond, perSecond });
      bySize.set(perSecond, buckets);
    }
    if (buckets.take(ownerUserId).allowed) return undefined;
    return new OwnerPostLimit(
      `the platform lets this owner and their bots publish ${perSecond} post${perSecond === 1 ? "" : "s"} a second, with edits and other events: try again in 1 s`,
    );
  };

  const refusalOf: PostLimit["refusalOf"] = (ownerUserId, isKept = true) => {
    const standing = standings.of(ownerUserId);
    if (standing instanceof Promise) return standing.then(() => refusalOf(ownerUserId, isKept));
    const full = isKept ? standings.keptOf(ownerUserId) : undefined;
    const perSecond = standing?.limits.postsPerSecond;
    if (full instanceof Promise)
      return full.then((kept) => refusalOfKept(kept) ?? count(ownerUserId, perSecond));
    return refusalOfKept(full) ?? count(ownerUserId, perSecond);
  };

  const holderOf = async (channelId: string): Promise<string | undefined> => {
    const known = holders.get(channelId);
    if (known !== undefined) return known;
    const holder = (await store.findHolders([channelId])).get(channelId);
    if (holders.size >= MAX_CHANNELS) holders.clear();
    if (holder !== undefined) holders.set(channelId, holder);
    return holder;
  };

  const admit: PostLimit["admit"] = async (ownerUserId, isKept) => {
    const refusal = await refusalOf(ownerUserId, isKept);
    if (refusal) throw refusal;
  };
  return {
    refusalOf,
    admit,
    async admitIn(channelId, ownerUserId) {
      const holder = await holderOf(channelId);
      const refusal = holder === undefined ? undefined : refusalOfKept(await standings.keptOf(holder));
      // What the holder keeps, and may keep, is for the holder and the platform alone.
      if (refusal && holder !== ownerUserId) throw holderIsFull();
      if (refusal) throw refusal;
      await admit(ownerUserId, false);
    },
  };
}

function holderIsFull(): InvalidInput {
  return new InvalidInput(
    "the channels of this channel's holder keep as many bytes as they may: the holder can delete posts or channels",
    "too_many_bytes",
  );
}

function refusalOfKept(kept: Kept | undefined): Refusal {
  if (!kept || kept.used < kept.cap.most) return undefined;
  const { most, setBy } = kept.cap;
  const limit = setBy === "platform" ? `the platform lets them keep ${most}` : `one owner may keep ${most}`;
  return new InvalidInput(
    `the channels of this owner keep ${kept.used} bytes, and ${limit}: delete posts or channels, which counts within minutes`,
    "too_many_bytes",
  );
}
