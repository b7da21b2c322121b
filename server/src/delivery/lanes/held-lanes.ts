import { newId } from "../../domain/ids.js";
import { isProbing } from "../../domain/lane-health.js";
import { MAX_DUE_READ_BYTES } from "../../domain/limits.js";
import type { ClaimedLane, LogHead, Store } from "../../store/store.js";
import { createBatchLoop } from "../batch-loop.js";
import type { DeliveryLog } from "../delivery-log.js";
import type { StoreOutage } from "../store-outage.js";
import type { LaneCounts } from "../tally.js";
import type { LaneRunner, Lease } from "./lane-runner.js";
import { lanesToGiveBack, shareLanes } from "./lane-shares.js";
import type { UnsentBytes } from "./unsent-bytes.js";

/** How long a lane stays ours without a word from us: what its bot waits at most when this process dies. */
const LEASE_MS = 8_000;
const RENEW_EVERY_MS = 2_000;
/** How often to look for due lanes when no hint comes, and how often an owner's lanes that wait take the turn of others. */
const BACKSTOP_MS = 2_000;
/** How often room is made when all lanes are taken, by many owners. */
const MAKE_ROOM_EVERY_MS = 250;
/** The same while lanes of owners who have their share are passed over: soon some of these may have been sent. */
const BACKSTOP_AT_SHARE_MS = 100;
/** The soonest to look again for a lane that should be due by now. */
const MIN_CLAIM_PAUSE_MS = 10;
/** An idle lane is kept for this long: a bot with regular traffic is spared a release and a claim for each update. */
const LINGER_MS = 250;
const LANES_PER_CLAIM = 64;
const UPDATES_PER_LANE = 16;
const BYTES_PER_LANE = MAX_DUE_READ_BYTES / LANES_PER_CLAIM;
const MAX_LANES_PER_RELEASE = 256;

/** The lanes that this process holds: claimed when they are due, kept while there is work, given back. */
export interface HeldLanes {
  begin(): void;
  /** Claims no more lanes. Those that are held stay so. */
  claimNoMore(): void;
  /**
   * Gives every lane back. To be called when nothing is under way any more. With a store that does not serve it takes as
   * long as the store does to say so; leases that are not given back run out.
   */
  end(): Promise<void>;
  count(): LaneCounts;
  /** Leaves a lane alone that the store refuses, until its lease has run out. What it has begun is still finished. */
  letGo(runner: LaneRunner, error: unknown): void;
  readonly logsGrew: (heads: readonly LogHead[]) => void;
  readonly laneChanged: (botId: string) => void;
}

/** Makes the runner of a claimed lane. */
export type RunLane = (
  lane: ClaimedLane,
  mayHaveMore: boolean,
  lease: Lease,
  onIdle: (runner: LaneRunner) => void,
) => LaneRunner;

export interface HeldLanesOptions {
  store: Store;
  outage: StoreOutage;
  unsent: UnsentBytes;
  log: Pick<DeliveryLog, "lanesLost" | "laneRefused">;
  runLane: RunLane;
}

