import type { LogHead, Store } from "../store.js";

/** The verbs of the seam as the engine's thread has them: the same, but synchronous. */
export type Verbs = {
  [Verb in Exclude<keyof Store, "events" | "close" | "appendPosts">]: (
    ...parameters: Parameters<Store[Verb]>
  ) => Awaited<ReturnType<Store[Verb]>>;
} & {
  /** Also tells which logs grew. */
  appendPosts(...parameters: Parameters<Store["appendPosts"]>): { stored: boolean[]; heads: LogHead[] };
};

export type VerbName = keyof Verbs;

/** The verbs that change nothing: they need no write lock, and answer when writing is impossible. */
export const READS: ReadonlySet<VerbName> = new Set<VerbName>([
  "listBots",
  "findBot",
  "authenticateBot",
  "listChannels",
  "findChannel",
  "listBotChannels",
  "listPosts",
  "readUpdates",
  "listRecentUpdates",
  "listDeliveryErrors",
  "readStats",
  "readWebhook",
  "readDueUpdates",
]);
