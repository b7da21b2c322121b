import type { OnMigrationProgress } from "../migration-progress.js";
import { type StoreObserver, UNOBSERVED } from "../observer.js";
import { updatesIn, withEvents } from "../reports.js";
import { GUEST_NUMBERS } from "../shared/guests.js";
import { createStoreEvents, FEED, type LogHead, type OnListenerError, type Store } from "../store.js";
import { type EngineVerbs, EVENTS } from "../verbs.js";
import { auditExpiry, auditVerbs } from "./audit/audit.js";
import { withAudit } from "./audit/audited.js";
import { botVerbs } from "./bots/bots.js";
import { commandVerbs } from "./bots/commands.js";
import { disablingVerbs } from "./bots/disabling.js";
import { keyVerbs } from "./bots/keys.js";
import { listingVerbs } from "./bots/listing.js";
import { overviewVerbs } from "./bots/overview.js";
import { subscriptionVerbs } from "./bots/subscriptions.js";
import { webhookLogVerbs } from "./bots/webhook-logs.js";
import { webhookVerbs } from "./bots/webhooks.js";
import { attachmentVerbs } from "./channels/attachments.js";
import { channelEventVerbs } from "./channels/channel-events.js";
import { channelVerbs } from "./channels/channels.js";
import { directChannelVerbs } from "./channels/direct-channels.js";
import { roomChangeVerbs } from "./channels/room-changes.js";
import { roomVerbs } from "./channels/rooms.js";
import { type BatchGate, createBatcher, type InBatches } from "./connection/batcher.js";
import type { DatabaseAddress } from "./connection/client.js";
import { type Database, openDatabase, type Statement } from "./connection/connection.js";
import { openDatabaseClock } from "./connection/database-clock.js";
import { startHints } from "./connection/hints.js";
import { BEGIN_INCARNATIONS, watchIncarnations } from "./connection/incarnation.js";
import { createTurns } from "./connection/turns.js";
import { attemptVerbs } from "./delivery/attempts.js";
import { failedAttemptVerbs } from "./delivery/failed-attempts.js";
import { replayVerbs } from "./delivery/replay.js";
import { skipUpdateVerbs } from "./delivery/skip-update.js";
import { skipVerbs } from "./delivery/skipping.js";
import { timelineFold, timelineVerbs } from "./delivery/timeline.js";
import { feedVerbs } from "./feed/feed.js";
import { guestVerbs } from "./guests/guests.js";
import { endRestVerbs } from "./lanes/end-rest.js";
import { releaseVerbs } from "./lanes/lane-releases.js";
import { laneVerbs } from "./lanes/lanes.js";
import { pauseVerbs } from "./lanes/pauses.js";
import { surveyVerbs } from "./lanes/survey.js";
import { switchVerbs } from "./lanes/switch.js";
import { unsentVerbs } from "./lanes/unsent.js";
import { consumerVerbs } from "./logs/consumers.js";
import { givenUpVerbs } from "./logs/given-up.js";
import { historyVerbs } from "./logs/history.js";
import { logReadVerbs } from "./logs/log-reads.js";
import { numberVerbs } from "./logs/numbers.js";
import { updateVerbs } from "./logs/updates.js";
import { ownerVerbs } from "./owners/owners.js";
import { usageVerbs } from "./owners/usage.js";
import { idempotencyKeyVerbs, keyExpiry } from "./posts/idempotency-keys.js";
import { importVerbs } from "./posts/import-posts.js";
import { interactionVerbs } from "./posts/interactions.js";
import { postEditVerbs } from "./posts/post-edits.js";
import { postInLogsVerbs } from "./posts/post-in-logs.js";
import { postVerbs } from "./posts/posts.js";
import { awayVerbs } from "./posts/posts-away.js";
import { responseVerbs } from "./posts/responses.js";
import { migrate } from "./schema/migrate.js";
import { alertStep } from "./upkeep/alerts.js";
import { userErasure } from "./upkeep/erased-users.js";
import { eventSweep } from "./upkeep/event-sweep.js";
import { movedErasure } from "./upkeep/moved-owners.js";
import { remainsParts } from "./upkeep/remains.js";
import { updateExpiry } from "./upkeep/retention.js";
import { upkeepVerbs } from "./upkeep/upkeep.js";
import { usageCounts } from "./upkeep/usage-counts.js";

