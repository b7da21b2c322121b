import type { Bot } from "../domain/bot.js";
import type { TrackedUpdate } from "../domain/update.js";
import type { ChannelRef, Store } from "../store/store.js";
import { findPost } from "./change-post.js";

/** What became of a post in one bot of its channel. */
export interface PostUpdate {
  bot: Bot;
  /** Absent when the bot's log does not have it: it did not hear it, or the update has expired. */
  update?: TrackedUpdate;
}

/**
 * The update of a post in each bot that is attached to its channel now, oldest bots first.
 *
 * @param after only bots after this one
 * @throws NotFound
 */
export async function listPostUpdates(
  store: Store,
  { ownerUserId, channelId }: ChannelRef,
  postId: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<PostUpdate[]> {
  await findPost(store, { ownerUserId }, { channelId, postId });
  const bots = (await store.listChannelBots(channelId, limit, after)).map(({ bot }) => bot);
  const numbers = await store.findPostInLogs(
    channelId,
    postId,
    bots.map(({ id }) => id),
  );
  return await Promise.all(
    bots.map(async (bot, index) => {
      const update = await updateOf(store, bot.id, numbers[index]);
      return update ? { bot, update } : { bot };
    }),
  );
}

/** The update may have expired since its number was read. */
async function updateOf(
  store: Store,
  botId: string,
  updateId: number | undefined,
): Promise<TrackedUpdate | undefined> {
  if (updateId === undefined) return undefined;
  const [update] = await store.listRecentUpdates(botId, 1, updateId + 1);
  return update?.updateId === updateId ? update : undefined;
}
