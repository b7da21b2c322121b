import type { Store } from "../store/store.js";
import type { BatchSteps } from "./batch-steps.js";
import { type BatchTarget, findTargets, type OwnedTarget } from "./batch-targets.js";

/** Whose batch it is: an owner's, or the platform's for channels and bots of any owner. */
export type BatchCaller = { userId: string; username: string } | "platform";

/** An item of a batch and its target. */
export interface Targeted<Item> {
  item: Item;
  target: OwnedTarget;
}

/** Items that are stored in one step: posts, which are the largest, take at most 3.4 MB. */
const STEP_ITEMS = 100;

/**
 * Executes a batch in steps, each item independently: an item that fails does not affect the others.
 *
 * @param items what to do, or the errors with which items have failed already
 * @param runStep returns the result of each of its items
 * @returns for each item its result, or the error with which it failed
 */
export async function runBatch<Item extends { target: BatchTarget }, Result>(
  store: Store,
  steps: BatchSteps,
  caller: BatchCaller,
  items: readonly (Item | Error)[],
  runStep: (step: readonly Targeted<Item>[]) => Promise<(Result | Error)[]>,
): Promise<(Result | Error)[]> {
  const results: (Result | Error)[] = [];
  const valid: { item: Item; index: number }[] = [];
  for (const [index, item] of items.entries()) {
    if (item instanceof Error) results[index] = item;
    else valid.push({ item, index });
  }
  const ownerUserId = caller === "platform" ? undefined : caller.userId;
  const targets = await findTargets(
    store,
    ownerUserId,
    valid.map(({ item }) => item.target),
  );
  const placed: (Targeted<Item> & { index: number })[] = [];
  for (const [n, one] of valid.entries()) {
    const target = targets[n] as OwnedTarget | Error;
    if (target instanceof Error) results[one.index] = target;
    else placed.push({ ...one, target });
  }
  for (let from = 0; from < placed.length; from += STEP_ITEMS) {
    const step = placed.slice(from, from + STEP_ITEMS);
    const stepResults = await steps.run(nameOf(caller), () => runStep(step));
    for (const [n, { index }] of step.entries()) results[index] = stepResults[n] as Result | Error;
  }
  return results;
}

function nameOf(caller: BatchCaller): string {
  return caller === "platform" ? caller : `owner ${caller.userId}`;
}
