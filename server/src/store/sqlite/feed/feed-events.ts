import { isWebhookAlert } from "../../../domain/events/alert.js";
import { type ActorType, actorType, type StoredEvent } from "../../../domain/events/event.js";
import { partitionOf } from "../../../domain/events/feed.js";
import type { FeedKind, FeedPayload } from "../../../domain/events/feed-event.js";
import { newId } from "../../../domain/ids.js";
import type { LogHead, OwnerActor } from "../../store.js";
import type { Database } from "../binding.js";
import { eventWriter } from "../channels/channel-events.js";
import { feedFinder } from "./feed.js";

/**
 * Appends an event about a channel, a bot or a webhook to the feed, if it is on. No bot hears it, except that alerts wait for the upkeep, which
 * appends them to logs of bots.
 *
 * @param actor who did it; undefined for what the service tells of itself
 */
export type AppendToFeed = (
  eventType: FeedKind,
  payload: FeedPayload,
  actor: OwnerActor | { botKey: number } | undefined,
) => LogHead[];

export function feedEventAppender(db: Database): AppendToFeed {
  const append = feedAppender(db);
  const insertAlert = db.prepare(`
    INSERT INTO alerts (owner_user_id, event_type, payload, created_at) VALUES (?, ?, ?, ?)`);
  return (eventType, payload, actor) => {
    if (isWebhookAlert(eventType))
      insertAlert.run(payload.owner_user_id, eventType, JSON.stringify(payload), Date.now());
    const event = { id: newId(), eventType, payload: JSON.stringify(payload), createdAt: Date.now() };
    const by =
      actor && "botKey" in actor
        ? ({ actor: "bot", actorKey: actor.botKey } as const)
        : { actor: actor && actorType(actor) };
    return append(event, payload.owner_user_id, by);
  };
}

/** @returns appends an event about something of an owner to the feed, if it is on */
export function feedAppender(
  db: Database,
): (
  event: StoredEvent,
  ownerUserId: string,
  by: { actor?: ActorType | undefined; actorKey?: number | undefined },
) => LogHead[] {
  const findFeed = feedFinder(db);
  const writeEvent = eventWriter(db);
  return (event, ownerUserId, by) => {
    const feed = findFeed();
    if (!feed) return [];
    const key = feed.firstKey + partitionOf(ownerUserId, feed.partitions);
    return writeEvent(event, { subjectKey: -key, ownerUserId, ...by }, [key]);
  };
}
