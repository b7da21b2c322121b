import type { PostColumns } from "../post-columns.js";
import type { LogHead, Store } from "../store.js";

/** The verbs of the seam as the engine's thread has them: the same, but synchronous. */
export type Verbs = {
  [Verb in Exclude<keyof Store, "events" | "close" | "appendPosts" | "recallBot">]: (
    ...parameters: Parameters<Store[Verb]>
  ) => Awaited<ReturnType<Store[Verb]>>;
} & {
  appendPosts(posts: PostColumns): Appended;
};

export interface Appended {
  /** For each post whether it was stored. */
  stored: boolean[];
  grown: GrownLogs[];
  /** Posts that were stored. */
  postCount: number;
  /** Updates that were appended for them, to all logs together. */
  updateCount: number;
}

/** The logs that the posts of one channel were appended to. */
export interface GrownLogs {
  /** Which of the posts, in their order. */
  postIndexes: number[];
  heads: LogHead[];
}

export type VerbName = keyof Verbs;

/** The verbs that change nothing: they need no write lock, and answer when writing is impossible. */
export const READS: ReadonlySet<VerbName> = new Set<VerbName>([
  "listBots",
  "listOverviews",
  "findBot",
  "authenticateBot",
  "listChannels",
  "findChannel",
  "listBotChannels",
  "listPosts",
  "readUpdates",
  "listRecentUpdates",
  "listUpdatesInState",
  "listDeliveryErrors",
  "listFailedAttempts",
  "readTimeline",
  "readStats",
  "readWebhook",
  "readWebhookTarget",
  "readDueUpdates",
  "listSealedSecrets",
  "surveyLanes",
]);
