import { partitionOf } from "../../domain/feed.js";
import type { FeedKind, FeedPayload } from "../../domain/feed-event.js";
import { newId } from "../../domain/ids.js";
import type { LogHead } from "../store.js";
import type { Database } from "./binding.js";
import { feedFinder } from "./feed.js";
import { eventAppender } from "./log-appender.js";

/** Appends an event about a channel, a bot or a webhook to the feed, if it is on. No bot hears it. */
export type TellFeed = (eventType: FeedKind, payload: FeedPayload) => LogHead[];

export function feedTeller(db: Database): TellFeed {
  const findFeed = feedFinder(db);
  const insertEvent = db.prepare(`
    INSERT INTO posts (id, channel_key, created_at, payload, event_type, subject_key, owner_user_id)
    VALUES (?, 0, ?, ?, ?, ?, ?)`);
  const append = eventAppender(db);
  return (eventType, payload) => {
    const feed = findFeed();
    if (!feed) return [];
    const key = feed.firstKey + partitionOf(payload.owner_user_id, feed.partitions);
    const now = Date.now();
    const { lastInsertRowid } = insertEvent.run(
      newId(),
      now,
      JSON.stringify(payload),
      eventType,
      -key,
      payload.owner_user_id,
    );
    return append(Number(lastInsertRowid), now, [key]);
  };
}
