import type { Store } from "../store/store.js";

/** A call begins no further step after this time: proxies cut off requests that take much longer. Upkeep erases the rest. */
const WORK_MS = 5_000;
const ROWS_PER_STEP = 500;

/** Erases what an owner's deletions have left, unless that takes longer than a few seconds. */
export async function eraseRemains(store: Store, ownerUserId: string): Promise<void> {
  const endsAt = performance.now() + WORK_MS;
  while ((await store.eraseRemains(ROWS_PER_STEP, ownerUserId)) && performance.now() < endsAt);
}