export function holdLanes({ store, outage, unsent, log, runLane }: HeldLanesOptions): HeldLanes {
  const holder = newId();
  const held = new Map<string, LaneRunner>();
  /** Lanes that have nothing to do, and since when. */
  const idle = new Map<LaneRunner, number>();
  /** Lanes whose release has been asked for. Until it is answered the store may have given them to anybody, us included. */
  const givenBack = new Set<LaneRunner>();
  /** What a claim under way may bring in a state that is no longer true. */
  const changedSinceClaim = new Set<string>();
  /** Heads of logs whose lanes a claim under way may bring as they were before. */
  const grownSinceClaim = new Map<string, number>();
  let claimTimer: NodeJS.Timeout | undefined;
  let lingerTimer: NodeJS.Timeout | undefined;
  let renewTimer: NodeJS.Timeout | undefined;
  let roomMadeAt = Number.NEGATIVE_INFINITY;
  const claims = createBatchLoop<"claim">(outage, { run: claim, maxItems: 1 });
  const renewals = createBatchLoop<"renew">(outage, { run: renew, maxItems: 1 });
  const releases = createBatchLoop<LaneRunner>(outage, {
    run: release,
    maxItems: MAX_LANES_PER_RELEASE,
    onRefused: letGo,
  });

  return {
    begin() {
      renewTimer = setInterval(() => renewals.add("renew"), RENEW_EVERY_MS);
      claims.add("claim");
    },

    claimNoMore() {
      claims.stop();
    },

    async end() {
      clearInterval(renewTimer);
      renewals.stop();
      releases.stop();
      await Promise.all([claims.drained(), renewals.drained(), releases.drained()]);
      clearTimeout(claimTimer);
      clearTimeout(lingerTimer);
      await release([...held.values()]).catch(() => {});
    },

    count() {
      const counts = { held: held.size, failing: 0, queuedUpdates: 0, inFlight: 0 };
      for (const runner of held.values()) {
        if (runner.isFailing()) counts.failing += 1;
        counts.queuedUpdates += runner.queuedCount();
        counts.inFlight += runner.inFlight();
      }
      return counts;
    },

    letGo,

    logsGrew(heads) {
      let isMissing = false;
      for (const head of heads) {
        const runner = held.get(head.botId);
        const isOurs = runner !== undefined && !givenBack.has(runner);
        if (isOurs) runner.logGrew(head);
        else grownSinceClaim.set(head.botId, head.lastUpdateId);
        if (!isOurs && head.isClaimable) isMissing = true;
      }
      if (isMissing) claims.add("claim");
    },

    laneChanged(botId) {
      changedSinceClaim.add(botId);
      held.get(botId)?.laneChanged();
      claims.add("claim");
    },
  };

  async function claim(): Promise<void> {
    const { room, exceptOwners } = shareLanes(held.values(), unsent);
    const limit = Math.min(LANES_PER_CLAIM, room);
    if (limit <= 0) return makeRoom(MAKE_ROOM_EVERY_MS);
    changedSinceClaim.clear();
    grownSinceClaim.clear();
    // Our own account of a lease is kept on the clock that nobody sets; it begins before the store's.
    const claimedAt = performance.now();
    const lease = { claimedAt, leaseUntil: claimedAt + LEASE_MS };
    const { lanes, nextDueAt, hasPassedOver } = await store.claimLanes({
      holder,
      now: Date.now(),
      leaseMs: LEASE_MS,
      limit,
      updatesPerLane: UPDATES_PER_LANE,
      bytesPerLane: BYTES_PER_LANE,
      exceptOwners,
    });
    for (const lane of lanes) adopt(lane, lease);
    if (lanes.length === limit) return claims.add("claim");
    const nextDueMs = (nextDueAt ?? Number.POSITIVE_INFINITY) - Date.now();
    claimIn(hasPassedOver ? Math.min(nextDueMs, BACKSTOP_AT_SHARE_MS) : nextDueMs);
    if (hasPassedOver) makeRoom(BACKSTOP_MS, exceptOwners);
  }

  function claimIn(ms: number): void {
    clearTimeout(claimTimer);
    const wait = Math.max(MIN_CLAIM_PAUSE_MS, Math.min(ms, BACKSTOP_MS));
    claimTimer = setTimeout(() => claims.add("claim"), wait);
  }

  /** Bots that never fall silent must not keep the others out: the lanes held longest go back to the end of the line. */
  function makeRoom(everyMs: number, owners?: readonly string[]): void {
    const waitMs = roomMadeAt + everyMs - performance.now();
    if (waitMs > 0) {
      if (!owners) claimIn(waitMs);
      return;
    }
    roomMadeAt = performance.now();
    for (const runner of lanesToGiveBack(held.values(), unsent, LANES_PER_CLAIM, owners)) runner.end();
    // What ends has nothing to send any more, so there is room at once.
    claims.add("claim");
  }

  function adopt(lane: ClaimedLane, lease: Lease): void {
    // Claimed although it is here: its lease ran out unnoticed. The runner before finishes what it has begun.
    const before = held.get(lane.botId);
    if (before) {
      if (!givenBack.has(before)) log.lanesLost(1);
      drop(before);
    }
    // A probe needs one update, and thousands of dead receivers may wait for their turn.
    const updates = lane.updates.slice(0, isProbing(lane.health) ? 1 : UPDATES_PER_LANE);
    const mayHaveMore =
      lane.isRequeueing ||
      lane.isCutShort === true ||
      updates.length < lane.updates.length ||
      updates.length === UPDATES_PER_LANE;
    const runner = runLane({ ...lane, updates }, mayHaveMore, lease, giveBackLater);
    held.set(lane.botId, runner);
    runner.begin();
    if (changedSinceClaim.has(lane.botId)) runner.laneChanged();
    const lastUpdateId = grownSinceClaim.get(lane.botId);
    if (lastUpdateId !== undefined) runner.logGrew({ lastUpdateId });
  }

  function drop(runner: LaneRunner): void {
    runner.end();
    forget(runner);
  }

  /** Another runner of the same lane stays: the lane has been claimed anew meanwhile. */
  function forget(runner: LaneRunner): void {
    idle.delete(runner);
    givenBack.delete(runner);
    if (held.get(runner.botId) === runner) held.delete(runner.botId);
  }

  function letGo(runner: LaneRunner, error: unknown): void {
    log.laneRefused(runner.botId, error);
    drop(runner);
  }

  function giveBackLater(runner: LaneRunner): void {
    if (held.get(runner.botId) !== runner) return;
    if (runner.isOver()) return giveBack(runner);
    idle.set(runner, performance.now());
    lingerTimer ??= setTimeout(giveBackIdle, LINGER_MS);
  }

  function giveBackIdle(): void {
    lingerTimer = undefined;
    const idleBefore = performance.now() - LINGER_MS;
    for (const [runner, since] of idle) {
      if (!runner.isIdle()) idle.delete(runner);
      else if (since <= idleBefore) giveBack(runner);
    }
    if (idle.size > 0) lingerTimer = setTimeout(giveBackIdle, LINGER_MS);
  }

  function giveBack(runner: LaneRunner): void {
    idle.delete(runner);
    runner.end();
    givenBack.add(runner);
    releases.add(runner);
  }

  /** What became due in the meantime is found by the claim that follows. */
  async function release(runners: readonly LaneRunner[]): Promise<void> {
    const ours = runners.filter((runner) => held.get(runner.botId) === runner);
    const lanes = ours.map((runner) => ({
      botId: runner.botId,
      health: runner.health(),
      generation: runner.generation(),
      minutes: runner.uncounted(),
    }));
    if (lanes.length > 0) await store.releaseLanes(holder, lanes, Date.now());
    for (const runner of runners) forget(runner);
    claims.add("claim");
  }

  async function renew(): Promise<void> {
    const runners = [...held.values()];
    if (runners.length === 0) return;
    const leaseUntil = performance.now() + LEASE_MS;
    const botIds = runners.map(({ botId }) => botId);
    const lost = new Set(await store.renewLeases(holder, botIds, LEASE_MS));
    let lostCount = 0;
    for (const runner of runners) {
      if (!lost.has(runner.botId)) {
        runner.leaseExtended(leaseUntil);
      } else if (held.get(runner.botId) === runner) {
        // A lane that is over was taken from us by its owner: its bot is gone.
        if (!runner.isOver()) lostCount += 1;
        drop(runner);
      }
    }
    if (lostCount > 0) log.lanesLost(lostCount);
  }
}
