import type { TrackedUpdate } from "../../domain/events/update.js";
import type { Store } from "../../store/store.js";

/** One update of a bot's log, if it is kept. */
export async function findUpdate(
  store: Store,
  botId: string,
  updateId: number,
): Promise<TrackedUpdate | undefined> {
  const [update] = await store.listRecentUpdates(botId, 1, updateId + 1);
  return update?.updateId === updateId ? update : undefined;
}
