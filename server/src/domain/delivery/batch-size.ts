/**
 * How many updates a request may carry after refusals. A batch that was refused says that one of its updates may be poisonous, so the
 * next tries are of half its size, down to one: every update is repeated at most log2 of the largest size times before it is alone.
 *
 * For an update this follows from its number of refusals, so it holds across instances and crashes. Those that were never refused
 * have the size of the lane, which is halved by a refused batch and grows again with success.
 */

/** How often a batch can be halved. */
function halvingsOf(maxBatch: number): number {
  return Math.floor(Math.log2(maxBatch));
}

/** The size of fresh batches after one that was accepted. */
export function afterAccepted(size: number, maxBatch: number): number {
  return Math.min(size * 2, maxBatch);
}

/** The size of fresh batches after one of `count` updates that was refused. */
export function afterRefused(size: number, count: number): number {
  return Math.max(1, Math.min(size, count >> 1));
}

/**
 * How many of the refused updates that wait may be sent together. At most half of those: of a batch that was smaller than it might
 * have been, all may have come back together.
 *
 * @param failureCounts of those that wait, in the order in which they are sent
 */
export function refusedTogether(failureCounts: readonly number[], maxBatch: number): number {
  const half = Math.ceil(failureCounts.length / 2);
  let count = 0;
  let limit = half;
  for (const failureCount of failureCounts) {
    limit = Math.min(limit, Math.max(1, maxBatch >> failureCount));
    if (count >= limit) break;
    count += 1;
  }
  return Math.max(1, Math.min(count, limit));
}

/**
 * Which failure of the retry schedule this one is. Refusals together with others count as the first: a schedule must not be used up
 * by a neighbour. So an update has as many attempts more as a batch has halvings, all after the first wait.
 *
 * @param failureCount failures so far, including the current one
 * @param isAlone whether the refusal was of this update alone
 */
export function failureInSchedule(failureCount: number, isAlone: boolean, maxBatch: number): number {
  return isAlone ? Math.max(1, failureCount - halvingsOf(maxBatch)) : 1;
}
