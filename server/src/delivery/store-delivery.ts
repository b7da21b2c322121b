import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { MAX_DUE_READ_BYTES } from "../domain/limits.js";
import type { DueRead, DueUpdates, Store } from "../store/store.js";
import { createBatchLoop } from "./batch-loop.js";
import type { DeliveryLog } from "./delivery-log.js";
import { holdLanes, type RunLane } from "./lanes/held-lanes.js";
import { createLaneRunner, type LaneRunner } from "./lanes/lane-runner.js";
import type { RunnerContext } from "./lanes/runner-shapes.js";
import { createTargetAge } from "./ledger/target-age.js";
import type { UnsentBytes } from "./ledger/unsent-bytes.js";
import { createRecorder } from "./record-outcomes.js";
import { watchStoreOutage } from "./store-outage.js";
import type { LaneCounts } from "./tally.js";

const MAX_LANES_PER_CALL = 256;
/**
 * Outcomes wait this long for others, since a batch changes the row of every lane in it. The price: an update's state
 * is known later, and a crash repeats more deliveries. With 5 ms a batch of a hundred busy bots had hardly more than
 * one outcome for each lane, which took a fifth more processor time on PostgreSQL (service and server together) and a
 * tenth more on SQLite.
 */
const GATHER_OUTCOMES_MS = 20;
/**
 * Reads that only refresh a lane's target wait this long for others: the lane continues to send meanwhile. Without it a
 * hundred busy lanes made 126 calls of the store a second, with it 21.
 */
const GATHER_REFRESHES_MS = 20;
/** How long `stop` waits for the last outcomes to be recorded. */
const RECORD_GRACE_MS = 500;
/** How long it then waits for the lanes to be released. */
const RELEASE_GRACE_MS = 500;

/** What the lanes of all stores share. */
export interface SharedDelivery
  extends Pick<
    RunnerContext,
    "slots" | "sender" | "secretBox" | "logUnreadable" | "takeResponse" | "retrySchedule"
  > {
  unsent: UnsentBytes;
  log: DeliveryLog;
  logger: Logger;
}

/** The deliveries of one store: each cell has its own, so that none waits for the store of another. */
export interface StoreDelivery {
  countLanes(): LaneCounts;
  start(): void;
  /** Claims no more lanes, and reads no more updates. */
  stopClaiming(): void;
  /** Records the last outcomes and releases all lanes; to be called when no attempt is in flight. Never rejects. */
  end(): Promise<void>;
}

export function createStoreDelivery(store: Store, shared: SharedDelivery): StoreDelivery {
  const { unsent, log, logger, ...context } = shared;
  const outage = watchStoreOutage(logger);
  const targetAge = createTargetAge();
  const recorder = createRecorder(store, logger);
  const timedReads: DueStore = {
    skipRemaining: store.skipRemaining,
    async readDueUpdates(due, now) {
      const beganAt = performance.now();
      const found = await store.readDueUpdates(due, now);
      if (targetAge.readTook(performance.now() - beganAt)) lanes.renew();
      return found;
    },
  };
  const dueReads = {
    run: (runners: LaneRunner[]) => readDue(timedReads, unsent, runners),
    maxItems: MAX_LANES_PER_CALL,
    onRefused: (runner: LaneRunner, error: unknown) => lanes.abandonLane(runner, error),
  };
  const reads = createBatchLoop(outage, dueReads);
  const refreshes = createBatchLoop(outage, { ...dueReads, gatherMs: GATHER_REFRESHES_MS });
  const records = createBatchLoop<LaneRunner>(outage, {
    run: recorder.record,
    maxItems: MAX_LANES_PER_CALL,
    gatherMs: GATHER_OUTCOMES_MS,
    onRefused: recorder.recordIndividually,
  });
  const runLane: RunLane = (lane, mayHaveMore, lease, holder) =>
    createLaneRunner(lane, mayHaveMore, lease, {
      ...context,
      unsent,
      log,
      onReadWanted: (runner, isUrgent) => (isUrgent ? reads : refreshes).add(runner),
      onOutcome: records.add,
      ...holder,
    });
  const lanes = holdLanes({ store, outage, unsent, targetAge, log, runLane });

  return {
    countLanes: lanes.count,
    start() {
      store.events.on("appended", lanes.logsGrew);
      store.events.on("laneChanged", lanes.deliveryChanged);
      store.events.on("postsErased", lanes.postsErased);
      // Lanes that were claimed before it are lost: this finds out which.
      store.events.on("failedOver", lanes.renew);
      lanes.begin();
    },
    stopClaiming() {
      store.events.off("appended", lanes.logsGrew);
      store.events.off("laneChanged", lanes.deliveryChanged);
      store.events.off("postsErased", lanes.postsErased);
      store.events.off("failedOver", lanes.renew);
      lanes.stopClaiming();
      reads.stop();
      refreshes.stop();
    },
    async end() {
      await Promise.race([records.drained(), elapsed(RECORD_GRACE_MS)]);
      records.stop();
      await Promise.race([lanes.end(), elapsed(RELEASE_GRACE_MS)]);
    },
  };
}

type DueStore = Pick<Store, "readDueUpdates" | "skipRemaining">;

async function readDue(store: DueStore, unsent: UnsentBytes, runners: LaneRunner[]): Promise<void> {
  const fairShare = Math.floor(MAX_DUE_READ_BYTES / runners.length);
  const reads = runners.flatMap((runner) => {
    const read = runner.beginRead();
    return read ? { ...read, maxBytes: Math.min(fairShare, roomFor(runner, unsent)) } : [];
  });
  if (reads.length === 0) return;
  const dueById = new Map((await readAllDue(store, reads)).map((due) => [due.destinationId, due]));
  for (const runner of runners) {
    const due = dueById.get(runner.destinationId);
    if (due) runner.endRead(due);
  }
}

/** Skips one step further for each lane that has updates to skip, and whose read found fewer than its limit. */
async function readAllDue(store: DueStore, reads: readonly DueRead[]): Promise<DueUpdates[]> {
  const found = await store.readDueUpdates(reads, Date.now());
  const short = reads.filter(({ limit }, index) => {
    const due = found[index];
    return due?.isSkipping && !due.isCutShort && due.updates.length < limit;
  });
  if (short.length === 0) return found;
  await store.skipRemaining(short.map(({ destinationId }) => destinationId));
  return [...found, ...(await store.readDueUpdates(short, Date.now()))];
}

/** Without room the read still returns one update, so that the lane makes progress. */
function roomFor({ ownerUserId }: LaneRunner, unsent: UnsentBytes): number {
  return Math.max(0, unsent.roomFor(ownerUserId));
}

/** Resolves after `ms`, without keeping the process alive for it. */
export function elapsed(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
