import { partsOf } from "../../domain/fault-isolation.js";
import { LISTS, READS, type Verb } from "../verbs.js";
import { auditExpiry, auditVerbs, auditWriter } from "./audit/audit.js";
import { type Database, isDamage, isUnavailable } from "./binding.js";
import { botVerbs } from "./bots/bots.js";
import { commandVerbs } from "./bots/commands.js";
import { disablingVerbs } from "./bots/disabling.js";
import { keyVerbs } from "./bots/keys.js";
import { listingVerbs } from "./bots/listing.js";
import { overviewVerbs } from "./bots/overview.js";
import { subscriptionVerbs } from "./bots/subscriptions.js";
import { webhookLogVerbs } from "./bots/webhook-logs.js";
import { webhookVerbs } from "./bots/webhooks.js";
import { attachments } from "./channels/attachments.js";
import { channelEventVerbs } from "./channels/channel-events.js";
import { channelVerbs } from "./channels/channels.js";
import { directChannelVerbs } from "./channels/direct-channels.js";
import { roomChangeVerbs } from "./channels/room-changes.js";
import { roomVerbs } from "./channels/rooms.js";
import { attemptVerbs } from "./delivery/attempts.js";
import { failedAttemptVerbs } from "./delivery/failed-attempts.js";
import { replayVerbs } from "./delivery/replay.js";
import { skipUpdateVerbs } from "./delivery/skip-update.js";
import { skipping, skippingVerbs } from "./delivery/skipping.js";
import { timelineFold, timelineVerbs } from "./delivery/timeline.js";
import { feedVerbs } from "./feed/feed.js";
import { endRestVerbs } from "./lanes/end-rest.js";
import { laneVerbs } from "./lanes/lanes.js";
import { surveyVerbs } from "./lanes/survey.js";
import { switchVerbs } from "./lanes/switch.js";
import { unsentVerbs } from "./lanes/unsent.js";
import { consumerVerbs } from "./logs/consumers.js";
import { givenUpVerbs } from "./logs/given-up.js";
import { historyVerbs } from "./logs/history.js";
import { numberVerbs } from "./logs/numbers.js";
import { logReader, updateVerbs } from "./logs/updates.js";
import { ownerVerbs } from "./owners/owners.js";
import { usageVerbs } from "./owners/usage.js";
import { idempotencyKeyVerbs, keyExpiry } from "./posts/idempotency-keys.js";
import { importVerbs } from "./posts/import-posts.js";
import { interactionVerbs } from "./posts/interactions.js";
import { postEditVerbs } from "./posts/post-edits.js";
import { postInLogsVerbs } from "./posts/post-in-logs.js";
import { postVerbs } from "./posts/posts.js";
import { awayVerbs } from "./posts/posts-away.js";
import { type ReadBudget, readBudget } from "./thread/read-budget.js";
import { alertStep } from "./upkeep/alerts.js";
import { userErasure } from "./upkeep/erased-users.js";
import { eventSweep } from "./upkeep/event-sweep.js";
import { remainsParts } from "./upkeep/remains.js";
import { updateExpiry } from "./upkeep/retention.js";
import { upkeepVerbs } from "./upkeep/upkeep.js";
import { usageCounts } from "./upkeep/usage-counts.js";
import type { Verbs } from "./verbs.js";

/** A call of a verb, as it travels to the engine's thread. */
export interface Call {
  verb: Verb;
  parameters: unknown[];
}

/**
 * The result of a call. `unavailable`: nothing was written, and a later call may succeed. `damaged`: it met a damaged page of the database.
 * `deferred`: a list that was not read, because earlier lists have used up the batch's budget.
 */
export type Outcome =
  | { value: unknown }
  | { error: string; unavailable: boolean; damaged?: boolean }
  | { deferred: true };

export interface Engine {
  /**
   * Runs calls that arrived together, in one transaction and so with one fsync. When a call fails, only its own writes
   * are undone; when the disk or the database fails, all writes of the transaction are. Lists run as far as their
   * budget goes.
   */
  run(calls: readonly Call[]): Outcome[];
}

