import type { OwnerLimits, OwnerStanding } from "../../domain/owners/standing.js";
import type { Audited } from "./audit-store.js";

/** Fields that are left out stay unchanged. */
export interface OwnerEdit extends Audited {
  /** Null lifts it. */
  suspension?: { reason: string } | null | undefined;
  /** Null: what the configuration says. */
  limits?: { [Name in keyof OwnerLimits]?: number | null | undefined };
  /** Null removes it. */
  metadata?: string | null | undefined;
}

export interface OwnerChange {
  owner: OwnerStanding;
  /** The bots that were taken out of service by it, or put back. */
  botIds: string[];
  /** For how long from now on an instance that has missed the hint may still go by what was before, in milliseconds. */
  outlastMs: number;
}

/**
 * `paused`: nothing of the owner is changed until that time, in milliseconds since the epoch. `left`: only the other cell has what is theirs.
 * `arriving`: from the other cell, and not served here yet.
 */
export interface OwnerMove {
  moveId: string;
  state: "paused" | "left" | "arriving";
  otherCell: string;
  pausedUntil?: number | undefined;
}

/** What the platform decides about owners. */
export interface OwnerStore {
  /** @returns undefined for an owner of whom the platform has said nothing */
  findOwner(ownerUserId: string): Promise<OwnerStanding | undefined>;
  /** By user id; those after the owner `after` when that is given. */
  listOwners(limit: number, after?: string): Promise<OwnerStanding[]>;
  /**
   * Suspending takes all bots of the owner out of service, as {@link Store.setBotDisabled} does, and those that are made until it is
   * lifted. Lifting puts those back that neither the owner nor the platform has disabled. Suspending again changes the reason.
   */
  putOwner(ownerUserId: string, edit: OwnerEdit, now: number): Promise<OwnerChange>;
  /** How many webhooks the bots of the owner have, `most` at most. */
  countWebhooks(ownerUserId: string, most: number): Promise<number>;
  /** Whether the owner is being moved to or from another cell, or has moved there; undefined of an owner who lives here, and where there are no cells. */
  readOwnerMove(ownerUserId: string): Promise<OwnerMove | undefined>;
  /** Why the owner of the bot with this token is suspended; undefined when they are not, or there is no such bot. */
  readSuspension(tokenHash: string): Promise<string | undefined>;
}
