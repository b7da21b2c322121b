import type { Update } from "../domain/update.js";
import { type LogGrowth, updatesAbove } from "../store/store.js";

/** One who waits for a log to grow: a poll, or a stream for as long as it is open. */
export interface Waiter {
  /** Only updates numbered above it are waited for. */
  offset: number;
  /** There may be something to read, and the posts that `growth` brings along need not be read. */
  wake(growth?: LogGrowth): void;
  /** The time is up, or the bot has changed: read once more, then answer. */
  end(): void;
  /** Nobody waits for an answer any more, or there is no time for one. */
  abandon(): void;
  /** Whether {@link Waiter.end} was called since this was asked last. */
  hasEnded(): boolean;
  isAbandoned(): boolean;
  /** All updates above the offset, if they came with what it was woken by; else none. */
  news(): Update[];
  /** Resolves at the next of the three calls, at once when one was made since the last time. */
  woken(): Promise<void>;
}

export function createWaiter(offset: number): Waiter {
  let ended = false;
  let abandoned = false;
  let isWoken = false;
  let lastGrowth: LogGrowth | undefined;
  let resume: (() => void) | undefined;

  const wake = (growth?: LogGrowth): void => {
    lastGrowth = growth;
    isWoken = true;
    resume?.();
  };
  const waiter: Waiter = {
    offset,
    wake,
    end() {
      ended = true;
      wake();
    },
    abandon() {
      abandoned = true;
      wake();
    },
    hasEnded() {
      const hadEnded = ended;
      ended = false;
      return hadEnded;
    },
    isAbandoned: () => abandoned,
    news: () => (lastGrowth ? updatesAbove(waiter.offset, lastGrowth) : []),
    async woken() {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      isWoken = false;
      resume = undefined;
    },
  };
  return waiter;
}
