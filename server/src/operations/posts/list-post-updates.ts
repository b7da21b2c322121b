import type { Bot } from "../../domain/bots/bot.js";
import type { Reading } from "../../domain/events/consumer.js";
import type { TrackedUpdate } from "../../domain/events/update.js";
import type { ChannelRef, Store } from "../../store/store.js";
import { findUpdate } from "../logs/find-update.js";
import { readReadings } from "../logs/readings.js";
import { findPost } from "./change-post.js";

/** A post's update in the log of one bot of its channel. */
export interface PostUpdate {
  bot: Bot;
  /** Absent when the bot's log does not have it: it did not hear it, or the update has expired. */
  update?: TrackedUpdate;
  /** Whether the bot's consumers have handled it; absent where a webhook delivers. */
  reading?: Reading;
}

/**
 * A post's update in the log of each bot of the channel's holder that is attached to it now, oldest bots first. What other owners' bots
 * get is not the holder's business.
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
  const bots = (await store.listChannelBots(channelId, limit, after, ownerUserId)).map(({ bot }) => bot);
  const numbers = await store.findPostInLogs(
    channelId,
    postId,
    bots.map(({ id }) => id),
  );
  return await Promise.all(
    bots.map(async (bot, index) => {
      const number = numbers[index];
      // It may have expired since its number was read.
      const update = number === undefined ? undefined : await findUpdate(store, bot.id, number);
      if (!update) return { bot };
      const reading = (await readReadings(store, bot))(update);
      return reading ? { bot, update, reading } : { bot, update };
    }),
  );
}
