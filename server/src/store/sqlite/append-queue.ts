import { partsOf } from "../../domain/fault-isolation.js";
import { FEED } from "../feed-store.js";
import { byChannel, inColumns, type PostColumns } from "../post-columns.js";
import { type AppendedPost, type LogHead, type PostToAppend, StoreUnavailable } from "../store.js";
import type { AppendedPosts } from "./verbs.js";

/** Posts of many callers on their way to the engine's thread. */
export interface AppendQueue {
  /** Callers that wait for the next call. */
  readonly length: number;
  /** @returns for each post what became of it */
  add(posts: readonly PostToAppend[]): Promise<AppendedPost[]>;
  /** Makes one call of all that wait. */
  flush(): void;
}

/** What a call has appended. */
export interface Growth {
  heads: LogHead[];
  /** Posts that were stored. */
  postCount: number;
  /** Updates that were appended for them, to the logs of all bots together. */
  updateCount: number;
}

interface Append {
  posts: readonly PostToAppend[];
  resolve(appended: AppendedPost[]): void;
  reject(error: unknown): void;
}

/**
 * Makes one call out of all that append posts: what travels between threads costs by the object, and the engine appends
 * the posts of one channel to its bots' logs together. One that fails for a reason of its own fails alone.
 *
 * @param call appends posts in the engine's thread
 * @param onGrowth is told what a call has appended, once for all its callers and before they are
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
  const all = channelKeys.map((key, index): AppendedPost => {
    if (key !== null) return true;
    return readOnly?.has(index) ? "read only" : (earlier?.get(index) ?? false);
  });
  let taken = 0;
  for (const { posts, resolve } of appends) resolve(all.slice(taken, (taken += posts.length)));
}

/** The posts themselves need not come back from the thread: they are here. */
function growthOf(posts: readonly PostToAppend[], appended: AppendedPosts): Growth {
  const { channelKeys, sourceKeys, botIds, lastUpdateIds, updateCounts, areClaimable } = appended;
  const postsOf = byChannel(posts, channelKeys);
  let allUpdates = 0;
  const heads = sourceKeys.map((key, index): LogHead => {
    const botId = botIds[index] as string;
    const lastUpdateId = lastUpdateIds[index] as number;
    const updateCount = updateCounts[index] as number;
    if (botId !== FEED) allUpdates += updateCount;
    const head = { botId, lastUpdateId, isClaimable: areClaimable[index] === true };
    const ofChannel = postsOf.get(key) ?? [];
    // A bot that has not heard all of them reads its own from the store.
    return ofChannel.length === updateCount ? { ...head, posts: ofChannel } : head;
  });
  const postCount = channelKeys.reduce<number>((count, key) => (key === null ? count : count + 1), 0);
  return { heads, postCount, updateCount: allUpdates };
}
