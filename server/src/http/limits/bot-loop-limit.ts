import type { ErrorCode } from "../../domain/error-codes.js";
import { botsInLoop, LOOP_POSTS_PER_SECOND, postsToRead } from "../../domain/events/bot-loop.js";
import type { Store } from "../../store/store.js";
import { createTokenBuckets } from "./token-buckets.js";

/** Bots of a channel answer each other, and have published as much as they may without a post of a person. */
export class BotLoop extends Error {
  override readonly name = "BotLoop";
  readonly code = "bot_loop" satisfies ErrorCode;
}

/** A limit of posts by bots that answer each other, for each channel. */
export interface BotLoopLimit {
  /**
   * Counts a post of a bot.
   *
   * @throws BotLoop when the bot is one of those that answer each other, and it has to wait
   */
  admit(channelId: string, botId: string): Promise<void>;
}

/** For how long what was read of a channel counts: a busy channel is read once in this time. */
const READ_EVERY_MS = 1000;

/**
 * Counting is by this instance and in memory, and counts all posts of bots alike. Only when they are more than the
 * channel's bucket holds, its newest posts are read, which tells whether bots answer each other, on whichever instances
 * they and persons post. If they do not, the bucket is full again.
 *
 * @param maxPosts 0 for no limit
 * @param onRefused called with the channel of each post that is refused
 */
export function createBotLoopLimit(
  store: Pick<Store, "listPostOrigins">,
  maxPosts: number,
  onRefused: (channelId: string) => void,
): BotLoopLimit {
  if (maxPosts === 0) return { async admit() {} };
  const buckets = createTokenBuckets({ burst: maxPosts, perSecond: LOOP_POSTS_PER_SECOND });
  const reads = new Map<string, Promise<Set<string>>>();
  // Shared by all refusals, because creating an error captures the stack.
  const refusal = new BotLoop(
    `bots answer each other in this channel: after ${maxPosts} posts without one of a person they may publish ${LOOP_POSTS_PER_SECOND} a second. Let a bot leave out the posts of bots, or try again in 1 s`,
  );

  const loopIn = (channelId: string): Promise<Set<string>> => {
    const known = reads.get(channelId);
    if (known) return known;
    const loop = findBotsInLoop(store, channelId, maxPosts);
    reads.set(channelId, loop);
    setTimeout(() => reads.delete(channelId), READ_EVERY_MS).unref();
    return loop;
  };

  return {
    async admit(channelId, botId) {
      if (buckets.take(channelId).allowed) return;
      const loop = await loopIn(channelId);
      if (loop.size === 0) buckets.refill(channelId);
      if (!loop.has(botId)) return;
      onRefused(channelId);
      throw refusal;
    },
  };
}

/** The bots that answer each other in a channel now; none when there is no limit. */
export async function findBotsInLoop(
  store: Pick<Store, "listPostOrigins">,
  channelId: string,
  maxPosts: number,
): Promise<Set<string>> {
  if (maxPosts === 0) return new Set();
  const newest = await store.listPostOrigins(channelId, postsToRead(maxPosts));
  return botsInLoop(newest, maxPosts, Date.now());
}
