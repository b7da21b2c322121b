import { Worker } from "node:worker_threads";
import { TurnQueue } from "../../../domain/turn-queue.js";
import type { OnMigrationProgress } from "../../migration-progress.js";
import type { StoreObserver } from "../../observer.js";
import { type AppendResult, type PostToAppend, StoreUnavailable } from "../../store.js";
import type { Verb } from "../../verbs.js";
import type { Call, Outcome } from "../engine.js";
import type { AppendedPosts, Verbs } from "../verbs.js";
import { createAppendQueue, type Growth } from "./append-queue.js";
import { type Batch, createBatch, isList, listKey, type WaitingCall } from "./batch.js";
import { createExitGuard, stopWork } from "./exit-guard.js";
import type { Reply, Request, WorkerOptions } from "./worker.js";

/** A batch with fewer calls than this does not wait for more. */
const BUSY_BATCH_CALLS = 4;
/**
 * Under load a batch waits, at most {@link GATHER_MS}, until it has this share of the size of the batch before: a
 * message has to wake the other thread and a commit waits for the disk, and both cost the same for one call and for
 * fifty.
 */
const GATHERED_SHARE = 0.75;
const GATHER_MS = 1;
/**
 * A second batch is sent while the thread works on one, so that neither thread waits for the other to wake up: a tenth
 * more posts that are delivered at once. It must be as large as the first; otherwise the posts of 64 connections would
 * be in batches of half the size, for a fifth more of the thread's time.
 */
const MAX_UNDER_WAY = 2;

/** Lists that a batch takes at least, if that many wait. */
const MIN_LISTS_PER_BATCH = 32;

/** Calls of the engine's thread. */
export interface EngineThread {
  /** Runs a verb there. Rejects with {@link StoreUnavailable} when it could not be executed. */
  call<Name extends Exclude<Verb, "appendPosts">>(
    verb: Name,
    ...parameters: Parameters<Verbs[Name]>
  ): Promise<ReturnType<Verbs[Name]>>;
  /** The same for a further slice of a list. */
  goOn: EngineThread["call"];
  /** Appends posts; those of all callers travel and are stored together. */
  append(posts: readonly PostToAppend[]): Promise<AppendResult[]>;
  /** Lets the calls made so far finish, then closes the database. */
  close(): Promise<void>;
}

/** What is told of the database's files. */
export interface FileEvents {
  /** Called when the open files are no longer those of the folder, so that nothing can be written, and when they are back. */
  onFilesMoved?: ((areInPlace: boolean) => void) | undefined;
  /** Called while the database is brought to a new schema, before it is open. */
  onMigration?: OnMigrationProgress | undefined;
  /** Called for calls that met a damaged page, with what SQLite says. */
  onDamage?: ((damage: string) => void) | undefined;
}

/**
 * Starts the thread and opens the database in it.
 *
 * Group commit happens here: calls that are made while a batch is in progress make up the next one. So each batch costs
 * one message each way and one fsync, and grows by itself as the load does.
 *
 * @param onGrowth called with what was appended, before the callers get their results
 */
