import { type StoreObserver, UNOBSERVED } from "../observer.js";
import { updatesIn, withEvents } from "../reports.js";
import { rememberTokens } from "../shared/known-tokens.js";
import { createStoreEvents, type OnListenerError, type Store } from "../store.js";
import { type EngineVerbs, EVENTS, VERBS, type Verb } from "../verbs.js";
import { pagesOf } from "./logs/pages.js";
import type { Growth } from "./thread/append-queue.js";
import { type EngineThread, type FileEvents, startEngineThread } from "./thread/thread.js";

export interface SqliteOptions extends FileEvents {
  /** A folder that exists. */
  dataDir: string;
  observer?: StoreObserver;
  onListenerError?: OnListenerError | undefined;
  /** Why a file without tables must not become a new database; left out when it may. */
  whyNotNew?: string | undefined;
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
  whyNotNew,
  ...fileEvents
}: SqliteOptions): Promise<Store> {
  const events = createStoreEvents(onListenerError);
  const reportGrowth = ({ heads, postCount, updateCount }: Growth): void => {
    if (postCount + updateCount > 0) observer.appended(postCount, updateCount);
    if (heads.length > 0) events.emit("appended", heads);
  };
  const thread = await startEngineThread({ dataDir, whyNotNew }, observer, reportGrowth, fileEvents);
  /**
   * Every request of a bot starts with a look-up of its token; this cache saves the call of the thread. It is safe
   * because only this process writes to the database, and because the thread answers in order: a look-up that was
   * answered before a change is cached before that change is answered and clears it.
   */
  const knownTokens = rememberTokens();

  const verbs: EngineVerbs = {
    ...forwardedVerbs(thread),
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
    ...withEvents(verbs, {
      grown({ heads, erasedIds = [], updateCount = updatesIn(heads) }) {
        reportGrowth({ heads, postCount: 0, updateCount });
        for (const id of erasedIds) events.emit("postsErased", id);
      },
      changed(effect, botId) {
        if (effect !== "lane" && effect !== "webhook") knownTokens.clear();
        for (const event of EVENTS[effect]) events.emit(event, botId);
      },
      ownerChanged: (ownerUserId) => events.emit("ownerChanged", ownerUserId),
      rewound: (log) => events.emit("consumerRewound", log),
    }),
    recallBot: knownTokens.find,
    close: () => thread.close(),
  };
}

/** Each verb as a call of the thread. */
function forwardedVerbs(thread: EngineThread): EngineVerbs {
  const call = thread.call as (verb: Verb, ...parameters: unknown[]) => Promise<unknown>;
  const calls = VERBS.map((verb) => [verb, (...parameters: unknown[]) => call(verb, ...parameters)]);
  return Object.fromEntries(calls) as EngineVerbs;
}
