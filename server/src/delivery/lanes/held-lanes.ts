import { newId } from "../../domain/ids.js";
import type { ClaimedLane, LogHead, Store } from "../../store/store.js";
import { createBatchLoop } from "../batch-loop.js";
import type { DeliveryLog } from "../delivery-log.js";
import type { TargetAge } from "../ledger/target-age.js";
import type { UnsentBytes } from "../ledger/unsent-bytes.js";
import type { StoreOutage } from "../store-outage.js";
import type { LaneCounts } from "../tally.js";
import { createHeldMap } from "./held-map.js";
import { createLaneClaims } from "./lane-claims.js";
import type { LaneRunner, Lease } from "./lane-runner.js";

/** A lease expires when it was not renewed for this long. When this process dies, its bots wait at most this long. */
const LEASE_MS = 8_000;
const RENEW_EVERY_MS = 2_000;
/**
 * An idle lane is kept for this long, so that a bot with regular traffic does not need a release and a claim for each
 * update.
 */
const LINGER_MS = 250;
const MAX_LANES_PER_RELEASE = 256;

/** The lanes that this process holds: claimed when they are due, kept while there is work, released. */
export interface HeldLanes {
  begin(): void;
  /** Claims no more lanes. Those that are held stay so. */
  stopClaiming(): void;
  /**
   * Releases every lane; to be called when no attempt is in flight. While the store is unavailable it takes until the
   * store rejects; leases that are not released expire.
   */
  end(): Promise<void>;
  count(): LaneCounts;
  /** Renews all leases now, because a longer age of targets has become necessary. */
  renew(): void;
  /** Stops working on a lane that the store refuses, until its lease has expired. Attempts in flight still end. */
  abandonLane(runner: LaneRunner, error: unknown): void;
  readonly logsGrew: (heads: readonly LogHead[]) => void;
  readonly deliveryChanged: (botId: string) => void;
  readonly postsErased: (postId: string) => void;
}

/** What a held lane asks of its holder. */
export interface LaneHolder {
  onIdle(runner: LaneRunner): void;
  onOver(runner: LaneRunner): void;
}

/** Makes the runner of a claimed lane. */
export type RunLane = (
  lane: ClaimedLane,
  mayHaveMore: boolean,
  lease: Lease,
  holder: LaneHolder,
) => LaneRunner;

export interface HeldLanesOptions {
  store: Store;
  outage: StoreOutage;
  unsent: UnsentBytes;
  targetAge: TargetAge;
  log: Pick<DeliveryLog, "lanesLost" | "laneRefused">;
  runLane: RunLane;
}