export interface PostgresOptions extends DatabaseAddress {
  /** Connections of this instance; one more receives hints. */
  poolSize: number;
  /** Called for broken connections. Statements in progress on them fail with their own error. */
  onConnectionError(error: Error): void;
  /** False: neither sends nor receives hints, as if every hint were lost. For tests. */
  hints?: boolean;
  observer?: StoreObserver;
  /** Shared by the cells that are on one server. */
  gate?: BatchGate | undefined;
  onListenerError?: OnListenerError | undefined;
  /** Called while the database is brought to a new schema. */
  onMigration?: OnMigrationProgress | undefined;
}

/** The share of the connections that owners' lists may use at once, each of which may be a page of 256 KiB. */
const LISTS_SHARE = 0.5;
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
  schema,
  cell,
  poolSize,
  onConnectionError,
  hints: withHints = true,
  observer = UNOBSERVED,
  gate,
  onListenerError,
  onMigration,
}: PostgresOptions): Promise<Store> {
  await migrate(url, { schema, onProgress: onMigration });
  const events = createStoreEvents(onListenerError);
  const incarnations = watchIncarnations((failover) => events.emit("failedOver", failover));
  const database = openDatabase({
    url,
    schema,
    cell,
    poolSize,
    onIdleError: onConnectionError,
    onConnect: incarnations.check,
    observer,
  });
  const clock = await database
    .query(BEGIN_INCARNATIONS)
    .then(() => openDatabaseClock(database))
    .catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
  const hints = withHints
    ? startHints({ url, schema, cell, database, events, onError: onConnectionError })
    : undefined;

  /**
   * Posts, token look-ups and reads of updates each use a third of the connections at most, however many of their
   * batches are late.
   */
  const maxBatches = Math.max(2, Math.floor(poolSize / 3));
  const inBatches: InBatches = (options) => createBatcher({ ...options, maxBatches, observer });
  const inPostBatches: InBatches = (options) => createBatcher({ ...options, maxBatches, observer, gate });
  const inTurn = createTurns(Math.max(1, Math.floor(poolSize * LISTS_SHARE)));

  // A log that comes may have lower numbers than that of the guest before.
  events.on("ownerMoved", incarnations.forget);
  const reportGrowth = (grown: LogHead[]): void => {
    const heads = grown.filter(({ lastUpdateId }) => lastUpdateId < GUEST_NUMBERS);
    if (heads.length === 0) return;
    const newest = heads.findLast(({ botId }) => botId !== FEED);
    if (newest) incarnations.grown({ botId: newest.botId, number: newest.lastUpdateId });
    events.emit("appended", heads);
    hints?.appended(heads);
  };

  const usage = usageCounts(database);
  const { erase, erasePosts, eraseEdits, eraseNames, hasRemains } = remainsParts(database, usage);
  const { step: eraseUsers, ...users } = userErasure(database);
  const alerts = alertStep(database, clock);
  const steps = {
    erase: async (task: Parameters<typeof erase>[0], limit: number) =>
      (await usage.countPosts(Date.now())) ? { isMore: true } : await erase(task, limit),
    erasePosts,
    count: usage.count,
    expire: updateExpiry(database),
    sweep: eventSweep(database),
    fold: timelineFold(database),
    forgetKeys: keyExpiry(database),
    forgetAudit: auditExpiry(database),
    alert: (_: unknown, limit: number) => alerts(limit),
    eraseUsers,
  };
  const upkeep = upkeepVerbs(database, steps, hasRemains, () => hints?.upkeepWanted());
  const { recallBot, ...bots } = botVerbs(database, inBatches);
  /** The verbs with changes that are audited. */
  const changingVerbs = (on: Database) => ({
    ...botVerbs(on, inBatches),
    ...disablingVerbs(on, clock),
    ...ownerVerbs(on, clock),
    ...listingVerbs(on),
    ...roomVerbs(on, clock),
    eraseUser: userErasure(on).eraseUser,
    ...channelVerbs(on, clock),
    ...attachmentVerbs(on, clock),
    ...directChannelVerbs(on, clock),
    ...postEditVerbs(on, clock, eraseEdits),
    ...subscriptionVerbs(on),
    ...commandVerbs(on),
    ...consumerVerbs(on, inBatches),
    ...givenUpVerbs(on),
    ...webhookVerbs(on, clock),
    ...replayVerbs(on, clock),
    ...pauseVerbs(on, clock),
    ...skipUpdateVerbs(on),
  });
  const verbs: EngineVerbs = {
    ...changingVerbs(database),
    ...bots,
    ...usageVerbs(database),
    ...awayVerbs(database),
    ...channelEventVerbs(database, clock, inTurn),
    ...interactionVerbs(database, clock),
    ...responseVerbs(database, clock, inBatches),
    runUpkeep: upkeep.runUpkeep,
    holdUpkeep: upkeep.holdUpkeep,
    ...attemptVerbs(database, clock),
    ...releaseVerbs(database, clock),
    eraseNames,
    eraseMoved: movedErasure(database, eraseEdits),
    ...unsentVerbs(database, clock),
    ...idempotencyKeyVerbs(database),
    ...postVerbs(database, clock, inPostBatches, inTurn, ({ results, heads, updateCount }) => {
      observer.appended(results.filter((result) => result === true).length, updateCount);
      reportGrowth(heads);
    }),
    ...postInLogsVerbs(database),
    ...importVerbs(database),
    ...roomChangeVerbs(database, clock),
    ...guestVerbs(database),
    ...users,
    ...logReadVerbs(database, inBatches),
    ...updateVerbs(database, inTurn),
    ...historyVerbs(database, inTurn),
    ...webhookLogVerbs(database),
    ...laneVerbs(database, clock, incarnations.found),
    ...endRestVerbs(database, clock),
    ...skipVerbs(database),
    ...failedAttemptVerbs(database),
    ...timelineVerbs(database),
    ...overviewVerbs(database),
    ...feedVerbs(database, inTurn),
    ...numberVerbs(database, inBatches, inTurn),
    ...keyVerbs(database),
    ...auditVerbs(database),
    ...surveyVerbs(database, clock),
    ...switchVerbs(database),
    async ping() {
      await database.query(PING, [Date.now()]);
    },
  };

  return {
    events,
    ...withEvents(withAudit(verbs, database, changingVerbs), {
      grown({ heads, erasedIds = [], updateCount = updatesIn(heads) }) {
        if (updateCount > 0) observer.appended(0, updateCount);
        reportGrowth(heads);
        for (const id of erasedIds) {
          events.emit("postsErased", id);
          hints?.postsErased(id);
        }
      },
      changed(effect, botId) {
        for (const event of EVENTS[effect]) {
          events.emit(event, botId);
          hints?.[event](botId);
        }
      },
      ownerChanged(ownerUserId) {
        events.emit("ownerChanged", ownerUserId);
        hints?.ownerChanged(ownerUserId);
      },
      rewound(log) {
        events.emit("consumerRewound", log);
        hints?.consumerRewound(log);
      },
    }),
    recallBot,
    async close() {
      // The database waits a moment for it; otherwise the lease runs out.
      upkeep.release().catch(() => {});
      await hints?.close();
      await database.close();
    },
  };
}
