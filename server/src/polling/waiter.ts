import type { Update } from "../domain/update.js";
import { type LogGrowth, updatesAbove } from "../store/store.js";

/**
 * One who waits for a log to grow: a poll, or a stream for as long as it is open. A class, since thousands wait at once and
 * a function for each of its verbs would make each of them larger by half a kilobyte.
 */
export class Waiter {
  /** Only updates numbered above it are waited for. */
  offset: number;
  isAbandoned = false;
  #hasEnded = false;
  #isDoubted = false;
  #isWoken = false;
  #lastGrowth: LogGrowth | undefined;
  #resume: (() => void) | undefined;

  constructor(offset: number) {
    this.offset = offset;
  }

  /** There may be something to read, and the posts that `growth` brings along need not be read. */
  wake(growth?: LogGrowth): void {
    this.#lastGrowth = growth;
    this.#isWoken = true;
    this.#resume?.();
  }

  /** The credential of whoever waits may count no more. */
  doubt(): void {
    this.#isDoubted = true;
    this.wake();
  }

  /** Whether {@link Waiter.doubt} was called since this was asked last. */
  wasDoubted(): boolean {
    const isDoubted = this.#isDoubted;
    this.#isDoubted = false;
    return isDoubted;
  }

  /** The time is up, or the bot has changed: read once more, then answer. */
  end(): void {
    this.#hasEnded = true;
    this.wake();
  }

  /** Nobody waits for an answer any more, or there is no time for one. */
  abandon(): void {
    this.isAbandoned = true;
    this.wake();
  }

  /** Whether {@link Waiter.end} was called since this was asked last. */
  hasEnded(): boolean {
    const hadEnded = this.#hasEnded;
    this.#hasEnded = false;
    return hadEnded;
  }

  /** All updates above the offset, if they came with what it was woken by last; else none. */
  news(): Update[] {
    return this.#lastGrowth ? updatesAbove(this.offset, this.#lastGrowth) : [];
  }

  /** Resolves at the next call that wakes, at once when one was made since the last time. */
  async woken(): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#isWoken = false;
    this.#resume = undefined;
  }
}
