/** A post to so many logs keeps its transaction open for several times as long as one to a few. */
const LARGE_LOGS = 100;
/** Channels that are remembered, at about 100 bytes each. */
const MAX_CHANNELS = 10_000;

/** A log that has grown, with the key of the channel whose posts it got, if these were of one. */
type GrownLog = readonly [
  botId: string | null,
  number: number | null,
  isClaimable: boolean,
  channelKey: number | null,
  ...unknown[],
];

/**
 * Channels whose posts are appended to many logs, as far as is known from posts before: those to other channels do not wait until 1,000 logs have grown.
 */
export interface LargeChannels {
  has(channelId: string): boolean;
  /** @param postsOf the posts of a batch by the keys of their channels */
  learn(postsOf: ReadonlyMap<number, readonly { channelId: string }[]>, grown: readonly GrownLog[]): void;
}

export function createLargeChannels(): LargeChannels {
  const large = new Set<string>();
  return {
    has: (channelId) => large.has(channelId),
    learn(postsOf, grown) {
      if (grown.length < LARGE_LOGS && large.size === 0) return;
      const logs = new Map<number, number>();
      for (const [, , , key] of grown) if (key !== null) logs.set(key, (logs.get(key) ?? 0) + 1);
      for (const [key, [post]] of postsOf) {
        if (!post) continue;
        if ((logs.get(key) ?? 0) < LARGE_LOGS) large.delete(post.channelId);
        else if (large.size < MAX_CHANNELS) large.add(post.channelId);
      }
    },
  };
}
