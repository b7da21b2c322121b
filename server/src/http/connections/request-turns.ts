/** Requests that begin in one turn of the event loop, of all connections together: some 10 ms of answers that are cheap. */
const MAX_REQUESTS_PER_TURN = 128;

/** Whoever has requests to begin. */
export interface TurnTaker {
  /** The turn of the event loop in which it began a request last: {@link RequestTurns} writes it. */
  lastTurn: number;
  /** Its turn has come: it may begin one request. */
  goOn(): void;
}

/**
 * Lets each connection begin one request in a turn of the event loop, and all together a bounded number. What waits comes
 * first in the next turn, in its order.
 *
 * A request that is answered at once, a 404 or a 401, is never in work, so no bound on those holds it back: 8 connections
 * that pipelined 7,500 of them each held up everybody for 3.7 s.
 */
export class RequestTurns {
  readonly #waiting = new Set<TurnTaker>();
  #turn = 1;
  /** Requests that have begun in this turn. */
  #begun = 0;
  #isNextQueued = false;

  /** @returns false when it must wait for its turn, of which it will hear */
  mayBegin(taker: TurnTaker): boolean {
    if (!this.#isNextQueued) {
      this.#isNextQueued = true;
      setImmediate(this.#next);
    }
    if (this.#begun >= MAX_REQUESTS_PER_TURN || taker.lastTurn === this.#turn || this.#waiting.has(taker)) {
      this.#waiting.add(taker);
      return false;
    }
    taker.lastTurn = this.#turn;
    this.#begun += 1;
    return true;
  }

  forget(taker: TurnTaker): void {
    this.#waiting.delete(taker);
  }

  #next = (): void => {
    this.#isNextQueued = false;
    this.#turn += 1;
    this.#begun = 0;
    if (this.#waiting.size === 0) return;
    const first = [...this.#waiting].slice(0, MAX_REQUESTS_PER_TURN);
    for (const taker of first) this.#waiting.delete(taker);
    for (const taker of first) taker.goOn();
  };
}
