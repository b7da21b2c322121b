import type { Listeners, Store } from "../store/store.js";

/** To how many logs the events of channels are appended: most of what an event costs. */
export interface ListenerCounts {
  /**
   * The numbers of a channel, at most some seconds old; undefined when they have to be asked for, with {@link
   * ListenerCounts.ask}.
   */
  known(channelId: string): Listeners | undefined;
  /** Asks the store for those that are not known. */
  ask(channelIds: readonly string[]): Promise<void>;
}

/** Channels whose numbers are kept, at about 150 bytes each. */
const MAX_CHANNELS = 50_000;
/** Older numbers are asked for again, and used until the answer comes. */
const MAX_AGE_MS = 10_000;

const NONE: Listeners = { posts: 0, all: 0 };

/** @param now a monotonic clock in milliseconds */
export function createListenerCounts(
  store: Pick<Store, "countListeners">,
  now: () => number,
): ListenerCounts {
  const counts = new Map<string, Listeners & { at: number }>();

  const ask = async (channelIds: readonly string[]): Promise<void> => {
    const found = await store.countListeners(channelIds);
    if (counts.size + found.size > MAX_CHANNELS) counts.clear();
    const at = now();
    for (const [channelId, { posts, all }] of found) counts.set(channelId, { posts, all, at });
  };

  return {
    known(channelId) {
      const count = counts.get(channelId);
      if (count && now() - count.at > MAX_AGE_MS) {
        count.at = now();
        ask([channelId]).catch(() => {});
      }
      return count;
    },
    async ask(channelIds) {
      const unknown = [...new Set(channelIds)].filter((channelId) => !counts.has(channelId));
      if (unknown.length > 0) await ask(unknown);
    },
  };
}

/** The numbers of a channel that has been asked for: none when it does not exist. */
export function listenersOf(counts: ListenerCounts, channelId: string): Listeners {
  return counts.known(channelId) ?? NONE;
}
