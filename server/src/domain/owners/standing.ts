/** What an owner may have, or do in a second. Left out: what the service's configuration says. */
export interface OwnerLimits {
  bots?: number;
  channels?: number;
  postsPerSecond?: number;
  /** Webhooks of all their bots together. */
  destinations?: number;
  /** Bytes of posts, edits and other events in their channels. */
  bytesKept?: number;
}

/** What the platform has decided about an owner. Owners of whom it has said nothing have none. */
export interface OwnerStanding {
  ownerUserId: string;
  /** Milliseconds since the epoch; absent while the owner is not suspended. */
  suspendedAt?: number;
  /** In the platform's words, for the owner. */
  suspensionReason?: string;
  limits: OwnerLimits;
  /** The platform's own data about the owner: the JSON text of an object. */
  metadata?: string;
}

/** The most that an owner may have of something, and who has set that. */
export interface OwnerCap {
  most: number;
  setBy: "platform" | "service";
}

/** @param most what the configuration says */
export function capOf(limit: number | undefined, most: number): OwnerCap {
  return limit === undefined ? { most, setBy: "service" } : { most: limit, setBy: "platform" };
}

/** @param thing what it is the most of, in the singular */
export function capReached({ most, setBy }: OwnerCap, thing: string): string {
  const things = most === 1 ? thing : `${thing}s`;
  return setBy === "platform"
    ? `the platform lets you have ${most} ${things}, and you have no fewer: delete one first`
    : `one owner may have ${most} ${things}, and you have no fewer: delete one first`;
}
