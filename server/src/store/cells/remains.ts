import type { Store } from "../store.js";

const ROWS_PER_STEP = 500;
/** More than the rows of any channel need: another instance that does the upkeep goes on where this ends. */
const MAX_STEPS = 1_000;

/** Erases what is left in a cell of what stood there for something of an owner of another one. */
export async function eraseRemains(store: Store, guestOwner: string): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1)
    if ((await store.runUpkeep({ kind: "erase", ownerUserId: guestOwner }, ROWS_PER_STEP)) !== "more") return;
}
