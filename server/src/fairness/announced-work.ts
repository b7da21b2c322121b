import type { ErrorCode } from "../domain/error-codes.js";

/**
 * What the batches of one owner may have before them: about 5 s of work, and 10 s while others have half of the time. 32 batches
 * of 1,000 posts to 300 bots, sent at once, were answered after one to two minutes.
 */
const MAX_OWNER_US = 5_000_000;

/** An owner's own batches would take too long. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
  readonly code = "too_many_batches" satisfies ErrorCode;
  readonly retryAfterS: number;

  constructor(announcedUs: number, retryAfterS: number) {
    const seconds = Math.ceil(announcedUs / 1e6);
    super(`your batches in progress take about ${seconds} s already: try again in ${retryAfterS} s`);
    this.retryAfterS = retryAfterS;
  }
}

/**
 * Announces work that takes a turn for each of its steps.
 *
 * @returns a function that is called with the cost of what is done, or will not be done
 * @throws TooMuchWork when the owner has announced other work, and all of it would take too long. Nobody is refused for the
 *   work of others
 */
export type Announce = (owner: string, costUs: number) => (doneUs: number) => void;

export function createAnnouncements(): Announce {
  /** By owner, of those who have any. */
  const announced = new Map<string, number>();

  const add = (owner: string, costUs: number): void => {
    const own = (announced.get(owner) ?? 0) + costUs;
    if (own > 0) announced.set(owner, own);
    else announced.delete(owner);
  };

  return (owner, costUs) => {
    const own = announced.get(owner) ?? 0;
    const excessUs = Math.min(own, own + costUs - MAX_OWNER_US);
    if (excessUs > 0) throw new TooMuchWork(own, Math.ceil(excessUs / 1e6));
    add(owner, costUs);
    return (doneUs) => add(owner, -doneUs);
  };
}
