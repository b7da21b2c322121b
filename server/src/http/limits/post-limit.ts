import type { ErrorCode } from "../../domain/error-codes.js";
import type { OwnerStandings } from "../credentials/owner-standings.js";
import { createTokenBuckets, type TokenBuckets } from "./token-buckets.js";

/** An owner has published as many posts in a second as the platform lets them. */
export class OwnerPostLimit extends Error {
  override readonly name = "OwnerPostLimit";
  readonly code = "owner_post_limit" satisfies ErrorCode;
}

/** A limit of the posts of an owner and of the owner's bots together, where the platform has set one; counted by this instance. */
export interface PostLimit {
  /**
   * Counts a post of the owner.
   *
   * @returns the error when there are too many; a promise only when the store has to be asked
   */
  refusalOf(ownerUserId: string): OwnerPostLimit | undefined | Promise<OwnerPostLimit | undefined>;
  /** @throws OwnerPostLimit */
  admit(ownerUserId: string): Promise<void>;
}

/** Plans are few; with more limits than this the buckets of all are full again. */
const MAX_SIZES = 1_000;

export function createPostLimit(standings: OwnerStandings): PostLimit {
  /** By the limit, which is also how many there may be at once. */
  const bySize = new Map<number, TokenBuckets>();

  const count = (ownerUserId: string, perSecond: number | undefined): OwnerPostLimit | undefined => {
    if (perSecond === undefined) return undefined;
    let buckets = bySize.get(perSecond);
    if (!buckets) {
      if (bySize.size >= MAX_SIZES) bySize.clear();
      buckets = createTokenBuckets({ burst: perSecond, perSecond });
      bySize.set(perSecond, buckets);
    }
    if (buckets.take(ownerUserId).allowed) return undefined;
    return new OwnerPostLimit(
      `the platform lets this owner and their bots publish ${perSecond} posts a second: try again in 1 s`,
    );
  };

  const refusalOf: PostLimit["refusalOf"] = (ownerUserId) => {
    const standing = standings.of(ownerUserId);
    return standing instanceof Promise
      ? standing.then((read) => count(ownerUserId, read?.limits.postsPerSecond))
      : count(ownerUserId, standing?.limits.postsPerSecond);
  };
  return {
    refusalOf,
    async admit(ownerUserId) {
      const refusal = await refusalOf(ownerUserId);
      if (refusal) throw refusal;
    },
  };
}
