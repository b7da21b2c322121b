import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { RetrySchedule } from "../domain/delivery/retry-schedule.js";
import { MAX_DUE_READ_BYTES } from "../domain/limits.js";
import type { SecretBox } from "../domain/secret-box.js";
import type { DueRead, DueUpdates, Store } from "../store/store.js";
import { createBatchLoop } from "./batch-loop.js";
import { createDeliveryLog } from "./delivery-log.js";
import { holdLanes, type RunLane } from "./lanes/held-lanes.js";
import type { TakeResponse } from "./lanes/lane-attempts.js";
import { createLaneRunner, type LaneRunner } from "./lanes/lane-runner.js";
import { createSlots } from "./lanes/slots.js";
import { createTargetAge } from "./ledger/target-age.js";
import { countUnsentBytes, type UnsentBytes } from "./ledger/unsent-bytes.js";
import { createRecorder } from "./record-outcomes.js";
import type { AttemptSpans } from "./sending/attempt-spans.js";
import type { EgressSettings } from "./sending/egress.js";
import { createUnreadableLog } from "./sending/endpoint.js";
import { createSender } from "./sending/send-attempt.js";
import { watchStoreOutage } from "./store-outage.js";
import type { DeliveryTally, LaneCounts } from "./tally.js";

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

/** `timeoutMs` is for one whole exchange with a receiver. */
export interface DeliverySettings extends EgressSettings {
  retrySchedule: RetrySchedule;
  /** Attempts in flight at once in the whole process. */
  concurrency: number;
}

export interface DispatcherOptions {
  store: Store;
  secretBox: SecretBox;
  settings: DeliverySettings;
  logger: Logger;
  userAgent: string;
  /** Left out when nothing is traced. */
  spans?: AttemptSpans | undefined;
  takeResponse: TakeResponse;
}

/** Delivers updates to webhooks for as long as it runs. */
export interface Dispatcher {
  /** What it has done so far. */
  readonly tally: Readonly<DeliveryTally>;
  /** What it is working on now. */
  countLanes(): LaneCounts;
  start(): void;
  /**
   * Starts no more attempts, waits up to `graceMs` for those in flight, records outcomes and releases every lane.
   * Attempts that take longer are cut off without an outcome, and so are repeated later. Never rejects.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Claims the lanes that are due, runs them, and releases them. Any number of dispatchers can work on one store: a lane is
 * held by one at a time.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, secretBox, settings, logger, userAgent, spans, takeResponse } = options;
  const slots = createSlots(settings.concurrency);
  const sender = createSender({ ...settings, userAgent, spans });
  const outage = watchStoreOutage(logger);
  const log = createDeliveryLog(logger);
  const logUnreadable = createUnreadableLog(logger);
  const unsent = countUnsentBytes();
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
    onRefused: (runner: LaneRunner, error: unknown) => lanes.letGo(runner, error),
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
      slots,
      unsent,
      sender,
      secretBox,
      logUnreadable,
      log,
      takeResponse,
      retrySchedule: settings.retrySchedule,
      onReadWanted: (runner, isUrgent) => (isUrgent ? reads : refreshes).add(runner),
      onOutcome: records.add,
      ...holder,
    });
  const lanes = holdLanes({ store, outage, unsent, targetAge, log, runLane });

  return {
    tally: log.tally,
    countLanes: lanes.count,
    start() {
      store.events.on("appended", lanes.logsGrew);
      store.events.on("laneChanged", lanes.deliveryChanged);
      store.events.on("postsErased", lanes.postsErased);
      // Lanes that were claimed before it are lost: this finds out which.
      store.events.on("failedOver", lanes.renew);
      lanes.begin();
    },
    async stop(graceMs) {
      store.events.off("appended", lanes.logsGrew);
      store.events.off("laneChanged", lanes.deliveryChanged);
      store.events.off("postsErased", lanes.postsErased);
      store.events.off("failedOver", lanes.renew);
      lanes.stopClaiming();
      slots.close();
      reads.stop();
      refreshes.stop();
      await Promise.race([slots.idle(), elapsed(graceMs)]);
      await sender.close();
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
function elapsed(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
