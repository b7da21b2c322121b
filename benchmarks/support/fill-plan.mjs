/**
 * The content of a filled log: two channels of ten bots each. The bots of `polled` have no webhook, and all
 * their updates are pending. Those of `delivered` have one, and every update has its outcome: of a hundred, one has failed
 * for good and one was delivered at the second attempt.
 */
export const BOTS_PER_CHANNEL = 10;
export const ONE_IN = 100;

export const LAST_ERROR = "502 Bad Gateway";

/** The posts are a day old, well within the retention. */
export const AGE_MS = 86_400_000;

/** @returns posts for each of the two channels, for `updates` in total */
export const postsPerChannel = (updates) => updates / (2 * BOTS_PER_CHANNEL);

/** @returns the outcomes of the `updates` of one bot of `delivered` */
export function outcomes(updates) {
  const failed = updates / ONE_IN;
  return { failed, delivered: updates - failed };
}
