import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { MAX_DUE_READ_BYTES } from "../domain/limits.js";
import type { RetrySchedule } from "../domain/retry-schedule.js";
import type { SecretBox } from "../domain/secret-box.js";
import type { DueRead, DueUpdates, Store } from "../store/store.js";
import { createBatchLoop } from "./batch-loop.js";
import { createDeliveryLog } from "./delivery-log.js";
import { holdLanes, type RunLane } from "./lanes/held-lanes.js";
import { createLaneRunner, type LaneRunner } from "./lanes/lane-runner.js";
import { createSlots } from "./lanes/slots.js";
import { countUnsentBytes, type UnsentBytes } from "./lanes/unsent-bytes.js";
import { createRecorder } from "./record-outcomes.js";
import type { EgressSettings } from "./sending/egress.js";
import { createSender } from "./sending/send-attempt.js";
import { watchStoreOutage } from "./store-outage.js";
import type { DeliveryTally, LaneCounts } from "./tally.js";

const MAX_LANES_PER_CALL = 256;
/**
 * Outcomes wait this long for others, since each batch changes the row of every lane in it and wakes the store. It costs
 * an update nothing but that its state is known later and that a crash repeats what was sent meanwhile. At 5 ms a backlog
 * of a hundred bots brought hardly more than one outcome for each lane: a fifth more processor time on PostgreSQL, service
 * and server together, and a tenth on SQLite.
 */
const GATHER_OUTCOMES_MS = 20;
/**
 * Looks at where a lane sends wait this long for those of others: it may rely on what it knows for longer. Without that a
 * hundred busy lanes made 126 calls of the store a second, with it 21.
 */
const GATHER_TARGETS_MS = 20;
/** How long `stop` waits for a store that does not take the last outcomes. */
const RECORD_GRACE_MS = 500;
/** How long it then waits for one that does not take the lanes back. */
const RELEASE_GRACE_MS = 500;

/** `timeoutMs` is for one whole exchange with a receiver. */
export interface DeliverySettings extends EgressSettings {
  retrySchedule: RetrySchedule;
  /** Attempts under way at once, in the whole process. */
  concurrency: number;
}

export interface DispatcherOptions {
  store: Store;
  secretBox: SecretBox;
  settings: DeliverySettings;
  logger: Logger;
  userAgent: string;
}

/** Delivers updates to webhooks for as long as it runs. */
export interface Dispatcher {
  /** What it has done so far. */
  readonly tally: Readonly<DeliveryTally>;
  /** What it has in hand now. */
  countLanes(): LaneCounts;
  start(): void;
  /**
   * Starts no more attempts, waits up to `graceMs` for those under way, records outcomes and gives every lane back.
   * Attempts that take longer are cut off without an outcome and so are made again later. Never rejects.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Claims the lanes that are due, has a runner walk each of them, and gives them back. Any number of dispatchers can
 * work on one store: a lane is held by one at a time.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, secretBox, settings, logger, userAgent } = options;
  const slots = createSlots(settings.concurrency);
  const sender = createSender({ ...settings, userAgent });
  const outage = watchStoreOutage(logger);
  const log = createDeliveryLog(logger);
  const unsent = countUnsentBytes();
  const recorder = createRecorder(store, logger);
  const readTheirDue = {
    run: (runners: LaneRunner[]) => readDue(store, unsent, runners),
    maxItems: MAX_LANES_PER_CALL,
    onRefused: (runner: LaneRunner, error: unknown) => lanes.letGo(runner, error),
  };
  const reads = createBatchLoop(outage, readTheirDue);
  const looks = createBatchLoop(outage, { ...readTheirDue, gatherMs: GATHER_TARGETS_MS });
  const records = createBatchLoop<LaneRunner>(outage, {
    run: recorder.record,
    maxItems: MAX_LANES_PER_CALL,
    gatherMs: GATHER_OUTCOMES_MS,
    onRefused: recorder.recordApart,
  });
  const runLane: RunLane = (lane, mayHaveMore, lease, onIdle) =>
    createLaneRunner(lane, mayHaveMore, lease, {
      slots,
      unsent,
      sender,
      secretBox,
      logger,
      log,
      retrySchedule: settings.retrySchedule,
      onReadWanted: (runner, isUrgent) => (isUrgent ? reads : looks).add(runner),
      onOutcome: records.add,
      onIdle,
    });
  const lanes = holdLanes({ store, outage, unsent, log, runLane });

  return {
    tally: log.tally,
    countLanes: lanes.count,
    start() {
      store.events.on("appended", lanes.logsGrew);
      store.events.on("laneChanged", lanes.laneChanged);
      lanes.begin();
    },
    async stop(graceMs) {
      store.events.off("appended", lanes.logsGrew);
      store.events.off("laneChanged", lanes.laneChanged);
      lanes.claimNoMore();
      slots.close();
      reads.stop();
      looks.stop();
      await Promise.race([slots.idle(), elapsed(graceMs)]);
      await sender.close();
      await Promise.race([records.drained(), elapsed(RECORD_GRACE_MS)]);
      records.stop();
      await Promise.race([lanes.end(), elapsed(RELEASE_GRACE_MS)]);
    },
  };
}

async function readDue(store: Store, unsent: UnsentBytes, runners: LaneRunner[]): Promise<void> {
  const fairShare = Math.floor(MAX_DUE_READ_BYTES / runners.length);
  const reads = runners.flatMap((runner) => {
    const read = runner.beginRead();
    return read ? { ...read, maxBytes: Math.min(fairShare, roomFor(runner, unsent)) } : [];
  });
  if (reads.length === 0) return;
  const dueByBot = new Map((await readAllDue(store, reads)).map((due) => [due.botId, due]));
  for (const runner of runners) {
    const due = dueByBot.get(runner.botId);
    if (due) runner.endRead(due);
  }
}

/** What has still to be put back is, a step for each read that finds too little. */
async function readAllDue(store: Store, reads: readonly DueRead[]): Promise<DueUpdates[]> {
  const found = await store.readDueUpdates(reads, Date.now());
  const short = reads.filter(({ limit }, index) => {
    const due = found[index];
    return due?.isRequeueing && !due.isCutShort && due.updates.length < limit;
  });
  if (short.length === 0) return found;
  await store.requeueScheduled(short.map(({ botId }) => botId));
  return [...found, ...(await store.readDueUpdates(short, Date.now()))];
}

/** One update comes in any case, so that a lane goes on. */
function roomFor({ ownerUserId }: LaneRunner, unsent: UnsentBytes): number {
  return Math.max(0, unsent.roomFor(ownerUserId));
}

/** Resolves after `ms`, without keeping the process alive for it. */
function elapsed(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