export function holdLanes(options: HeldLanesOptions): HeldLanes {
  const { store, outage, unsent, targetAge, log, runLane } = options;
  const holder = newId();
  /** A lane that is over stays here until its release is confirmed. By then this process may have claimed it again. */
  const held = createHeldMap();
  /** Idle lanes with the time they became idle, the earliest first. */
  const idleSince = new Map<LaneRunner, number>();
  let lingerTimer: NodeJS.Timeout | undefined;
  let renewTimer: NodeJS.Timeout | undefined;
  const renewals = createBatchLoop<"renew">(outage, { run: renew, maxItems: 1 });
  const releases = createBatchLoop<LaneRunner>(outage, {
    run: release,
    maxItems: MAX_LANES_PER_RELEASE,
    onRefused: abandonLane,
  });
  const shared = { store, outage, unsent, targetAge };
  const claims = createLaneClaims({ ...shared, holder, leaseMs: LEASE_MS, held, adopt });

  return {
    begin() {
      renewTimer = setInterval(() => renewals.add("renew"), RENEW_EVERY_MS);
      claims.request();
    },
    stopClaiming: claims.stop,
    async end() {
      clearInterval(renewTimer);
      renewals.stop();
      releases.stop();
      await Promise.all([claims.ended(), renewals.drained(), releases.drained()]);
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
    renew: () => renewals.add("renew"),
    abandonLane,

    logsGrew(heads) {
      let mayClaim = false;
      for (const head of heads) {
        const runner = held.get(head.botId);
        if (runner && !runner.isOver()) {
          runner.logGrew(head);
        } else {
          claims.logGrew(head.botId, head.lastUpdateId);
          mayClaim ||= head.isClaimable;
        }
        for (const further of held.furtherOf(head.botId)) if (!further.isOver()) further.logGrew(head);
        if (head.isFurtherClaimable === undefined) continue;
        claims.logGrew(head.botId, head.lastUpdateId);
        mayClaim ||= head.isFurtherClaimable;
      }
      if (mayClaim) claims.request();
    },
    deliveryChanged(botId) {
      held.get(botId)?.deliveryChanged();
      for (const further of held.furtherOf(botId)) further.deliveryChanged();
      claims.deliveryChanged(botId);
      claims.request();
    },
    postsErased(postId) {
      for (const runner of held.values()) runner.postsErased(postId);
      claims.postsErased();
    },
  };

  function adopt(lane: ClaimedLane, mayHaveMore: boolean, lease: Lease): LaneRunner {
    const before = held.get(lane.destinationId);
    if (before) {
      // Claimed although it is held: its lease expired unnoticed.
      if (!before.isOver()) log.lanesLost(1);
      lose(before);
    }
    const runner = runLane(lane, mayHaveMore, lease, { onIdle, onOver });
    held.set(runner);
    runner.begin();
    return runner;
  }

  function onIdle(runner: LaneRunner): void {
    // A lane that is idle again moves to the end.
    idleSince.delete(runner);
    idleSince.set(runner, performance.now());
    lingerTimer ??= setTimeout(endIdle, LINGER_MS);
  }

  function endIdle(): void {
    const now = performance.now();
    lingerTimer = undefined;
    for (const [runner, since] of idleSince) {
      if (now - since < LINGER_MS && runner.isIdle()) {
        lingerTimer = setTimeout(endIdle, LINGER_MS);
        return;
      }
      idleSince.delete(runner);
      if (runner.isIdle()) runner.end();
    }
  }

  function onOver(runner: LaneRunner): void {
    if (held.get(runner.destinationId) === runner) releases.add(runner);
  }

  /** Updates that became due meanwhile are found by the next claim. */
  async function release(runners: readonly LaneRunner[]): Promise<void> {
    const lanes = runners
      .filter((runner) => held.get(runner.destinationId) === runner && runner.mayRelease())
      .map((runner) => runner.release());
    if (lanes.length > 0) await store.releaseLanes(holder, lanes, Date.now());
    for (const runner of runners) forget(runner);
    claims.request();
  }

  function abandonLane(runner: LaneRunner, error: unknown): void {
    log.laneRefused(runner.botId, error);
    forget(runner);
    runner.end();
  }

  function lose(runner: LaneRunner): void {
    forget(runner);
    runner.leaseLost();
  }

  function forget(runner: LaneRunner): void {
    idleSince.delete(runner);
    held.delete(runner);
  }

  async function renew(): Promise<void> {
    const runners = [...held.values()];
    if (runners.length === 0) return;
    const leaseUntil = performance.now() + LEASE_MS;
    const targetAgeMs = targetAge.ms();
    for (const runner of runners) runner.ageLimitOffered(targetAgeMs);
    const ids = runners.map(({ destinationId }) => destinationId);
    const lost = new Set(await store.renewLeases(holder, ids, LEASE_MS, targetAgeMs));
    let lostCount = 0;
    for (const runner of runners) {
      if (!lost.has(runner.destinationId)) {
        runner.leaseExtended(leaseUntil, targetAgeMs);
      } else if (held.get(runner.destinationId) === runner) {
        // The lease of a bot that was deleted or disabled is no loss.
        if (runner.isActive()) lostCount += 1;
        lose(runner);
      }
    }
    if (lostCount > 0) log.lanesLost(lostCount);
  }
}
