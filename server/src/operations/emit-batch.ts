import type { Store } from "../store/store.js";
import type { BatchSteps } from "./batch-steps.js";
import { type BatchTarget, findTargets, type OwnedTarget } from "./batch-targets.js";
import { type Emitted, type EventDraft, emitEvent } from "./emit-event.js";
import { type BatchCaller, nameOf } from "./publish-batch.js";

/** A custom event of a batch. */
export type BatchEvent = Pick<EventDraft, "eventType" | "payload" | "idempotencyKey"> & {
  target: BatchTarget;
};

/** Events that are emitted in one step. */
const STEP_EVENTS = 50;

/** An event whose target is known, and its place in the batch. */
interface Placed {
  index: number;
  draft: EventDraft;
}

/**
 * Emits custom events, each by itself, those to one target in their order.
 *
 * @param items events, or the errors with which items have failed already
 * @returns for each item what came of it
 */
export async function emitBatch(
  store: Store,
  steps: BatchSteps,
  caller: BatchCaller,
  items: readonly (BatchEvent | Error)[],
): Promise<(Emitted | Error)[]> {
  const results: (Emitted | Error)[] = [];
  const ownerUserId = caller === "platform" ? undefined : caller.userId;
  const valid = items.flatMap((item, index) => (item instanceof Error ? [] : [{ item, index }]));
  for (const [index, item] of items.entries()) if (item instanceof Error) results[index] = item;
  const targets = await findTargets(
    store,
    ownerUserId,
    valid.map(({ item }) => item.target),
  );
  const placed: Placed[] = [];
  for (const [n, { item, index }] of valid.entries()) {
    const target = targets[n] as OwnedTarget | Error;
    if (target instanceof Error) results[index] = target;
    else placed.push({ index, draft: draftOf(item, target) });
  }
  for (let from = 0; from < placed.length; from += STEP_EVENTS) {
    const step = placed.slice(from, from + STEP_EVENTS);
    await steps.run(nameOf(caller), () => emitStep(store, step, results));
  }
  return results;
}

function draftOf(
  { eventType, payload, idempotencyKey }: BatchEvent,
  { ownerUserId, ...to }: OwnedTarget,
): EventDraft {
  return { ownerUserId, to, eventType, payload, idempotencyKey };
}

/** Targets side by side, the events of each one after the other. */
async function emitStep(store: Store, step: readonly Placed[], results: (Emitted | Error)[]): Promise<void> {
  const byTarget = new Map<string, Placed[]>();
  for (const one of step) {
    const { to } = one.draft;
    const id = "botId" in to ? to.botId : to.channelId;
    byTarget.set(id, [...(byTarget.get(id) ?? []), one]);
  }
  await Promise.all(
    [...byTarget.values()].map(async (placed) => {
      for (const { index, draft } of placed) {
        results[index] = await emitEvent(store, draft).catch((error: Error) => error);
      }
    }),
  );
}
