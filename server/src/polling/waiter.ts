import type { Update } from "../domain/events/update.js";
import { type LogGrowth, updatesAbove } from "../store/store.js";

/**
 * A poll that waits for a log to grow, or an open stream. A class, because thousands wait at once and closures for its
 * methods would make each half a kilobyte larger.
 */
export class Waiter {
  /** It waits for updates numbered above this. */
  offset: number;
  /** Numbers above the offset that are left out; undefined when there are none. */
  done: ReadonlySet<number> | undefined;
  isAbandoned = false;
  #hasEnded = false;
  #isConfirmationRequested = false;
  #isWoken = false;
  #isRewound = false;
  #lastGrowth: LogGrowth | undefined;
  #resume: (() => void) | undefined;

  constructor(offset: number, done?: readonly number[]) {
    this.offset = offset;
    this.done = setOf(done);
  }

  /** Sets where the next read continues. */
  moveTo(offset: number, done: readonly number[]): void {
    this.offset = offset;
    this.done = setOf(done);
  }

  /** The reader's position may be behind the offset: it has to be read again. */
  rewind(): void {
    this.#isRewound = true;
    this.wake();
  }

  /** There may be something to read. Events in `growth` need not be read from the store. */
  wake(growth?: LogGrowth): void {
    this.#lastGrowth = growth;
    this.#isWoken = true;
    this.#resume?.();
  }

  /** The caller's credential may no longer be valid. */
  requestConfirmation(): void {
    this.#isConfirmationRequested = true;
    this.wake();
  }

  /** Whether {@link Waiter.requestConfirmation} was called since the last call of this. */
  takeConfirmationRequest(): boolean {
    const isRequested = this.#isConfirmationRequested;
    this.#isConfirmationRequested = false;
    return isRequested;
  }

  /** The wait is over, or the bot has changed: read once more, then answer. */
  end(): void {
    this.#hasEnded = true;
    this.wake();
  }

  /** The client has disconnected, or the service stops. */
  abandon(): void {
    this.isAbandoned = true;
    this.wake();
  }

  /** Whether {@link Waiter.end} was called since the last call of this. */
  takeEnd(): boolean {
    const hadEnded = this.#hasEnded;
    this.#hasEnded = false;
    return hadEnded;
  }

  /**
   * All updates above the offset that are not done, if the last wake-up contained them; otherwise none, as after a
   * rewind.
   */
  pushedUpdates(): Update[] {
    const isRewound = this.#isRewound;
    this.#isRewound = false;
    if (isRewound) return [];
    const pushed = this.#lastGrowth ? updatesAbove(this.offset, this.#lastGrowth) : [];
    const { done } = this;
    return done ? pushed.filter(({ updateId }) => !done.has(updateId)) : pushed;
  }

  /** Resolves at the next wake-up, or immediately when there was one since the last call. */
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

function setOf(done: readonly number[] | undefined): ReadonlySet<number> | undefined {
  return done?.length ? new Set(done) : undefined;
}
