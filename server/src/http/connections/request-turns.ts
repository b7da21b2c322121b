import { TurnQueue } from "../../domain/turn-queue.js";

/** Most requests that begin in one turn of the event loop, over all connections. */
const MAX_REQUESTS_PER_TURN = 128;
/** No further request begins in a turn that has taken longer. */
const MAX_TURN_MS = 5;
/** The clock is read this often. */
const REQUESTS_PER_LOOK = 8;

/** A connection with requests to begin. */
export interface TurnTaker {
  /** Whose requests it has sent so far, or where it comes from while that is not known. */
  readonly owner: string;
  /** The turn of the event loop in which it last began a request; {@link RequestTurns} sets it. */
  lastTurn: number;
  /** Whether it waits for its turn; {@link RequestTurns} sets it. */
  isWaiting: boolean;
  /** Called when its turn has come: it may begin one request. */
  beginHeld(): void;
}

/**
 * Lets each connection begin one request per turn of the event loop, and all together a limited number. Those that wait come
 * first in the next turn: the connections of one owner after those of another, and new ones by their address, so that a thousand
 * of one owner do not hold up the others.
 *
 * A request that is answered at once, a 404 or a 401, is never in progress, so the limit on those does not apply to it: 8
 * connections that pipelined 7,500 such requests each delayed everybody by 3.7 s.
 */
export class RequestTurns {
  readonly #waiting = new TurnQueue<TurnTaker>(({ owner }) => owner);
  #turn = 1;
  /** Requests that have begun in this turn. */
  #begun = 0;
  #endsAt = 0;
  #isLate = false;
  #isNextQueued = false;
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** @returns false when it must wait for {@link TurnTaker.beginHeld} */
  mayBegin(taker: TurnTaker): boolean {
    if (!this.#isNextQueued) this.#queueNext();
    if (this.#isOver() || taker.lastTurn === this.#turn || taker.isWaiting) {
      if (!taker.isWaiting) this.#waiting.push(taker);
      taker.isWaiting = true;
      return false;
    }
    taker.lastTurn = this.#turn;
    this.#begun += 1;
    return true;
  }

  #isOver(): boolean {
    if (this.#begun >= MAX_REQUESTS_PER_TURN) return true;
    this.#isLate ||= this.#begun % REQUESTS_PER_LOOK === 1 && this.#now() > this.#endsAt;
    return this.#isLate;
  }

  #queueNext(): void {
    this.#isNextQueued = true;
    this.#endsAt = this.#now() + MAX_TURN_MS;
    setImmediate(this.#next);
  }

  #next = (): void => {
    this.#isNextQueued = false;
    this.#turn += 1;
    this.#begun = 0;
    this.#isLate = false;
    if (this.#waiting.length === 0) return;
    this.#queueNext();
    const first = this.#waiting.take(MAX_REQUESTS_PER_TURN);
    while (first.length > 0 && !this.#isOver()) {
      const taker = first.shift() as TurnTaker;
      taker.isWaiting = false;
      taker.beginHeld();
    }
    this.#waiting.putBack(first);
  };
}
