import type { Fairness } from "../../fairness/fairness.js";
import type { Store } from "../../store/store.js";
import type { OwnedTarget } from "./batch-targets.js";
import { type Emitted, type EventDraft, emitEvent } from "./emit-event.js";
import {
  type BatchCaller,
  type BatchItem,
  isByPlatform,
  type RefusedItem,
  runBatch,
  type Targeted,
} from "./run-batch.js";

/** A custom event of a batch. */
export type BatchEvent = BatchItem & Pick<EventDraft, "eventType" | "payload" | "user">;

type RefusalOf = (ownerUserId: string, isKept: boolean) => Error | undefined | Promise<Error | undefined>;

/**
 * Emits custom events independently of each other; events to one target in their order.
 *
 * @param refusalOf counts an event of an owner, in a channel or not, and returns the error with which it is refused, if it is
 * @returns for each item its result, or the error with which it failed
 */
export async function emitBatch(
  store: Store,
  fairness: Fairness,
  caller: BatchCaller,
  items: readonly (BatchEvent | RefusedItem)[],
  refusalOf: RefusalOf,
): Promise<(Emitted | Error)[]> {
  return await runBatch(store, fairness, caller, items, {
    runStep: (step) => emitStep(store, isByPlatform(caller), step, refusalOf),
    async findFirst({ ownerUserId, ...to }, key) {
      const event = await store.findKeyed({ ownerUserId, to, key });
      return event && { event, to, isReplayed: true };
    },
  });
}

/** Targets are served concurrently, the events of each in their order. */
async function emitStep(
  store: Store,
  isPlatform: boolean,
  step: readonly Targeted<BatchEvent>[],
  refusalOf: RefusalOf,
): Promise<(Emitted | Error)[]> {
  const lastTo = new Map<string, Promise<unknown>>();
  return await Promise.all(
    step.map(({ item, target }) => {
      const id = "botId" in target ? target.botId : target.channelId;
      const emit = async (): Promise<Emitted | Error> => {
        const refusal = await refusalOf(target.ownerUserId, "channelId" in target);
        return refusal ?? (await emitEvent(store, { ...draftOf(item, target), isPlatform }));
      };
      const emitted = (lastTo.get(id) ?? Promise.resolve()).then(emit).catch((error: Error) => error);
      lastTo.set(id, emitted);
      return emitted;
    }),
  );
}

function draftOf(
  { eventType, payload, user, idempotencyKey, cause }: BatchEvent,
  { ownerUserId, ...to }: OwnedTarget,
): EventDraft {
  return { ownerUserId, to, eventType, payload, user, idempotencyKey, cause };
}
