import { backoffMs } from "../client/wait.js";
import type { Update } from "../types.js";
import type { Outcome } from "./bot-error.js";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** After this many failures of an update, those behind it go on. */
const FAILURES_TO_PASS = 2;

/** The updates with one order key, handled one after the other. */
interface OrderQueue {
  /** Undefined when no further update is added. */
  key: string | undefined;
  waiting: Update[];
  /** Failures of the queue's first update. */
  failures: number;
  /** Failures that count as attempts: those while the service could not be reached do not. */
  spent: number;
  /** Whether it takes no place in the concurrency. */
  isAtOnce: boolean;
}

export interface OrderQueuesOptions {
  /** Handlers that run at once. */
  concurrency: number;
  /** How often an update is handled at most; `Infinity` for no limit. */
  attempts: number;
  /** Whether updates wait for the retries of one before them, until it is given up. */
  holds: boolean;
  /** @param isLast whether it is the last attempt; undefined without a limit */
  work(update: Update, attempt: number, isLast: boolean | undefined): Promise<Outcome | "outage">;
  /** The update is handled. */
  onDone(update: Update): void;
  /** `work` threw: no further update is begun. */
  onError(error: unknown): void;
}

export interface OrderQueues {
  /**
   * @param key updates with the same one are handled one after the other; undefined waits for none
   * @param isAtOnce begins it also when `concurrency` handlers run
   */
  add(update: Update, key: string | undefined, isAtOnce: boolean): void;
  /** Begins no further update; resolves when the running handlers have ended. */
  drain(): Promise<void>;
}

/** Handles updates with different keys at the same time, and those with one key in order. */
export function createOrderQueues({
  concurrency,
  attempts,
  holds,
  work,
  onDone,
  onError,
}: OrderQueuesOptions): OrderQueues {
  const queues = new Map<string, OrderQueue>();
  const ready: OrderQueue[] = [];
  const timers = new Set<ReturnType<typeof setTimeout>>();
  /** Handlers that run, and those of them that take a place in the concurrency. */
  let running = 0;
  let placed = 0;
  let isDraining = false;
  let drained = () => {};

  const pump = () => {
    while (!isDraining && placed < concurrency) {
      const queue = ready.shift();
      if (!queue) return;
      void run(queue);
    }
  };

  const begin = (queue: OrderQueue) => {
    if (isDraining) return;
    if (queue.isAtOnce) void run(queue);
    else {
      ready.push(queue);
      pump();
    }
  };

  const run = async (queue: OrderQueue) => {
    const place = queue.isAtOnce ? 0 : 1;
    running += 1;
    placed += place;
    const leave = () => {
      running -= 1;
      placed -= place;
    };
    const update = queue.waiting[0] as Update;
    try {
      const isLast = attempts === Number.POSITIVE_INFINITY ? undefined : queue.spent + 1 >= attempts;
      const outcome = await work(update, queue.failures + 1, isLast);
      leave();
      if (outcome === "done") {
        advance(queue);
        onDone(update);
      } else fail(queue, outcome === "retry");
    } catch (error) {
      leave();
      isDraining = true;
      onError(error);
    }
    if (isDraining && running === 0) drained();
    pump();
  };

  /** Goes on with the update behind the first one. */
  const advance = (queue: OrderQueue) => {
    queue.failures = 0;
    queue.spent = 0;
    queue.waiting.shift();
    if (queue.waiting.length > 0) ready.push(queue);
    else if (queue.key !== undefined) queues.delete(queue.key);
  };

  /** @param isSpent whether the failure counts as an attempt */
  const fail = (queue: OrderQueue, isSpent: boolean) => {
    const update = queue.waiting[0] as Update;
    const failures = queue.failures + 1;
    const spent = queue.spent + (isSpent ? 1 : 0);
    if (holds || queue.key === undefined || spent < FAILURES_TO_PASS) {
      retryLater(Object.assign(queue, { failures, spent }));
      return;
    }
    advance(queue);
    retryLater({ key: undefined, waiting: [update], failures, spent, isAtOnce: false });
  };

  /** The queue waits for the retry, without taking a place in the concurrency. */
  const retryLater = (queue: OrderQueue) => {
    if (isDraining) return;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        begin(queue);
      },
      backoffMs(queue.failures, FIRST_RETRY_MS, LONGEST_RETRY_MS),
    );
    timers.add(timer);
  };

  return {
    add(update, key, isAtOnce) {
      const queue = key === undefined ? undefined : queues.get(key);
      if (queue) {
        queue.waiting.push(update);
        return;
      }
      const added = { key, waiting: [update], failures: 0, spent: 0, isAtOnce };
      if (key !== undefined) queues.set(key, added);
      begin(added);
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