export async function startEngineThread(
  files: Omit<WorkerOptions, "exitGuard">,
  observer: StoreObserver,
  onGrowth: (growth: Growth) => void,
  { onFilesMoved = () => {}, onMigration = () => {}, onDamage = () => {} }: FileEvents,
): Promise<EngineThread> {
  const exitGuard = createExitGuard();
  const worker = new Worker(new URL("./worker.js", import.meta.url), {
    workerData: { ...files, exitGuard } satisfies WorkerOptions,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const onExit = (): void => {
    if (!stopWork(exitGuard)) killProcess();
  };
  process.once("exit", onExit);
  await opened(worker, onMigration);

  let waiting: WaitingCall[] = [];
  /**
   * Lists wait in a queue of their own: only one of the batches in progress has any, so that no post waits for two of
   * them.
   */
  const lists = new TurnQueue<WaitingCall>(listKey, ({ goesOn = false }) => goesOn);
  /** How many lists a batch takes: twice as many as the one before had time for. */
  let listsPerBatch = MIN_LISTS_PER_BATCH;
  /** The batches at the thread, which answers in this order. */
  const underWay: (Batch & { sentAt: number })[] = [];
  /** The number of callers at which a batch is sent without waiting for more. */
  let enough = 1;
  /** True while a batch is taken, which asks the append queue for its posts. */
  let isTaking = false;
  let flushQueued = false;
  let gathering: NodeJS.Timeout | undefined;
  let closing: (() => void) | undefined;
  let isToldToClose = false;

  const send = (request: Request): void => worker.postMessage(request);

  const mayTakeLists = (): boolean => !underWay.some((batch) => batch.lists > 0);

  /** Callers who could be served now. */
  const ready = (): number => appends.length + waiting.length + (mayTakeLists() ? lists.length : 0);

  const mayFlush = (): boolean => {
    const [first] = underWay;
    return !first || (underWay.length < MAX_UNDER_WAY && ready() >= first.size);
  };

  /** Takes whatever is ready, posts first. */
  const takeBatch = (): Batch => {
    const others = lists.length > 0 && mayTakeLists() ? waiting.concat(lists.take(listsPerBatch)) : waiting;
    const size = appends.length + others.length;
    waiting = [];
    isTaking = true;
    appends.flush();
    isTaking = false;
    const calls = waiting.concat(others);
    waiting = [];
    return createBatch(calls, size);
  };

  const flush = (): void => {
    flushQueued = false;
    clearTimeout(gathering);
    gathering = undefined;
    if (!mayFlush()) return;
    if (ready() > 0) {
      const batch = takeBatch();
      underWay.push({ ...batch, sentAt: performance.now() });
      send({ calls: batch.calls });
    } else if (closing && !isToldToClose) {
      // A flush that was queued before this one may come after it.
      isToldToClose = true;
      send({ close: true });
    }
  };

  /**
   * Under load a batch is sent as soon as it is large enough, and the thread writes it while this thread reads the next
   * requests. Otherwise it is sent at the end of the event loop's turn, with all calls of that turn.
   */
  const flushSoon = (): void => {
    // What may not be sent now is sent after the next reply.
    if (isTaking || !mayFlush()) return;
    if (enough > 1 && !closing) {
      if (ready() >= enough) flush();
      else gathering ??= setTimeout(flush, GATHER_MS);
    } else if (!flushQueued) {
      flushQueued = true;
      setImmediate(flush);
    }
  };

  worker.on("message", (reply: Reply) => {
    if ("outcomes" in reply) {
      const batch = underWay.shift();
      if (!batch) return;
      observer.tripEnded(performance.now() - batch.sentAt);
      observer.batched(batch.size);
      const unavailable = reply.outcomes.filter(isUnavailable).length;
      if (unavailable > 0) observer.unavailable(unavailable);
      const damage = damageIn(reply.outcomes);
      if (damage !== undefined) onDamage(damage);
      enough = batch.size < BUSY_BATCH_CALLS ? 1 : Math.ceil(batch.size * GATHERED_SHARE);
      if (ready() >= enough) flush();
      const deferred = batch.settle(reply.outcomes);
      if (batch.lists > 0) listsPerBatch = Math.max(MIN_LISTS_PER_BATCH, 2 * (batch.lists - deferred.length));
      lists.putBack(deferred);
      if (ready() > 0 || closing) flushSoon();
    } else if ("areFilesInPlace" in reply) {
      onFilesMoved(reply.areFilesInPlace);
    } else if ("closed" in reply) {
      closing?.();
    }
  });

  const enqueue = <Value>(call: Call & { goesOn?: boolean }): Promise<Value> =>
    new Promise((resolve, reject) => {
      const waitingCall = { ...call, resolve, reject };
      (isList(waitingCall) ? lists : waiting).push(waitingCall);
      flushSoon();
    });

  const appends = createAppendQueue(
    (posts) => enqueue<AppendedPosts>({ verb: "appendPosts", parameters: [posts] }),
    onGrowth,
  );

  const refuse = (): Promise<never> => Promise.reject(new StoreUnavailable("the store is closed"));

  return {
    call: (verb, ...parameters) => (closing ? refuse() : enqueue({ verb, parameters })),
    goOn: (verb, ...parameters) => (closing ? refuse() : enqueue({ verb, parameters, goesOn: true })),
    append(posts) {
      if (closing) return refuse();
      const stored = appends.add(posts);
      flushSoon();
      return stored;
    },
    async close() {
      if (closing) return;
      await new Promise<void>((resolve) => {
        closing = resolve;
        flushSoon();
      });
      await worker.terminate();
      process.off("exit", onExit);
    },
  };
}

function isUnavailable(outcome: Outcome): boolean {
  return "unavailable" in outcome && outcome.unavailable;
}

function damageIn(outcomes: readonly Outcome[]): string | undefined {
  for (const outcome of outcomes) if ("damaged" in outcome) return outcome.error;
  return undefined;
}

function opened(worker: Worker, onMigration: OnMigrationProgress): Promise<void> {
  return new Promise((resolve, reject) => {
    const onReply = (reply: Reply): void => {
      if ("migration" in reply) {
        onMigration(reply.migration);
        return;
      }
      worker.off("error", reject).off("message", onReply);
      if ("refused" in reply) reject(new Error(reply.refused));
      else resolve();
    };
    worker.once("error", reject).on("message", onReply);
  });
}

/**
 * Kills the process in the middle of a statement, which cannot be interrupted. That is as safe as a loss of power:
 * everything that was answered is on disk.
 */
function killProcess(): void {
  process.kill(process.pid, "SIGKILL");
}
