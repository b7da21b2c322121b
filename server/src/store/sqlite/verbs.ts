import type { PostColumns } from "../post-columns.js";
import type { Store } from "../store.js";
import type { OutcomeColumns } from "./outcome-columns.js";

/** The verbs of the seam as the engine's thread has them: the same, but synchronous. */
export type Verbs = {
  [Verb in Exclude<keyof Store, "events" | "close" | "appendPosts" | "recallBot" | "recordAttempts">]: (
    ...parameters: Parameters<Store[Verb]>
  ) => Awaited<ReturnType<Store[Verb]>>;
} & {
  appendPosts(posts: PostColumns): Appended;
  recordAttempts(outcomes: OutcomeColumns): void;
};

/** What became of posts, by columns. */
export interface Appended {
  /** Of each post the key of the channel that it was stored in; null when it was not stored. */
  channelKeys: (number | null)[];
  /** Of each log that grew the key of the channel whose posts it got; as long as there are logs, like all that follow. */
  sourceKeys: number[];
  botIds: string[];
  lastUpdateIds: number[];
  areClaimable: boolean[];
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
  "readLogHead",
  "listRecentUpdates",
  "listUpdatesInState",
  "listDeliveryErrors",
  "listFailedAttempts",
  "readTimeline",
  "readStats",
  "readWebhook",
  "readStoredWebhook",
  "readDueUpdates",
  "listSealedSecrets",
  "surveyLanes",
]);
