import { setTimeout as sleep } from "node:timers/promises";
import type { Store, UpkeepTask } from "#botyard/store/store.js";

const isMore = async (store: Store, task: UpkeepTask, limit: number): Promise<boolean> =>
  (await store.runUpkeep(task, limit)) === "more";

// One step each. They return whether there may be more; false also when another store holds the upkeep at that moment.

export const eraseRemains = (store: Store, limit: number) => isMore(store, { kind: "erase" }, limit);

export const expireUpdates = (store: Store, before: number, limit: number) =>
  isMore(store, { kind: "expire", before }, limit);

export const sweepEvents = (store: Store, before: number, postsBefore: number | undefined, limit: number) =>
  isMore(store, { kind: "sweep", before, postsBefore }, limit);

export const foldTimelines = (store: Store, now: number, limit: number) =>
  isMore(store, { kind: "fold", now }, limit);

export const forgetKeys = (store: Store, before: number, limit: number) =>
  isMore(store, { kind: "forgetKeys", before }, limit);

/** Does a task to its end, in turns with other stores that do so too. */
export async function complete(store: Store, task: UpkeepTask, limit: number): Promise<void> {
  for (;;) {
    const result = await store.runUpkeep(task, limit);
    if (result === "done") return;
    if (result === "elsewhere") await sleep(2);
  }
}
