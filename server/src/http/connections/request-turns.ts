/** Most requests that begin in one turn of the event loop, over all connections: about 10 ms of cheap answers. */
const MAX_REQUESTS_PER_TURN = 128;

/** A connection with requests to begin. */
export interface TurnTaker {
  /** The turn of the event loop in which it last began a request; {@link RequestTurns} sets it. */
  lastTurn: number;
  /** Called when its turn has come: it may begin one request. */
  beginHeld(): void;
}

/**
 * Lets each connection begin one request per turn of the event loop, and all together a limited number. Those that wait come
 * first in the next turn, in their order.
 *
 * A request that is answered at once, a 404 or a 401, is never in progress, so the limit on those does not apply to it: 8
 * connections that pipelined 7,500 such requests each delayed everybody by 3.7 s.
 */
export class RequestTurns {
  readonly #waiting = new Set<TurnTaker>();
  #turn = 1;
  /** Requests that have begun in this turn. */
  #begun = 0;
  #isNextQueued = false;

  /** @returns false when it must wait for {@link TurnTaker.beginHeld} */
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
    for (const taker of first) taker.beginHeld();
  };
}
