import type { BotIdentity } from "../../domain/bot.js";
import type { Slice } from "../../domain/page.js";
import type { Update } from "../../domain/update.js";
import { rememberTokens } from "../known-tokens.js";
import { type StoreObserver, UNOBSERVED } from "../observer.js";
import { readPage } from "../pages.js";
import { createStoreEvents, type OnListenerError, type PostToAppend, type Store } from "../store.js";
import { attemptVerbs } from "./attempts.js";
import { createBatcher } from "./batcher.js";
import { botVerbs } from "./bots.js";
import { channelVerbs } from "./channels.js";
import { openDatabase, type Statement } from "./connection.js";
import { openDatabaseClock } from "./database-clock.js";
import { failedAttemptVerbs } from "./failed-attempts.js";
import { startHints } from "./hints.js";
import { historyVerbs } from "./history.js";
import { laneVerbs } from "./lanes.js";
import { migrate } from "./migrate.js";
import { numberVerbs } from "./numbers.js";
import { overviewVerbs } from "./overview.js";
import { postVerbs } from "./posts.js";
import { requeueVerbs } from "./requeueing.js";
import { retentionVerbs } from "./retention.js";
import { surveyVerbs } from "./survey.js";
import { timelineVerbs } from "./timeline.js";
import { createTurns } from "./turns.js";
import { type UpdateRead, updateVerbs } from "./updates.js";
import { webhookVerbs } from "./webhooks.js";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Connections of this instance; one more listens for hints. */
  poolSize: number;
  /** Hears of broken connections; what was under way on them has failed with its own error. */
  onConnectionError(error: Error): void;
  /** False: neither tells other instances of changes nor hears from them. For tests, as if every hint were lost. */
  hints?: boolean;
  observer?: StoreObserver;
  onListenerError?: OnListenerError | undefined;
}

/** Calls, commonly of one post each, that share a statement at most: enough to share an fsync, few enough to keep the lanes locked for milliseconds. */
const CALLS_PER_APPEND = 200;
/** Owners' lists, each of which may be a page of 256 KiB, have this share of the connections; the rest is for all else. */
const LISTS_SHARE = 0.5;
/** Look-ups that share a statement at most. */
const CALLS_PER_READ = 500;

const PING: Statement = {
  name: "ping",
  text: "INSERT INTO pings (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
};

/**
 * Opens the store that any number of instances share: a PostgreSQL database, 14 or newer.
 *
 * @throws Error with one line that says why the database cannot be used
 */
