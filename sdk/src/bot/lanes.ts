import { backoffMs } from "../client/wait.js";
import type { Update } from "../types.js";
import type { Outcome } from "./bot-error.js";
import { channelIdOf } from "./context.js";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** The updates of one channel, handled one after the other. */
interface Lane {
  key: string;
  waiting: Update[];
  failures: number;
}

export interface LanesOptions {
  /** Handlers under way at once. */
  concurrency: number;
  work(update: Update, attempt: number): Promise<Outcome>;
  /** The update is dealt with. */
  onDone(update: Update): void;
  /** Work threw: nothing more should be begun. */
  onError(error: unknown): void;
}

export interface Lanes {
  add(update: Update): void;
  /** Begins nothing more; resolves when what is under way has ended. */
  drain(): Promise<void>;
}

/** Handles updates at the same time as far as they are about different channels, and in order within one. */
export function createLanes({ concurrency, work, onDone, onError }: LanesOptions): Lanes {
  const lanes = new Map<string, Lane>();
  const ready: Lane[] = [];
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let running = 0;
  let isDraining = false;
  let drained = () => {};

  const pump = () => {
    while (!isDraining && running < concurrency) {
      const lane = ready.shift();
      if (!lane) return;
      running += 1;
      void run(lane);
    }
  };

  const run = async (lane: Lane) => {
    const update = lane.waiting[0] as Update;
    try {
      const outcome = await work(update, lane.failures + 1);
      running -= 1;
      if (outcome === "done") goOn(lane, update);
      else retryLater(lane);
    } catch (error) {
      running -= 1;
      isDraining = true;
      onError(error);
    }
    if (isDraining && running === 0) drained();
    pump();
  };

  const goOn = (lane: Lane, update: Update) => {
    lane.failures = 0;
    lane.waiting.shift();
    if (lane.waiting.length > 0) ready.push(lane);
    else lanes.delete(lane.key);
    onDone(update);
  };

  /** Its channel waits; it takes no handler's place from the others. */
  const retryLater = (lane: Lane) => {
    if (isDraining) return;
    lane.failures += 1;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        ready.push(lane);
        pump();
      },
      backoffMs(lane.failures, FIRST_RETRY_MS, LONGEST_RETRY_MS),
    );
    timers.add(timer);
  };

  return {
    add(update) {
      // What is about no channel keeps its order among its like.
      const key = channelIdOf(update) ?? "";
      const lane = lanes.get(key);
      if (lane) {
        lane.waiting.push(update);
        return;
      }
      const added = { key, waiting: [update], failures: 0 };
      lanes.set(key, added);
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
