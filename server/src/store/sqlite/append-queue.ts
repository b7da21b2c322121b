import { partsOf } from "../../domain/fault-isolation.js";
import { byChannel, inColumns, type PostColumns } from "../post-columns.js";
import { type LogHead, type PostToAppend, StoreUnavailable } from "../store.js";
import type { Appended } from "./verbs.js";

/** Posts of many callers on their way to the engine's thread. */
export interface AppendQueue {
  /** Callers that wait for the next call. */
  readonly length: number;
  /** @returns for each post whether it was stored */
  add(posts: readonly PostToAppend[]): Promise<boolean[]>;
  /** Makes one call of all that wait. */
  flush(): void;
}

/** What a call has appended. */
export interface Growth {
  heads: LogHead[];
  /** Posts that were stored. */
  postCount: number;
  /** Updates that were appended for them, to all logs together. */
  updateCount: number;
}

interface Append {
  posts: readonly PostToAppend[];
  resolve(stored: boolean[]): void;
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
  call: (posts: PostColumns) => Promise<Appended>,
  onGrowth: (growth: Growth) => void,
): AppendQueue {
  let waiting: Append[] = [];

  const append = async (appends: readonly Append[]): Promise<void> => {
    const parts = partsOf(appends);
    for (const part of parts) {
      const posts = part.flatMap((one) => one.posts);
      let appended: Appended;
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

function settle(appends: readonly Append[], { channelKeys }: Appended): void {
  const stored = channelKeys.map((key) => key !== null);
  let taken = 0;
  for (const { posts, resolve } of appends) resolve(stored.slice(taken, (taken += posts.length)));
}

/** The posts themselves need not come back from the thread: they are here. */
function growthOf(posts: readonly PostToAppend[], appended: Appended): Growth {
  const { channelKeys, sourceKeys, botIds, lastUpdateIds, areClaimable } = appended;
  const postsOf = byChannel(posts, channelKeys);
  let updateCount = 0;
  const heads = sourceKeys.map((key, index): LogHead => {
    const own = postsOf.get(key) ?? [];
    updateCount += own.length;
    const botId = botIds[index] as string;
    const lastUpdateId = lastUpdateIds[index] as number;
    return { botId, lastUpdateId, isClaimable: areClaimable[index] === true, posts: own };
  });
  const postCount = channelKeys.reduce<number>((count, key) => (key === null ? count : count + 1), 0);
  return { heads, postCount, updateCount };
}
