import { Worker } from "node:worker_threads";
import { StoreUnavailable } from "../store.js";
import type { Call, Outcome } from "./engine.js";
import type { VerbName, Verbs } from "./verbs.js";
import type { Reply, Request } from "./worker.js";

/** A batch of so many calls says that more are coming. */
const BUSY_BATCH_CALLS = 4;
/**
 * Then the next batch waits this long, to become a large one: a message wakes the other thread and a commit waits for the
 * disk, and both cost the same for one call and for fifty.
 */
const BUSY_PAUSE_MS = 1;

/** The way to the engine's thread and back. */
export interface EngineThread {
  /** Runs a verb there. Rejects with {@link StoreUnavailable} when it could not be carried out. */
  call<Verb extends VerbName>(
    verb: Verb,
    ...parameters: Parameters<Verbs[Verb]>
  ): Promise<ReturnType<Verbs[Verb]>>;
  /** Lets the calls made so far finish, then closes the database. */
  close(): Promise<void>;
}

interface WaitingCall extends Call {
  resolve(value: never): void;
  reject(error: Error): void;
}

/**
 * Starts the thread and opens the database in it.
 *
 * Group commit happens here: one batch of calls is under way at a time, and the calls that are made meanwhile make up the
 * next one. So each batch costs one message each way and one fsync, and grows by itself as the load does.
 */
export async function startEngineThread(dataDir: string): Promise<EngineThread> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), {
    workerData: { dataDir },
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  await opened(worker);

  let waiting: WaitingCall[] = [];
  let underWay: WaitingCall[] = [];
  let flushQueued = false;
  let closing: (() => void) | undefined;

  const send = (request: Request): void => worker.postMessage(request);

  const flush = (): void => {
    flushQueued = false;
    if (underWay.length > 0) return;
    if (waiting.length > 0) {
      underWay = waiting;
      waiting = [];
      send({ calls: underWay.map(({ verb, parameters }) => ({ verb, parameters })) });
    } else if (closing) {
      send({ close: true });
    }
  };
  /** At the end of the event loop's turn, so that all requests that were read in this turn share the batch. */
  const queueFlush = (): void => {
    if (flushQueued || underWay.length > 0) return;
    flushQueued = true;
    setImmediate(flush);
  };

  const flushLater = (): void => {
    flushQueued = true;
    setTimeout(flush, BUSY_PAUSE_MS);
  };

  worker.on("message", (reply: Reply) => {
    if ("outcomes" in reply) {
      const settled = underWay;
      underWay = [];
      if (settled.length >= BUSY_BATCH_CALLS) flushLater();
      else flush();
      for (const [index, call] of settled.entries()) settle(call, reply.outcomes[index]);
    } else if ("closed" in reply) {
      closing?.();
    }
  });

  return {
    call(verb, ...parameters) {
      if (closing) return Promise.reject(new StoreUnavailable("the store is closed"));
      return new Promise((resolve, reject) => {
        waiting.push({ verb, parameters, resolve, reject });
        queueFlush();
      });
    },
    async close() {
      if (closing) return;
      await new Promise<void>((resolve) => {
        closing = resolve;
        queueFlush();
      });
      await worker.terminate();
    },
  };
}

function opened(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (reply: Reply) => {
      worker.off("error", reject);
      if ("refused" in reply) reject(new Error(reply.refused));
      else resolve();
    });
  });
}

function settle(call: WaitingCall, outcome: Outcome | undefined): void {
  if (outcome && "value" in outcome) {
    call.resolve(outcome.value as never);
  } else if (!outcome || outcome.unavailable) {
    call.reject(new StoreUnavailable(outcome?.error ?? "the store gave no answer"));
  } else {
    call.reject(new Error(`${call.verb}: ${outcome.error}`));
  }
}
