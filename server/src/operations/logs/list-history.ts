import { sliceOf } from "../../domain/events/page.js";
import type { DeliveryState, TrackedUpdate } from "../../domain/events/update.js";
import { MAX_PAGE_BYTES } from "../../domain/limits.js";
import type { Store } from "../../store/store.js";

/** Which part of a bot's history to list. */
export interface HistoryPart {
  limit: number;
  /** Only updates numbered below it. */
  before?: number | undefined;
  state?: DeliveryState | undefined;
}

/**
 * A part of a bot's history, newest first. Updates in one state may have to be searched for in a long log: in steps, between
 * which the store serves others.
 *
 * @param isWanted whether somebody still waits for the answer
 */
export async function listHistory(
  store: Store,
  botId: string,
  { limit, before, state }: HistoryPart,
  isWanted: () => boolean,
): Promise<TrackedUpdate[]> {
  if (!state) return await store.listRecentUpdates(botId, limit, before);
  const found: TrackedUpdate[] = [];
  let from = before;
  let bytesLeft = MAX_PAGE_BYTES;
  do {
    const left = limit - found.length;
    const { updates, next } = await store.listUpdatesInState(botId, state, left, from, bytesLeft);
    const { items, bytes, isCut } = sliceOf(updates, bytesLeft, found.length > 0);
    found.push(...items);
    bytesLeft -= bytes;
    from = isCut ? undefined : next;
  } while (from !== undefined && found.length < limit && bytesLeft > 0 && isWanted());
  return found;
}
