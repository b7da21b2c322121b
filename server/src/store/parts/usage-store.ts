import type { Usage, UsageDays } from "../../domain/owners/usage.js";

export interface OwnerUsage extends Usage {
  ownerUserId: string;
}

/**
 * What owners have used, by day. It is counted by the upkeep after the fact, each thing once: the position and the counters up to which
 * it has come are stored with the counts.
 */
export interface UsageStore {
  /** By day; without days on which nothing was counted. */
  readUsage(ownerUserId: string, days: UsageDays): Promise<Usage[]>;
  /** Of all owners, by day and user id; what follows this day and owner, when they are given. */
  listUsage(
    days: UsageDays,
    limit: number,
    after?: Pick<OwnerUsage, "day" | "ownerUserId">,
  ): Promise<OwnerUsage[]>;
  /**
   * The bytes of posts, edits and other events that the owner's channels keep, as far as they are counted: by the upkeep's `count`, which
   * also notes what was removed since.
   */
  readKeptBytes(ownerUserId: string): Promise<number>;
}
