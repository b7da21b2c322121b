import { actorOf } from "../../../domain/events/event.js";
import type { Actor, FeedChannel, FeedEvent } from "../../parts/feed-store.js";
import { omitNulls } from "../omit-nulls.js";

/** An event as the engines read it. */
export interface FeedEventRow
  extends Pick<FeedEvent, "id" | "partition" | "number" | "payload" | "createdAt"> {
  eventType: string | null;
  ownerUserId: string | null;
  actedBy: number | null;
  /** The bot that acted; null when it was deleted. */
  botId: string | null;
  channelId: string | null;
  externalId: string | null;
}

export function feedEventOf(row: FeedEventRow): FeedEvent {
  const { id, partition, number, eventType, payload, createdAt, ownerUserId, channelId, externalId } = row;
  const type = actorOf(row.actedBy);
  const actorId = type === "bot" ? row.botId : type === "owner" ? ownerUserId : null;
  const by = type ? omitNulls<Actor>({ type, id: actorId }) : null;
  const channel =
    channelId === null ? null : omitNulls<FeedChannel>({ id: channelId, externalId, ownerUserId });
  const event = { id, partition, number, eventType, payload, createdAt, ownerUserId, by, channel };
  return omitNulls<FeedEvent>(event);
}
