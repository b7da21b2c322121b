import { isAlert } from "../../../domain/events/alert.js";
import { actorType } from "../../../domain/events/event.js";
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
  const findFeed = feedFinder(db);
  const writeEvent = eventWriter(db);
  const insertAlert = db.prepare(`
    INSERT INTO alerts (owner_user_id, event_type, payload, created_at) VALUES (?, ?, ?, ?)`);
  return (eventType, payload, actor) => {
    if (isAlert(eventType))
      insertAlert.run(payload.owner_user_id, eventType, JSON.stringify(payload), Date.now());
    const feed = findFeed();
    if (!feed) return [];
    const ownerUserId = payload.owner_user_id;
    const key = feed.firstKey + partitionOf(ownerUserId, feed.partitions);
    const event = { id: newId(), eventType, payload: JSON.stringify(payload), createdAt: Date.now() };
    const by =
      actor && "botKey" in actor
        ? ({ actor: "bot", actorKey: actor.botKey } as const)
        : { actor: actor && actorType(actor) };
    return writeEvent(event, { subjectKey: -key, ownerUserId, ...by }, [key]);
  };
}