export async function openPostgresStore({
  url,
  poolSize,
  onConnectionError,
  hints: withHints = true,
  observer = UNOBSERVED,
  onListenerError,
}: PostgresOptions): Promise<Store> {
  await migrate(url);
  const events = createStoreEvents(onListenerError);
  const database = openDatabase({ url, poolSize, onIdleError: onConnectionError, observer });
  const clock = await openDatabaseClock(database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const hints = withHints ? startHints({ url, database, events, onError: onConnectionError }) : undefined;

  /** Each of the three kinds of batches leaves connections to the others, however many are late. */
  const maxBatches = Math.max(2, Math.floor(poolSize / 3));
  const bots = botVerbs(database);
  const posts = postVerbs(database, clock);
  const updates = updateVerbs(database);
  const history = historyVerbs(database);
  const webhooks = webhookVerbs(database);
  const numbers = numberVerbs(database);
  const { surveyLanes } = surveyVerbs(database);
  const inTurn = createTurns(Math.max(1, Math.floor(poolSize * LISTS_SHARE)));

  const appendPosts = createBatcher<readonly PostToAppend[], boolean[]>({
    maxItems: CALLS_PER_APPEND,
    maxBatches,
    observer,
    async run(calls) {
      const { stored, heads, updateCount } = await posts.appendPosts(calls.flat());
      observer.appended(stored.filter(Boolean).length, updateCount);
      if (heads.length > 0) {
        events.emit("appended", heads);
        hints?.appended(heads);
      }
      let taken = 0;
      return calls.map(({ length }) => stored.slice(taken, (taken += length)));
    },
  });

  const knownTokens = rememberTokens();
  const lookUpBot = createBatcher<string, BotIdentity | undefined>({
    run: bots.authenticateBots,
    maxItems: CALLS_PER_READ,
    maxBatches,
    observer,
  });
  const readSlice = createBatcher<UpdateRead, Slice<Update>>({
    run: updates.readUpdatesOf,
    maxItems: CALLS_PER_READ,
    keyOf: ({ botId }) => botId,
    goesOn: ({ isFirst }) => !isFirst,
    maxBatches,
    observer,
  });

  const readLogHead = createBatcher<string, number | undefined>({
    run: numbers.readLogHeads,
    maxItems: CALLS_PER_READ,
    maxBatches,
    observer,
  });

  /** Runs a change of a bot that others must feel, as the events say, on whichever instance they are. */
  const changing =
    (...changes: ("botChanged" | "laneChanged")[]) =>
    async <Result>(botId: string, written: Promise<Result>): Promise<Result> => {
      const result = await written;
      if (!result) return result;
      for (const change of changes) {
        events.emit(change, botId);
        hints?.[change](botId);
      }
      return result;
    };
  const changeToken = changing("botChanged");
  const changeBot = changing("botChanged", "laneChanged");
  const changeLane = changing("laneChanged");

  return {
    events,
    ...bots,
    ...channelVerbs(database),
    ...posts,
    ...updates,
    ...history,
    ...webhooks,
    ...laneVerbs(database, clock),
    ...requeueVerbs(database),
    ...attemptVerbs(database, clock),
    ...failedAttemptVerbs(database),
    ...timelineVerbs(database),
    ...overviewVerbs(database),
    ...retentionVerbs(database),

    appendPosts,
    async authenticateBot(tokenHash) {
      const identity = await lookUpBot(tokenHash);
      knownTokens.keep(tokenHash, identity);
      return identity;
    },
    recallBot: knownTokens.find,
    readLogHead,
    passOverNumbers: numbers.passOverNumbers,
    async readUpdates(botId, offset, limit, maxBytes) {
      const page = await readPage<Update, Slice<Update>>(limit, maxBytes, (left, bytes, last) =>
        readSlice({ botId, offset: last?.updateId ?? offset, limit: left, maxBytes: bytes, isFirst: !last }),
      );
      return page?.items ?? [];
    },
    listPosts: (...parameters) => inTurn(() => posts.listPosts(...parameters)),
    listRecentUpdates: (...parameters) => inTurn(() => updates.listRecentUpdates(...parameters)),
    listUpdatesInState: (...parameters) => inTurn(() => history.listUpdatesInState(...parameters)),
    listDeliveryErrors: (...parameters) => inTurn(() => updates.listDeliveryErrors(...parameters)),
    replaceBotToken: (ref, tokenHash) => changeToken(ref.botId, bots.replaceBotToken(ref, tokenHash)),
    deleteBot: (ref) => changeBot(ref.botId, bots.deleteBot(ref)),
    async surveyLanes(from, limit, now) {
      const { dueSince, ...survey } = await surveyLanes(from, limit, clock.toDatabase(now));
      return { ...survey, ...(dueSince === undefined ? {} : { dueSince: clock.fromDatabase(dueSince) }) };
    },
    // These make lanes due at the moment of the change, so that is by the database's clock.
    setBotDisabled: (ref, disabled, now) =>
      changeBot(ref.botId, bots.setBotDisabled(ref, disabled, clock.toDatabase(now))),
    putWebhook: (ref, edit, now) =>
      changeLane(ref.botId, webhooks.putWebhook(ref, edit, clock.toDatabase(now))),
    deleteWebhook: (ref, now) => changeLane(ref.botId, webhooks.deleteWebhook(ref, clock.toDatabase(now))),
    setWebhookPaused: (ref, paused, now) =>
      changeLane(ref.botId, webhooks.setWebhookPaused(ref, paused, clock.toDatabase(now))),
    replayFailed: (ref, limit, now) =>
      changeLane(ref.botId, webhooks.replayFailed(ref, limit, clock.toDatabase(now))),
    replayUpdates: (ref, updateIds, now) =>
      changeLane(ref.botId, webhooks.replayUpdates(ref, updateIds, clock.toDatabase(now))),

    async ping() {
      await database.query(PING, [Date.now()]);
    },
    async close() {
      await hints?.close();
      await database.close();
    },
  };
}
