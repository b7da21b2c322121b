import { MAX_LOADED_LANES } from "../../domain/limits.js";
import type { UnsentBytes } from "../ledger/unsent-bytes.js";
import type { LaneRunner } from "./lane-runner.js";

/** An owner may hold another lane while it holds less than so many times what is free: see `slots.ts`. */
const TIMES_FREE = 3;
/** A claim takes this part of what is free at most, since all of its lanes may be of one owner. */
const PART_PER_CLAIM = 1 / 4;

type HeldLane = Pick<LaneRunner, "ownerUserId" | "isFailing" | "queuedCount">;

/** How many lanes may be claimed, and whose. */
export interface LaneShares {
  /** Lanes that the next claim may take. */
  room: number;
  /** Owners who have their share. */
  exceptOwners: string[];
}

/**
 * Only lanes with queued updates count, since the shares bound memory. Lanes whose receivers fail have few updates each, and
 * are bounded by their bytes alone.
 */
export function shareLanes(held: Iterable<HeldLane>, unsent: UnsentBytes): LaneShares {
  const { loaded, byOwner } = countLoaded(held);
  const free = MAX_LOADED_LANES - loaded;
  const exceptOwners: string[] = [];
  for (const [owner, lanes] of byOwner) {
    if (lanes >= TIMES_FREE * free || unsent.roomFor(owner) <= 0) exceptOwners.push(owner);
  }
  return { room: Math.ceil(free * PART_PER_CLAIM), exceptOwners };
}

/**
 * The lanes to release so that others can be claimed: those of the owner who holds most, and of these the ones held
 * longest. A lane that has ended has nothing queued, and so is never among them.
 *
 * @param owners whose lanes may be chosen; all when left out
 */
export function lanesToRelease<Lane extends HeldLane>(
  held: Iterable<Lane>,
  unsent: UnsentBytes,
  count: number,
  owners?: readonly string[],
): Lane[] {
  const lanes = [...held];
  const { byOwner } = countLoaded(lanes);
  const lanesOf = (owner: string): number => byOwner.get(owner) ?? 0;
  return lanes
    .filter(
      (lane) =>
        lane.queuedCount() > 0 &&
        (owners?.includes(lane.ownerUserId) ?? true) &&
        (!lane.isFailing() || unsent.roomFor(lane.ownerUserId) <= 0),
    )
    .toSorted((a, b) => lanesOf(b.ownerUserId) - lanesOf(a.ownerUserId))
    .slice(0, count);
}

function countLoaded(held: Iterable<HeldLane>): { loaded: number; byOwner: Map<string, number> } {
  const byOwner = new Map<string, number>();
  let loaded = 0;
  for (const { ownerUserId, isFailing, queuedCount } of held) {
    if (queuedCount() === 0) continue;
    const counts = isFailing() ? 0 : 1;
    loaded += counts;
    byOwner.set(ownerUserId, (byOwner.get(ownerUserId) ?? 0) + counts);
  }
  return { loaded, byOwner };
}