export function createEngine(db: Database): Engine {
  const readLog = logReader(db);
  const skips = skipping(db);
  const { erase, erasePosts, eraseNames } = remainsParts(db);
  const alerts = alertStep(db);
  const { step: eraseUsers, ...users } = userErasure(db);
  const usage = usageCounts(db);
  const channels = channelVerbs(db);
  const attaching = attachments(db);
  const posts = postVerbs(db);
  const edits = postEditVerbs(db);
  const verbs: Verbs = {
    ...botVerbs(db),
    ...disablingVerbs(db),
    ...usageVerbs(db),
    ...channels,
    ...attaching.verbs,
    ...directChannelVerbs(db, channels, attaching),
    ...roomVerbs(db, channels, attaching),
    ...roomChangeVerbs(db, attaching),
    ...posts,
    ...awayVerbs(db),
    ...postInLogsVerbs(db),
    ...importVerbs(db),
    ...edits,
    ...interactionVerbs(db, posts, edits),
    ...channelEventVerbs(db),
    ...subscriptionVerbs(db),
    ...commandVerbs(db),
    ...listingVerbs(db),
    ...idempotencyKeyVerbs(db),
    ...updateVerbs(db, readLog),
    ...historyVerbs(db),
    ...consumerVerbs(db, readLog),
    ...givenUpVerbs(db),
    ...webhookVerbs(db, skips),
    ...webhookLogVerbs(db),
    ...replayVerbs(db),
    ...skipUpdateVerbs(db),
    ...endRestVerbs(db),
    ...laneVerbs(db),
    // After the lanes, which make the table of those that are held.
    ...ownerVerbs(db),
    ...skippingVerbs(db, skips),
    ...attemptVerbs(db),
    ...failedAttemptVerbs(db),
    ...timelineVerbs(db),
    ...overviewVerbs(db),
    ...upkeepVerbs({
      erasePosts,
      erase: (task, limit) => (usage.countPosts(Date.now()) ? { isMore: true } : erase(task, limit)),
      count: usage.count,
      expire: updateExpiry(db, skips),
      sweep: eventSweep(db),
      fold: timelineFold(db),
      alert: (_, limit) => alerts(limit),
      eraseUsers,
      forgetKeys: keyExpiry(db),
      forgetAudit: auditExpiry(db),
    }),
    eraseNames,
    // A database on SQLite is no cell.
    eraseMoved: () => {},
    ...users,
    ...unsentVerbs(db),
    ...feedVerbs(db),
    ...surveyVerbs(db),
    ...switchVerbs(db),
    ...numberVerbs(db),
    ...keyVerbs(db),
    // Cells are databases of PostgreSQL.
    listOutboxes: () => [],
    listOutboxesIn: () => [],
    listUncarried: () => [],
    findLastUncarried: () => [],
    areUncarried: (entries) => entries.map(() => false),
    readCarried: () => [],
    removeCarried: () => undefined,
    listHostsOf: () => [],
    findCarried: () => [],
    findGuestsIn: () => [],
    carryAudit: () => false,
    ...auditVerbs(db),
    ping: pingVerb(db),
  };
  const begin = db.prepare("BEGIN");
  const beginWriting = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollBack = db.prepare("ROLLBACK");

  const writeAudited = auditWriter(db);

  const invoke = ({ verb, parameters }: Call): unknown =>
    (verbs[verb] as (...parameters: unknown[]) => unknown)(...parameters);

  const runRead = (call: Call, budget: ReadBudget): Outcome => {
    const isList = LISTS.has(call.verb);
    if (isList && budget.isSpent) return { deferred: true };
    try {
      const value = invoke(call);
      if (isList) budget.spend(value);
      return { value };
    } catch (error) {
      return failed(error);
    }
  };

  /** SQLite may have rolled back by itself, and then has nothing left to roll back. */
  const end = (): void => {
    try {
      rollBack.run();
    } catch (error) {
      if (!String(error).includes("no transaction is active")) throw error;
    }
  };

  /** Reads run in a transaction too: outside of one, each statement takes and releases the read lock, which costs 2 µs. */
  const read = (calls: readonly Call[], budget: ReadBudget): Outcome[] => {
    begin.run();
    const outcomes = calls.map((call) => runRead(call, budget));
    end();
    return outcomes;
  };

  const writeTogether = (calls: readonly Call[], budget: ReadBudget): Outcome[] => {
    beginWriting.run();
    const outcomes = calls.map((call) =>
      isRead(call)
        ? runRead(call, budget)
        : { value: writeAudited(call.verb, call.parameters, () => invoke(call)) },
    );
    commit.run();
    return outcomes;
  };

  /**
   * A failing call is found by splitting the batch. Savepoints would find it at once, but in each call, failing or not,
   * they copy every page before its first change: 2 to 5 µs for a post or an outcome.
   */
  const write = (calls: readonly Call[], budget: ReadBudget): Outcome[] => {
    const outcomes: Outcome[][] = [];
    const parts = partsOf(calls);
    for (const part of parts) {
      try {
        outcomes.push(writeTogether(part, budget));
      } catch (error) {
        end();
        if (!isUnavailable(error) && parts.split()) continue;
        outcomes.push(part.map((call) => (isRead(call) ? runRead(call, budget) : failed(error))));
      }
    }
    return outcomes.flat();
  };

  return {
    run: (calls) => (calls.every(isRead) ? read(calls, readBudget()) : write(calls, readBudget())),
  };
}

export function isRead({ verb }: Call): boolean {
  return READS.has(verb);
}

function pingVerb(db: Database): Verbs["ping"] {
  const write = db.prepare("INSERT OR REPLACE INTO pings (id, at) VALUES (1, ?)");
  return () => {
    write.run(Date.now());
  };
}

function failed(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  return { error: message, unavailable: isUnavailable(error), ...(isDamage(error) && { damaged: true }) };
}
