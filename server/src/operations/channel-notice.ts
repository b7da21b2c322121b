import type { Channel } from "../domain/channel.js";
import { BOT_ATTACHED, BOT_DETACHED, CHANNEL_UPDATED, type StoredEvent } from "../domain/event.js";
import { newId } from "../domain/ids.js";

type NoticeType = typeof BOT_ATTACHED | typeof BOT_DETACHED | typeof CHANNEL_UPDATED;

/**
 * The event that tells of a change of a channel, or of a bot's place in it.
 *
 * @param by the owner who made the change
 */
export function channelNotice(
  eventType: NoticeType,
  { id, slug, title, description }: Pick<Channel, "id" | "slug" | "title" | "description">,
  by: string,
): StoredEvent {
  const channel = eventType === CHANNEL_UPDATED ? { id, slug, title, description } : { id, slug, title };
  const payload = JSON.stringify({ channel_id: id, channel, by });
  return { id: newId(), eventType, payload, createdAt: Date.now() };
}
