import { InvalidInput } from "../../domain/errors.js";
import type { Cause } from "../../domain/events/cause.js";
import { costOfEvent, SMALL_REQUEST_US } from "../../fairness/cost.js";
import type { Fairness } from "../../fairness/fairness.js";
import { listenersOf } from "../../fairness/listener-counts.js";
import { inTurn } from "../../fairness/owner-turns.js";
import type { Store } from "../../store/store.js";
import { type BatchTarget, findTargets, type OwnedTarget } from "./batch-targets.js";
import type { ImportTime } from "./publish-post.js";

/** Whose batch it is: an owner's, or the platform's for channels and bots of any owner. */
export type BatchCaller = { userId: string; username: string; isPlatform?: boolean } | "platform";

export function isByPlatform(caller: BatchCaller): boolean {
  return caller === "platform" || caller.isPlatform === true;
}

/** What every item of a batch has. */
export interface BatchItem {
  /** Or the error with which the item fails. */
  target: BatchTarget | Error;
  idempotencyKey?: string | undefined;
  cause?: Cause | undefined;
  /** Of a post that nobody is told of: its time. */
  importedAt?: ImportTime | undefined;
}

/** An item that its schema refuses, with what could be read of it. */
export type RefusedItem = BatchItem & { refusal: Error };

/** What is done with the items of a batch. */
export interface BatchWork<Item, Result> {
  /** Returns the result of each item. */
  runStep(step: readonly Targeted<Item>[]): Promise<(Result | Error)[]>;
  /** The result of the first call with the key; undefined when there was none. */
  findFirst(target: OwnedTarget, key: string): Promise<Result | undefined>;
}

/** An item of a batch and its target. */
export interface Targeted<Item> {
  item: Item;
  target: OwnedTarget;
}

/** Items that are stored in one step: posts, which are the largest, take at most 3.4 MB. */
const STEP_ITEMS = 100;
/** What a step may cost; an item that costs more is a step of its own. */
const STEP_US = 3_000;

/**
 * Executes a batch in steps, each item independently: an item that fails does not affect the others. Each step waits for
 * its owner's turn. An invalid item with a key that was used before has its first result.
 *
 * @returns for each item its result, or the error with which it failed
 * @throws TooMuchWork when the owner's other batches take too long already; nothing is stored then
 */
export async function runBatch<Item extends BatchItem, Result>(
  store: Store,
  { turns, listeners, announce }: Fairness,
  caller: BatchCaller,
  items: readonly (Item | RefusedItem)[],
  { runStep, findFirst }: BatchWork<Item, Result>,
): Promise<(Result | Error)[]> {
  const results: (Result | Error)[] = [];
  const owner = caller === "platform" ? caller : caller.userId;
  const targets = await findTargets(
    store,
    caller === "platform" ? undefined : owner,
    items.map(({ target }) => target),
  );
  const targeted: (Targeted<Item> & { index: number })[] = [];
  for (const [index, item] of items.entries()) {
    const target = targets[index] as OwnedTarget | Error;
    if ("refusal" in item) results[index] = item.refusal;
    else if (target instanceof Error) results[index] = target;
    else targeted.push({ item, target, index });
  }
  await listeners.ask(targeted.flatMap(({ target }) => ("channelId" in target ? [target.channelId] : [])));
  const costOf = ({ item, target }: Targeted<Item>): number => {
    if (item.importedAt !== undefined) return costOfEvent(0);
    return costOfEvent("channelId" in target ? listenersOf(listeners, target.channelId).all : 1);
  };
  const done = await runSteps({ turns, announce }, owner, stepsOf(targeted, costOf), runStep);
  for (const [n, { index }] of targeted.entries()) results[index] = done[n] as Result | Error;
  // Only refused items are looked up, so that others cost nothing more.
  for (const [index, result] of results.entries()) {
    const key = items[index]?.idempotencyKey;
    const target = targets[index];
    if (!(result instanceof InvalidInput) || key === undefined || !target || target instanceof Error)
      continue;
    results[index] = await inTurn(turns, { owner, costUs: SMALL_REQUEST_US }, () =>
      findFirst(target, key),
    ).then(
      (first) => first ?? result,
      (error: Error) => error,
    );
  }
  return results;
}

/** Items that are stored together, and what that costs. */
interface BatchStep<Item> {
  step: Item[];
  costUs: number;
}

/**
 * Divides items by what they cost.
 *
 * @param mayJoin whether an item may be in one step with those before it
 */
export function* stepsOf<Item>(
  items: readonly Item[],
  costOf: (item: Item) => number,
  mayJoin: (item: Item, step: readonly Item[]) => boolean = () => true,
): Generator<BatchStep<Item>> {
  let step: Item[] = [];
  let costUs = 0;
  for (const item of items) {
    const itemUs = costOf(item);
    const isFull = step.length === STEP_ITEMS || costUs + itemUs > STEP_US;
    if (step.length > 0 && (isFull || !mayJoin(item, step))) {
      yield { step, costUs };
      step = [];
      costUs = 0;
    }
    step.push(item);
    costUs += itemUs;
  }
  if (step.length > 0) yield { step, costUs };
}

/**
 * Does one step after the other, each in its owner's turn.
 *
 * @returns the results of all items
 * @throws TooMuchWork when the owner's other batches take too long already; nothing is done then
 */
export async function runSteps<Item, Result>(
  { turns, announce }: Pick<Fairness, "turns" | "announce">,
  owner: string,
  steps: Iterable<BatchStep<Item>>,
  runStep: (step: readonly Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const all = [...steps];
  const results: Result[] = [];
  let leftUs = all.reduce((sum, { costUs }) => sum + costUs, 0);
  const finish = announce(owner, leftUs);
  try {
    for (const { step, costUs } of all) {
      results.push(...(await inTurn(turns, { owner, costUs }, () => runStep(step))));
      finish(costUs);
      leftUs -= costUs;
    }
  } finally {
    finish(leftUs);
  }
  return results;
}
