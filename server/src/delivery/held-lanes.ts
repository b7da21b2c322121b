import { newId } from "../domain/ids.js";
import { isProbing } from "../domain/lane-health.js";
import type { ClaimedLane, LogHead, Store } from "../store/store.js";
import { createBatchLoop } from "./batch-loop.js";
import type { LaneRunner, Lease } from "./lane-runner.js";
import type { StoreOutage } from "./store-outage.js";
import type { LaneCounts } from "./tally.js";

/** How long a lane stays ours without a word from us: what its bot waits at most when this process dies. */
const LEASE_MS = 8_000;
const RENEW_EVERY_MS = 2_000;
/** How often to look for due lanes when no hint comes. */
const BACKSTOP_MS = 2_000;
/** The soonest to look again for a lane that should be due by now. */
const MIN_CLAIM_PAUSE_MS = 10;
/** An idle lane is kept for this long: a bot with regular traffic is spared a release and a claim for each update. */
const LINGER_MS = 250;
const LANES_PER_CLAIM = 64;
const UPDATES_PER_LANE = 16;
/** Lanes held at once whose receivers are well. Bounds the memory of their updates; failing ones bring hardly any. */
const MAX_HEALTHY_LANES = 512;
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

/** @param onLost hears how many leases were found to be somebody else's, or nobody's, before they were given back */
export function holdLanes(
  store: Store,
  outage: StoreOutage,
  onLost: (lanes: number) => void,
  runLane: RunLane,
): HeldLanes {
  const holder = newId();
  const held = new Map<string, LaneRunner>();
  /** Lanes that have nothing to do, and since when. */
  const idle = new Map<LaneRunner, number>();
  /** What a claim under way may bring in a state that is no longer true. */
  const changedSinceClaim = new Set<string>();
  /** Heads of logs whose lanes a claim under way may bring as they were before. */
  const grownSinceClaim = new Map<string, number>();
  let claimTimer: NodeJS.Timeout | undefined;
  let lingerTimer: NodeJS.Timeout | undefined;
  let renewTimer: NodeJS.Timeout | undefined;
  const claims = createBatchLoop<"claim">(outage, 1, claim);
  const renewals = createBatchLoop<"renew">(outage, 1, renew);
  const releases = createBatchLoop<LaneRunner>(outage, MAX_LANES_PER_RELEASE, release);

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

    logsGrew(heads) {
      let isMissing = false;
      for (const head of heads) {
        const runner = held.get(head.botId);
        if (runner) runner.logGrew(head);
        else grownSinceClaim.set(head.botId, head.lastUpdateId);
        if (!runner && head.isClaimable) isMissing = true;
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
    const limit = Math.min(LANES_PER_CLAIM, MAX_HEALTHY_LANES - countHealthy(held));
    if (limit <= 0) return makeRoom();
    changedSinceClaim.clear();
    grownSinceClaim.clear();
    // Our own account of a lease is kept on the clock that nobody sets; it begins before the store's.
    const claimedAt = performance.now();
    const lease = { claimedAt, leaseUntil: claimedAt + LEASE_MS };
    const claim = { holder, now: Date.now(), leaseMs: LEASE_MS, limit, updatesPerLane: UPDATES_PER_LANE };
    const { lanes, nextDueAt = Number.POSITIVE_INFINITY } = await store.claimLanes(claim);
    for (const lane of lanes) adopt(lane, lease);
    if (lanes.length === limit) claims.add("claim");
    else claimIn(nextDueAt - Date.now());
  }

  function claimIn(ms: number): void {
    clearTimeout(claimTimer);
    const wait = Math.max(MIN_CLAIM_PAUSE_MS, Math.min(ms, BACKSTOP_MS));
    claimTimer = setTimeout(() => claims.add("claim"), wait);
  }

  /** Bots that never fall silent must not keep the others out: the lanes held longest go back to the end of the line. */
  function makeRoom(): void {
    const idleFirst = [...idle.keys(), ...held.values()].filter((runner) => !runner.isFailing());
    for (const runner of idleFirst.slice(0, LANES_PER_CLAIM)) runner.end();
    claimIn(BACKSTOP_MS);
  }

  function adopt(lane: ClaimedLane, lease: Lease): void {
    // Claimed although it is here: its lease ran out unnoticed. The runner before finishes what it has begun.
    const before = held.get(lane.botId);
    if (before) {
      drop(before);
      onLost(1);
    }
    // A probe needs one update, and thousands of dead receivers may wait for their turn.
    const updates = lane.updates.slice(0, isProbing(lane.health) ? 1 : UPDATES_PER_LANE);
    const mayHaveMore =
      lane.isRequeueing || updates.length < lane.updates.length || updates.length === UPDATES_PER_LANE;
    const runner = runLane({ ...lane, updates }, mayHaveMore, lease, giveBackLater);
    held.set(lane.botId, runner);
    if (changedSinceClaim.has(lane.botId)) runner.laneChanged();
    const lastUpdateId = grownSinceClaim.get(lane.botId);
    if (lastUpdateId !== undefined) runner.logGrew({ lastUpdateId });
  }

  function drop(runner: LaneRunner): void {
    runner.end();
    idle.delete(runner);
    held.delete(runner.botId);
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
    for (const { botId } of ours) held.delete(botId);
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
    if (lostCount > 0) onLost(lostCount);
  }
}

function countHealthy(held: ReadonlyMap<string, LaneRunner>): number {
  let count = 0;
  for (const runner of held.values()) {
    if (!runner.isFailing()) count += 1;
  }
  return count;
}
