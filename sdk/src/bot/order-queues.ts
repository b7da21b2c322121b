import { backoffMs } from "../client/wait.js";
import type { Update } from "../types.js";
import type { Outcome } from "./bot-error.js";
import { channelIdOf } from "./context.js";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** The updates of one channel, handled one after the other. */
interface ChannelQueue {
  key: string;
  waiting: Update[];
  /** Failures of the queue's first update. */
  failures: number;
  /** Failures that count as attempts: those while the service could not be reached do not. */
  spent: number;
}

export interface ChannelQueuesOptions {
  /** Handlers that run at once; 1 handles all updates in the order of the log. */
  concurrency: number;
  /** How often an update is handled at most; `Infinity` for no limit. */
  attempts: number;
  /** @param isLast whether it is the last attempt; undefined without a limit */
  work(update: Update, attempt: number, isLast: boolean | undefined): Promise<Outcome | "outage">;
  /** The update is handled. */
  onDone(update: Update): void;
  /** `work` threw: no further update is begun. */
  onError(error: unknown): void;
}

export interface ChannelQueues {
  add(update: Update): void;
  /** Begins no further update; resolves when the running handlers have ended. */
  drain(): Promise<void>;
}

/** Handles updates of different channels at the same time, and those of one channel in order. */
export function createChannelQueues({
  concurrency,
  attempts,
  work,
  onDone,
  onError,
}: ChannelQueuesOptions): ChannelQueues {
  const queues = new Map<string, ChannelQueue>();
  const ready: ChannelQueue[] = [];
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let running = 0;
  let isDraining = false;
  let drained = () => {};

  const pump = () => {
    while (!isDraining && running < concurrency) {
      const queue = ready.shift();
      if (!queue) return;
      running += 1;
      void run(queue);
    }
  };

  const run = async (queue: ChannelQueue) => {
    const update = queue.waiting[0] as Update;
    try {
      const isLast = attempts === Number.POSITIVE_INFINITY ? undefined : queue.spent + 1 >= attempts;
      const outcome = await work(update, queue.failures + 1, isLast);
      running -= 1;
      if (outcome === "retry") queue.spent += 1;
      if (outcome === "done") advance(queue, update);
      else retryLater(queue);
    } catch (error) {
      running -= 1;
      isDraining = true;
      onError(error);
    }
    if (isDraining && running === 0) drained();
    pump();
  };

  const advance = (queue: ChannelQueue, update: Update) => {
    queue.failures = 0;
    queue.spent = 0;
    queue.waiting.shift();
    if (queue.waiting.length > 0) ready.push(queue);
    else queues.delete(queue.key);
    onDone(update);
  };

  /** The channel waits for the retry, without taking a place in the concurrency. */
  const retryLater = (queue: ChannelQueue) => {
    if (isDraining) return;
    queue.failures += 1;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        ready.push(queue);
        pump();
      },
      backoffMs(queue.failures, FIRST_RETRY_MS, LONGEST_RETRY_MS),
    );
    timers.add(timer);
  };

  return {
    add(update) {
      // Updates without a channel share a queue. One handler at a time promises the order of the log: one queue for all.
      const key = concurrency === 1 ? "" : (channelIdOf(update) ?? "");
      const queue = queues.get(key);
      if (queue) {
        queue.waiting.push(update);
        return;
      }
      const added = { key, waiting: [update], failures: 0, spent: 0 };
      queues.set(key, added);
      ready.push(added);
      pump();
    },
    drain() {
      isDraining = true;
      for (const timer of timers) clearTimeout(timer);
      return new Promise((resolve) => {
        drained = resolve;
        if (running === 0) resolve();
      });
    },
  };
}
