import { isProbing } from "../../domain/delivery/lane-health.js";
import { type DueUpdate, isRefused } from "../../domain/events/update.js";
import { MAX_DUE_READ_BYTES } from "../../domain/limits.js";
import type { ClaimedLane, Store } from "../../store/store.js";
import { createBatchLoop } from "../batch-loop.js";
import type { TargetAge } from "../ledger/target-age.js";
import type { UnsentBytes } from "../ledger/unsent-bytes.js";
import type { StoreOutage } from "../store-outage.js";
import type { HeldMap } from "./held-map.js";
import type { LaneRunner, Lease } from "./lane-runner.js";
import { lanesToRelease, shareLanes } from "./lane-shares.js";

/** How often due lanes are claimed without a hint, and how often waiting lanes replace held lanes of the same owner. */
const BACKSTOP_MS = 2_000;
/** The same while lanes of owners who have their share are skipped: a slot may soon be free. */
const BACKSTOP_AT_SHARE_MS = 100;
/** How often room is made when all lanes are taken, by many owners. */
const MAKE_ROOM_EVERY_MS = 250;
/** The shortest wait before a claim, also when a lane should be due by now. */
const MIN_CLAIM_PAUSE_MS = 10;
const LANES_PER_CLAIM = 64;
const UPDATES_PER_LANE = 16;
const BYTES_PER_LANE = MAX_DUE_READ_BYTES / LANES_PER_CLAIM;

/** Claims lanes when they are due, as many as there is room for. */
export interface LaneClaims {
  /** Requests a claim, in the next turn of the event loop. */
  request(): void;
  /** A log grew. A claim in progress may return its lane as it was before. */
  logGrew(botId: string, lastUpdateId: number): void;
  /** Where a bot's updates go has changed. A claim in progress may return its lane as it was before. */
  deliveryChanged(botId: string): void;
  /** Posts were erased. A claim in progress may return them. */
  postsErased(): void;
  /** Begins no further claim. */
  stop(): void;
  /** Resolves when no claim is in progress. To be called after `stop`. */
  ended(): Promise<void>;
}

export interface LaneClaimsOptions {
  store: Store;
  outage: StoreOutage;
  unsent: UnsentBytes;
  targetAge: TargetAge;
  holder: string;
  leaseMs: number;
  held: Pick<HeldMap, "values">;
  /**
   * Takes a claimed lane.
   *
   * @param mayHaveMore whether more updates may be due than the claim returned
   */
  adopt(lane: ClaimedLane, mayHaveMore: boolean, lease: Lease): LaneRunner;
}

export function createLaneClaims(options: LaneClaimsOptions): LaneClaims {
  const { store, outage, unsent, targetAge, holder, leaseMs, held, adopt } = options;
  /** Bots with a hint since the last claim began: what that claim returns for them may be older. */
  const changedBots = new Set<string>();
  const logHeads = new Map<string, number>();
  let arePostsErased = false;
  let timer: NodeJS.Timeout | undefined;
  let roomMadeAt = Number.NEGATIVE_INFINITY;
  const claims = createBatchLoop<"claim">(outage, { run: claim, maxItems: 1 });
  const request = (): void => claims.add("claim");

  return {
    request,
    logGrew: (botId, lastUpdateId) => void logHeads.set(botId, lastUpdateId),
    deliveryChanged: (botId) => void changedBots.add(botId),
    postsErased() {
      arePostsErased = true;
    },
    stop: claims.stop,
    async ended() {
      await claims.drained();
      clearTimeout(timer);
    },
  };

  async function claim(): Promise<void> {
    const { room, exceptOwners } = shareLanes(held.values(), unsent);
    const limit = Math.min(LANES_PER_CLAIM, room);
    if (limit <= 0) return makeRoom(MAKE_ROOM_EVERY_MS);
    changedBots.clear();
    logHeads.clear();
    arePostsErased = false;
    // The store starts the lease later than this, so by our count it ends first.
    const claimedAt = performance.now();
    const targetAgeMs = targetAge.ms();
    const { lanes, nextDueAt, hasExcluded } = await store.claimLanes({
      holder,
      now: Date.now(),
      leaseMs,
      targetAgeMs,
      limit,
      updatesPerLane: UPDATES_PER_LANE,
      bytesPerLane: BYTES_PER_LANE,
      exceptOwners,
    });
    for (const lane of lanes) take(lane, { claimedAt, leaseUntil: claimedAt + leaseMs, targetAgeMs });
    if (lanes.length === limit) return request();
    const nextDueMs = (nextDueAt ?? Number.POSITIVE_INFINITY) - Date.now();
    requestIn(hasExcluded ? Math.min(nextDueMs, BACKSTOP_AT_SHARE_MS) : nextDueMs);
    if (hasExcluded) makeRoom(BACKSTOP_MS, exceptOwners);
  }

  function take(lane: ClaimedLane, lease: Lease): void {
    const updates = isProbing(lane.health) ? updatesToProbe(lane) : lane.updates;
    const mayHaveMore =
      lane.isSkipping ||
      lane.isCutShort === true ||
      updates.length < lane.updates.length ||
      updates.length === UPDATES_PER_LANE;
    const runner = adopt({ ...lane, updates }, mayHaveMore, lease);
    if (arePostsErased || changedBots.has(lane.botId)) runner.deliveryChanged();
    const lastUpdateId = logHeads.get(lane.botId);
    if (lastUpdateId !== undefined) runner.logGrew({ lastUpdateId });
  }

  /**
   * The first of each kind: probes take turns, and a retry that fails says nothing about the receiver. Thousands of failing
   * receivers may wait for a probe, so it takes no more. With the order of bots only the first may be sent.
   */
  function updatesToProbe({ updates, target }: ClaimedLane): DueUpdate[] {
    if (target?.settings?.order === "bot") return updates.slice(0, 1);
    const retry = updates.find(isRefused);
    const other = updates.find((update) => !isRefused(update));
    return [retry, other].filter((update) => update !== undefined);
  }

  function requestIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(request, Math.max(MIN_CLAIM_PAUSE_MS, Math.min(ms, BACKSTOP_MS)));
  }

  /**
   * Releases the lanes that were held longest, so that bots that always have something to send do not keep others out.
   *
   * @param owners whose lanes may be released; anybody's when left out
   */
  function makeRoom(everyMs: number, owners?: readonly string[]): void {
    const waitMs = roomMadeAt + everyMs - performance.now();
    if (waitMs > 0) {
      if (!owners) requestIn(waitMs);
      return;
    }
    roomMadeAt = performance.now();
    for (const runner of lanesToRelease(held.values(), unsent, LANES_PER_CLAIM, owners)) runner.end();
    // A lane that has ended has nothing queued, so there is room at once.
    request();
  }
}
