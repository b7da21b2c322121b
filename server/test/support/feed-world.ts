import type { FeedEvent, Store } from "#botyard/store/store.js";

/** As many as `partitionOf` can tell apart. */
const MAX_FEED_PARTITIONS = 256;

/** An event of the feed with what it tells. */
export interface ToldEvent extends Omit<FeedEvent, "payload" | "eventType"> {
  eventType: string;
  payload: Record<string, unknown>;
}

/** Switches the feed on, with every channel in it. */
export async function switchFeedOn(store: Store): Promise<void> {
  await store.switchFeed(true);
  await attachAll(store);
}

export async function attachAll(store: Store, channelsPerStep = 2): Promise<void> {
  let from: number | undefined = 0;
  while (from !== undefined) from = await store.attachFeed(from, channelsPerStep);
}

/** Everything in the feed, page by page; numbers of a partition follow each other. */
export async function readAll(store: Store, limit = 100): Promise<ToldEvent[]> {
  const positions = Array.from({ length: MAX_FEED_PARTITIONS }, () => 0);
  const all: ToldEvent[] = [];
  for (;;) {
    const read = await store.readFeed(positions, limit);
    if (!read) throw new Error("the feed is off");
    if (read.events.length === 0) return all;
    for (const { eventType = "channel.post_created", payload, ...event } of read.events) {
      const { partition, number } = event;
      const before = Math.max(positions[partition] ?? 0, (read.tails[partition] ?? 1) - 1);
      if (number !== before + 1) throw new Error(`a gap in partition ${partition} before ${number}`);
      positions[partition] = number;
      all.push({ ...event, eventType, payload: JSON.parse(payload) as Record<string, unknown> });
    }
  }
}

/** The kinds of the events, in their order. */
export function kindsOf(events: readonly { eventType: string }[]): string[] {
  return events.map(({ eventType }) => eventType);
}
