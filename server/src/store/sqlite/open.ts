import { rememberTokens } from "../known-tokens.js";
import { type StoreObserver, UNOBSERVED } from "../observer.js";
import { createStoreEvents, type OnListenerError, type Store } from "../store.js";
import { toColumns } from "./outcome-columns.js";
import { pagesOf } from "./pages.js";
import { startEngineThread } from "./thread.js";

export interface SqliteOptions {
  /** A folder that exists. */
  dataDir: string;
  observer?: StoreObserver;
  onListenerError?: OnListenerError | undefined;
  /**
   * Hears when the files in use are no longer those of the folder, so that nothing can be written, and when they are there
   * again.
   */
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
  const thread = await startEngineThread(dataDir, observer, onFilesMoved);
  const events = createStoreEvents(onListenerError);
  /**
   * Every request of a bot starts with the look-up of its token, and this saves the way to the thread. It is safe because
   * this process alone writes the database, and because the thread answers in order: a look-up that was answered before a
   * change is kept before that change is answered and clears it.
   */
  const knownTokens = rememberTokens();

  /** Runs a change of a bot that others must feel, as the events say, from the moment it is answered. */
  const changing =
    (...changes: ("botChanged" | "laneChanged")[]) =>
    async <Result>(botId: string, written: Promise<Result>): Promise<Result> => {
      const result = await written;
      knownTokens.clear();
      if (!result) return result;
      for (const change of changes) events.emit(change, botId);
      return result;
    };
  const changeName = changing();
  const changeToken = changing("botChanged");
  const changeBot = changing("botChanged", "laneChanged");
  const changeLane = changing("laneChanged");

  return {
    events,

    createBot: (...parameters) => thread.call("createBot", ...parameters),
    listBots: (ownerUserId) => thread.call("listBots", ownerUserId),
    listOverviews: (...parameters) => thread.call("listOverviews", ...parameters),
    findBot: (ref) => thread.call("findBot", ref),
    editBot: (ref, edit) => changeName(ref.botId, thread.call("editBot", ref, edit)),
    deleteBot: (ref) => changeBot(ref.botId, thread.call("deleteBot", ref)),
    setBotDisabled: (ref, ...rest) => changeBot(ref.botId, thread.call("setBotDisabled", ref, ...rest)),
    replaceBotToken: (ref, tokenHash) =>
      changeToken(ref.botId, thread.call("replaceBotToken", ref, tokenHash)),
    async authenticateBot(tokenHash) {
      const known = knownTokens.find(tokenHash);
      if (known) return known;
      const identity = await thread.call("authenticateBot", tokenHash);
      knownTokens.keep(tokenHash, identity);
      return identity;
    },
    recallBot: knownTokens.find,

    createChannel: (channel) => thread.call("createChannel", channel),
    listChannels: (...parameters) => thread.call("listChannels", ...parameters),
    findChannel: (ref) => thread.call("findChannel", ref),
    editChannel: (ref, edit) => thread.call("editChannel", ref, edit),
    attachBot: (...parameters) => thread.call("attachBot", ...parameters),
    detachBot: (ref, channelId) => thread.call("detachBot", ref, channelId),
    listBotChannels: (botId) => thread.call("listBotChannels", botId),

    async appendPosts(posts) {
      const { stored, heads, postCount, updateCount } = await thread.append(posts);
      if (postCount > 0) observer.appended(postCount, updateCount);
      if (heads.length > 0) events.emit("appended", heads);
      return stored;
    },
    ...pagesOf(thread),
    readLogHead: (botId) => thread.call("readLogHead", botId),
    listFailedAttempts: (...parameters) => thread.call("listFailedAttempts", ...parameters),
    readTimeline: (...parameters) => thread.call("readTimeline", ...parameters),
    readStats: (ref) => thread.call("readStats", ref),

    readWebhook: (ref) => thread.call("readWebhook", ref),
    readStoredWebhook: (ref) => thread.call("readStoredWebhook", ref),
    putWebhook: (ref, ...rest) => changeLane(ref.botId, thread.call("putWebhook", ref, ...rest)),
    deleteWebhook: (ref, now) => changeLane(ref.botId, thread.call("deleteWebhook", ref, now)),
    setWebhookPaused: (ref, ...rest) => changeLane(ref.botId, thread.call("setWebhookPaused", ref, ...rest)),
    replayFailed: (ref, ...rest) => changeLane(ref.botId, thread.call("replayFailed", ref, ...rest)),
    replayUpdates: (ref, ...rest) => changeLane(ref.botId, thread.call("replayUpdates", ref, ...rest)),

    claimLanes: (claim) => thread.call("claimLanes", claim),
    readDueUpdates: (reads, now) => thread.call("readDueUpdates", reads, now),
    requeueScheduled: (botIds) => thread.call("requeueScheduled", botIds),
    recordAttempts: (lanes) => thread.call("recordAttempts", toColumns(lanes)),
    renewLeases: (...parameters) => thread.call("renewLeases", ...parameters),
    releaseLanes: (...parameters) => thread.call("releaseLanes", ...parameters),

    listSealedSecrets: (...parameters) => thread.call("listSealedSecrets", ...parameters),
    resealSecret: (...parameters) => thread.call("resealSecret", ...parameters),
    expireUpdates: (before, limit) => thread.call("expireUpdates", before, limit),
    foldTimelines: (...parameters) => thread.call("foldTimelines", ...parameters),
    passOverNumbers: (...parameters) => thread.call("passOverNumbers", ...parameters),
    surveyLanes: (...parameters) => thread.call("surveyLanes", ...parameters),
    ping: () => thread.call("ping"),
    close: () => thread.close(),
  };
}
