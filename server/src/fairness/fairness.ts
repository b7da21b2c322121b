import type { ErrorCode } from "../domain/error-codes.js";
import type { Store } from "../store/store.js";
import { type Announce, createAnnouncements } from "./announced-work.js";
import { ATTEMPT_US } from "./cost.js";
import { createListenerCounts, type ListenerCounts } from "./listener-counts.js";
import { createOwnerTurns, type OwnerTurns } from "./owner-turns.js";
import { createPrice } from "./price.js";
import { createTurnClock } from "./turn-clock.js";

/** As many of an owner's posts as may wait for the store are waiting. */
export class TooManyPosts extends Error {
  override readonly name = "TooManyPosts";
  readonly code = "too_many_posts" satisfies ErrorCode;
}

/** How owners share the process and its store: nobody's work makes that of others wait long, or be refused. */
export interface Fairness {
  turns: OwnerTurns;
  listeners: ListenerCounts;
  announce: Announce;
  /** Counts an attempt at a delivery, which waits for no turn, in what work costs here and now. */
  countAttempt(): void;
  /** Counts a post, or another event, of the owner that waits for the store, until the function that it returns is called. */
  addPost(owner: string): () => void;
  /** The error with which a post of the owner is refused at the moment; undefined while it is accepted. */
  refusalOf(owner: string): TooManyPosts | undefined;
}

/**
 * Refuses posts when too many wait (load shedding): without that each would wait longer than the one before, until clients
 * give up on posts that are stored nevertheless. An owner with less than an equal share of what waits is never refused.
 *
 * An overloaded service refuses as often as it accepts, so a refusal must be cheap: it does not read the request, and
 * all refusals share one error object, because creating an error captures the stack.
 *
 * @param maxWaiting posts of all owners that may wait at once
 * @param onRefused called with the owner of each post that is refused
 */
export function createFairness(
  store: Pick<Store, "countListeners">,
  maxWaiting: number,
  onRefused: (owner: string) => void,
): Fairness {
  const tooMany = new TooManyPosts("too many of your posts wait to be stored: try again in 1 s");
  const clock = createTurnClock();
  const price = createPrice(clock);
  /** By owner, of those who have any. */
  const waiting = new Map<string, number>();
  let all = 0;

  const count = (owner: string, change: 1 | -1): void => {
    all += change;
    const own = (waiting.get(owner) ?? 0) + change;
    if (own > 0) waiting.set(owner, own);
    else waiting.delete(owner);
  };

  return {
    turns: createOwnerTurns(clock, price),
    listeners: createListenerCounts(store, clock),
    announce: createAnnouncements(),
    countAttempt: () => price.count(ATTEMPT_US),
    addPost(owner) {
      count(owner, 1);
      return () => count(owner, -1);
    },
    refusalOf(owner) {
      if (all < maxWaiting || (waiting.get(owner) ?? 0) < maxWaiting / waiting.size) return undefined;
      onRefused(owner);
      return tooMany;
    },
  };
}
