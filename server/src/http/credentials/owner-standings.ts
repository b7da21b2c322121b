import { Unauthenticated } from "../../domain/errors.js";
import { MAX_STANDING_AGE_MS } from "../../domain/limits.js";
import { capOf, type OwnerCap, type OwnerStanding } from "../../domain/owners/standing.js";
import type { Store } from "../../store/store.js";
import type { OwnerTokenVerifier } from "./owner-tokens.js";

/** What the platform has decided about owners, as this instance knows it. */
export interface OwnerStandings {
  /** Undefined for an owner of whom the platform has said nothing. A promise only when the store has to be asked. */
  of(ownerUserId: string): Standing | Promise<Standing>;
  /** The most bots and channels that the owner may have. */
  capsOf(ownerUserId: string): Promise<{ bots: OwnerCap; channels: OwnerCap }>;
  /**
   * What the owner's channels may keep and, as far as it is counted, do; undefined when there is no limit. A promise only when the store
   * has to be asked.
   */
  keptOf(ownerUserId: string): Kept | undefined | Promise<Kept | undefined>;
  /** The most webhooks of all their bots together; undefined when the platform has set no limit. */
  mostWebhooksOf(ownerUserId: string): Promise<number | undefined>;
}

type Standing = OwnerStanding | undefined;

/** In bytes. */
export interface Kept {
  cap: OwnerCap;
  used: number;
}

/** Larger than the owners that are at work within {@link MAX_STANDING_AGE_MS}. */
const MAX_OWNERS = 10_000;

interface Known {
  standing?: Standing;
  kept?: Kept | undefined;
  /** While it is being read. */
  reading?: Promise<Known>;
  until: number;
}

/**
 * Keeps what was read of an owner until the hint of a change, and for {@link MAX_STANDING_AGE_MS} at most: a post costs no look-up.
 *
 * @param caps what the configuration says
 */
export function createOwnerStandings(
  store: Pick<Store, "findOwner" | "readKeptBytes" | "events">,
  caps: { botsPerOwner: number; channelsPerOwner: number; bytesPerOwner?: number | undefined },
): OwnerStandings {
  const owners = new Map<string, Known>();
  store.events.on("ownerChanged", (ownerUserId) => owners.delete(ownerUserId));
  for (const event of ["hintsLost", "failedOver"] as const) store.events.on(event, () => owners.clear());

  const readKept = async (ownerUserId: string, standing: Standing): Promise<Kept | undefined> => {
    const limit = standing?.limits.bytesKept;
    const most = limit ?? caps.bytesPerOwner;
    return most === undefined
      ? undefined
      : { cap: capOf(limit, most), used: await store.readKeptBytes(ownerUserId) };
  };

  const read = (ownerUserId: string, now: number): Promise<Known> => {
    if (owners.size >= MAX_OWNERS) owners.clear();
    // What is read while a hint comes is for those who asked before it: its entry is no longer in the map.
    const known: Known = { until: now + MAX_STANDING_AGE_MS };
    const readAll = async (): Promise<Known> => {
      try {
        known.standing = await store.findOwner(ownerUserId);
        known.kept = await readKept(ownerUserId, known.standing);
        delete known.reading;
        return known;
      } catch (error) {
        if (owners.get(ownerUserId) === known) owners.delete(ownerUserId);
        throw error;
      }
    };
    known.reading = readAll();
    owners.delete(ownerUserId);
    owners.set(ownerUserId, known);
    return known.reading;
  };

  const knownOf = (ownerUserId: string): Known | Promise<Known> => {
    const now = performance.now();
    const known = owners.get(ownerUserId);
    return known && now < known.until ? (known.reading ?? known) : read(ownerUserId, now);
  };
  const of: OwnerStandings["of"] = (ownerUserId) => {
    const known = knownOf(ownerUserId);
    return known instanceof Promise ? known.then(({ standing }) => standing) : known.standing;
  };
  return {
    of,
    keptOf(ownerUserId) {
      const known = knownOf(ownerUserId);
      return known instanceof Promise ? known.then(({ kept }) => kept) : known.kept;
    },
    mostWebhooksOf: async (ownerUserId) => (await of(ownerUserId))?.limits.destinations,
    async capsOf(ownerUserId) {
      const { limits = {} } = (await of(ownerUserId)) ?? {};
      return {
        bots: capOf(limits.bots, caps.botsPerOwner),
        channels: capOf(limits.channels, caps.channelsPerOwner),
      };
    },
  };
}

/** Verifies owner tokens, and refuses those of suspended owners. */
export function refuseSuspended(tokens: OwnerTokenVerifier, standings: OwnerStandings): OwnerTokenVerifier {
  return {
    async verify(token) {
      const owner = await tokens.verify(token);
      const standing = await standings.of(owner.userId);
      if (standing?.suspendedAt !== undefined) throw ownerSuspended(standing.suspensionReason);
      return owner;
    },
  };
}

export function ownerSuspended(reason = ""): Unauthenticated {
  const why = reason === "" ? "" : `: ${reason}`;
  return new Unauthenticated(`the platform has suspended this owner${why}`, "owner_suspended");
}
