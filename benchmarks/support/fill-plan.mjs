/**
 * What a log of many updates is filled with: two channels of ten bots each. The bots of `polled` have no webhook, and all
 * their updates are pending. Those of `delivered` have one, and every update has its outcome: of a hundred, one has failed
 * for good and one was delivered at the second attempt.
 */
export const BOTS_PER_CHANNEL = 10;
export const ONE_IN = 100;

export const LAST_ERROR = "502 Bad Gateway";

/** The filled posts are a day old, well inside the retention. */
export const AGE_MS = 86_400_000;

/** @returns posts for each of the two channels, so that `updates` are stored in all */
export const postsPerChannel = (updates) => updates / (2 * BOTS_PER_CHANNEL);

/** @returns how the `updates` of one bot of `delivered` have ended */
export function outcomes(updates) {
  const failed = updates / ONE_IN;
  return { failed, delivered: updates - failed };
}
