import { partsOf } from "../../../domain/fault-isolation.js";
import { FEED } from "../../parts/feed-store.js";
import { byChannel, inColumns, type PostColumns } from "../../shared/post-columns.js";
import { type AppendResult, type LogHead, type PostToAppend, StoreUnavailable } from "../../store.js";
import type { AppendedPosts } from "../verbs.js";

/** Posts of many callers on their way to the engine's thread. */
export interface AppendQueue {
  /** The number of callers that wait for the next call. */
  readonly length: number;
  /** @returns for each post whether it was stored */
  add(posts: readonly PostToAppend[]): Promise<AppendResult[]>;
  /** Sends all waiting posts as one call. */
  flush(): void;
}

/** What one call appended. */
export interface Growth {
  heads: LogHead[];
  /** Posts that were stored. */
  postCount: number;
  /** Updates that were appended for them, to the logs of all bots together. */
  updateCount: number;
}

interface Append {
  posts: readonly PostToAppend[];
  resolve(appended: AppendResult[]): void;
  reject(error: unknown): void;
}

/**
 * Joins concurrent appends into one call of the engine's thread: a message between threads costs time for each object,
 * and the engine appends the posts of one channel to its bots' logs together. An append that cannot be stored fails
 * alone.
 *
 * @param call appends posts in the engine's thread
 * @param onGrowth called with what was appended, once for each call and before its callers get their results
 */
export function createAppendQueue(
  call: (posts: PostColumns) => Promise<AppendedPosts>,
  onGrowth: (growth: Growth) => void,
): AppendQueue {
  let waiting: Append[] = [];

  const append = async (appends: readonly Append[]): Promise<void> => {
    const parts = partsOf(appends);
    for (const part of parts) {
      const posts = part.flatMap((one) => one.posts);
      let appended: AppendedPosts;
      try {
        appended = await call(inColumns(posts));
      } catch (error) {
        if (error instanceof StoreUnavailable || !parts.split()) for (const { reject } of part) reject(error);
        continue;
      }
      settle(part, appended);
      onGrowth(growthOf(posts, appended));
    }
  };

  return {
    get length() {
      return waiting.length;
    },
    add: (posts) => new Promise((resolve, reject) => waiting.push({ posts, resolve, reject })),
    flush() {
      if (waiting.length === 0) return;
      void append(waiting);
      waiting = [];
    },
  };
}

function settle(appends: readonly Append[], { channelKeys, earlier, readOnly }: AppendedPosts): void {
  const all = channelKeys.map((key, index): AppendResult => {
    if (key !== null) return true;
    return readOnly?.has(index) ? "read only" : (earlier?.get(index) ?? false);
  });
  let taken = 0;
  for (const { posts, resolve } of appends) resolve(all.slice(taken, (taken += posts.length)));
}

/** Builds the hint from the posts that were sent, so the thread need not return them. */
function growthOf(posts: readonly PostToAppend[], appended: AppendedPosts): Growth {
  const { channelKeys, sourceKeys, botIds, lastUpdateIds, updateCounts, areClaimable } = appended;
  const { areFurtherClaimable } = appended;
  const postsOf = byChannel(posts, channelKeys);
  let allUpdates = 0;
  const heads = sourceKeys.map((key, index): LogHead => {
    const botId = botIds[index] as string;
    const lastUpdateId = lastUpdateIds[index] as number;
    const updateCount = updateCounts[index] as number;
    if (botId !== FEED) allUpdates += updateCount;
    const isFurtherClaimable = areFurtherClaimable?.get(index);
    const head = {
      botId,
      lastUpdateId,
      isClaimable: areClaimable[index] === true,
      ...(isFurtherClaimable !== undefined && { isFurtherClaimable }),
    };
    const ofChannel = postsOf.get(key) ?? [];
    // A bot that heard only some of them reads its updates from the store.
    return ofChannel.length === updateCount ? { ...head, events: ofChannel } : head;
  });
  const postCount = channelKeys.reduce<number>((count, key) => (key === null ? count : count + 1), 0);
  return { heads, postCount, updateCount: allUpdates };
}
