import type { Channel } from "../../domain/events/channel.js";
import { BOT_ATTACHED, BOT_DETACHED, CHANNEL_UPDATED, type StoredEvent } from "../../domain/events/event.js";
import { newId } from "../../domain/ids.js";

type NoticeType = typeof BOT_ATTACHED | typeof BOT_DETACHED | typeof CHANNEL_UPDATED;

/**
 * The event that tells of a change of a channel, or of a bot's membership of it.
 *
 * @param by the owner who made the change, or the bot that left
 */
export function channelNotice(
  eventType: NoticeType,
  { id, slug, title, description }: Pick<Channel, "id" | "slug" | "title" | "description">,
  by: string,
): StoredEvent {
  const channel = eventType === CHANNEL_UPDATED ? { id, slug, title, description } : { id, slug, title };
  return noticeOf(eventType, { channel_id: id, channel, by });
}

/** The last event of a channel that is deleted. It stays in the logs of bots, so it has none of the channel's texts. */
export function deletionNotice(channelId: string, by: string): StoredEvent {
  const channel = { id: channelId, slug: "", title: "" };
  return noticeOf(BOT_DETACHED, { channel_id: channelId, channel, by, deleted: true });
}

function noticeOf(eventType: NoticeType, payload: object): StoredEvent {
  return { id: newId(), eventType, payload: JSON.stringify(payload), createdAt: Date.now() };
}
