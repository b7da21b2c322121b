import { FEED } from "../feed-store.js";
import type { Database } from "./binding.js";
import { feedFinder } from "./feed.js";

/** The keys of a log: one of a bot, one for each partition of the feed. */
export interface LogKeys {
  firstKey: number;
  lastKey: number;
  /** Null for the log of a bot. */
  feedId: string | null;
}

/** @returns finds the log of a bot, or {@link FEED}; undefined when there is none */
export function logFinder(db: Database): (log: string) => LogKeys | undefined {
  const findFeed = feedFinder(db);
  const selectBot = db.prepare(
    "SELECT bot_key AS firstKey, bot_key AS lastKey, NULL AS feedId FROM bots WHERE id = ?",
  );
  return (log) => {
    if (log !== FEED) return selectBot.get(log) as LogKeys | undefined;
    const feed = findFeed();
    return feed && { ...feed, lastKey: feed.firstKey + feed.partitions - 1 };
  };
}
