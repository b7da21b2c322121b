import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../store.js";

const ROWS_PER_STEP = 500;
/** Another instance may do the upkeep: for so long it is waited for, and how often it is asked. What it has not erased by then, it does later. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 20;

/** Erases what is left in a cell of what stood there for something of an owner of another one. */
export async function eraseRemains(store: Store, guestOwner: string): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS;
  while (performance.now() < endsAt) {
    const result = await store.runUpkeep({ kind: "erase", ownerUserId: guestOwner }, ROWS_PER_STEP);
    if (result === "done") return;
    if (result === "elsewhere") await sleep(LOOK_MS);
  }
}
