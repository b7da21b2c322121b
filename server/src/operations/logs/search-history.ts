import type { TrackedUpdate } from "../../domain/events/update.js";
import { type UpdateFilter, updateMatcher } from "../../domain/events/update-filter.js";
import { MAX_PAGE_BYTES, MAX_PAGE_ITEMS, MAX_SEARCHED_PAGES } from "../../domain/limits.js";
import type { HistoryStep, Store } from "../../store/store.js";
import type { HistoryPart } from "./list-history.js";

/** Which part of a bot's history to search, and for what. */
export interface HistorySearch extends HistoryPart, UpdateFilter {
  /** The lowest number that is read; the whole log when left out. */
  from?: number | undefined;
}

export interface FoundUpdates {
  /** Newest first. */
  updates: TrackedUpdate[];
  /** The `before` of the next search; absent when everything was read. */
  stoppedAt?: number;
}

/**
 * Searches a part of a bot's history, newest first. There is no index of texts, kinds or channels, since it would cost
 * every append. So the log is read page by page, with other calls of the store in between, and a search stops after
 * {@link MAX_SEARCHED_PAGES} pages; the caller continues it.
 *
 * @param isWanted whether somebody still waits for the answer
 */
export async function searchHistory(
  store: Store,
  botId: string,
  { limit, before, state, from = 1, ...filter }: HistorySearch,
  isWanted: () => boolean,
): Promise<FoundUpdates> {
  const isMatch = updateMatcher(filter);
  const found: TrackedUpdate[] = [];
  let bytes = 0;
  let above = before;
  for (let page = 0; page < MAX_SEARCHED_PAGES && isWanted(); page++) {
    const { updates, next } = await readStep(store, botId, state, above);
    for (const update of updates) {
      if (update.updateId < from) return { updates: found };
      if (!isMatch(update)) continue;
      bytes += Buffer.byteLength(update.payload);
      if (found.length === limit || (bytes > MAX_PAGE_BYTES && found.length > 0))
        return { updates: found, stoppedAt: update.updateId + 1 };
      found.push(update);
    }
    if (next === undefined || next <= from) return { updates: found };
    above = next;
  }
  return above === undefined ? { updates: found } : { updates: found, stoppedAt: above };
}

async function readStep(
  store: Store,
  botId: string,
  state: HistoryPart["state"],
  before: number | undefined,
): Promise<HistoryStep> {
  if (state) return await store.listUpdatesInState(botId, state, MAX_PAGE_ITEMS, before);
  const updates = await store.listRecentUpdates(botId, MAX_PAGE_ITEMS, before);
  const last = updates.at(-1);
  return last ? { updates, next: last.updateId } : { updates };
}
