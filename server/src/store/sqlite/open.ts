import { rememberTokens } from "../known-tokens.js";
import { type StoreObserver, UNOBSERVED } from "../observer.js";
import { createStoreEvents, FEED, FEED_GREW, type OnListenerError, type Store } from "../store.js";
import {
  EVENTS,
  type EventVerb,
  type GrowingVerbs,
  type Grown,
  type StoreVerbs,
  tellingEventVerbs,
  tellingFeed,
  tellingRewinds,
  tellingVerbs,
  VERBS,
  type Verb,
} from "../verbs.js";
import type { Growth } from "./append-queue.js";
import { pagesOf } from "./pages.js";
import { type EngineThread, startEngineThread } from "./thread.js";

export interface SqliteOptions {
  /** A folder that exists. */
  dataDir: string;
  observer?: StoreObserver;
  onListenerError?: OnListenerError | undefined;
  /** Called when the open files are no longer those of the folder, so that nothing can be written, and when they are back. */
  onFilesMoved?(areInPlace: boolean): void;
}

/**
 * Opens the embedded store: SQLite in a folder, for this process alone.
 *
 * @throws Error with one line that says why the folder cannot be used
 */
export async function openSqliteStore({
  dataDir,
  observer = UNOBSERVED,
  onListenerError,
  onFilesMoved,
}: SqliteOptions): Promise<Store> {
  const events = createStoreEvents(onListenerError);
  const tellGrowth = ({ heads, postCount, updateCount }: Growth): void => {
    if (postCount > 0) observer.appended(postCount, updateCount);
    if (heads.length > 0) events.emit("appended", heads);
  };
  const thread = await startEngineThread(dataDir, observer, tellGrowth, onFilesMoved);
  /**
   * Every request of a bot starts with a look-up of its token; this cache saves the call of the thread. It is safe
   * because only this process writes to the database, and because the thread answers in order: a look-up that was
   * answered before a change is cached before that change is answered and clears it.
   */
  const knownTokens = rememberTokens();

  const tellEvent = ({ heads, erasedId }: Grown<unknown>): void => {
    const updateCount = heads.filter(({ botId }) => botId !== FEED).length;
    if (updateCount > 0) observer.appended(0, updateCount);
    if (heads.length > 0) events.emit("appended", heads);
    if (erasedId !== undefined) events.emit("postsErased", erasedId);
  };

  const verbs: StoreVerbs = {
    ...tellingEventVerbs(forwardedVerbs(thread), tellEvent),
    ...pagesOf(thread),
    async authenticateBot(tokenHash) {
      const known = knownTokens.find(tokenHash);
      if (known) return known;
      const identity = await thread.call("authenticateBot", tokenHash);
      knownTokens.keep(tokenHash, identity);
      return identity;
    },
    appendPosts: (posts) => thread.append(posts),
  };

  return {
    events,
    ...tellingRewinds(
      tellingVerbs(
        tellingFeed(verbs, () => events.emit("appended", [FEED_GREW])),
        (effect, botId) => {
          if (effect !== "lane") knownTokens.clear();
          for (const event of EVENTS[effect]) events.emit(event, botId);
        },
      ),
      (botId) => events.emit("consumerRewound", botId),
    ),
    recallBot: knownTokens.find,
    close: () => thread.close(),
  };
}

/** Each verb as a call of the thread. */
function forwardedVerbs(thread: EngineThread): Omit<StoreVerbs, EventVerb> & GrowingVerbs {
  const call = thread.call as (verb: Verb, ...parameters: unknown[]) => Promise<unknown>;
  const calls = VERBS.map((verb) => [verb, (...parameters: unknown[]) => call(verb, ...parameters)]);
  return Object.fromEntries(calls) as Omit<StoreVerbs, EventVerb> & GrowingVerbs;
}
