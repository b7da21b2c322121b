import { FAILING_AFTER_MS } from "../../../domain/delivery/attempt.js";
import { FRESH_HEALTH, type LaneHealth } from "../../../domain/delivery/lane-health.js";
import type { PauseReason } from "../../../domain/delivery/webhook.js";
import { DEFAULT_SETTINGS, type DeliveryOrder } from "../../../domain/delivery/webhook-settings.js";
import type { FeedKind, FeedPayload } from "../../../domain/events/feed-event.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import { toTarget } from "../../shared/rows/webhook-rows.js";
import type { ClaimedLane, LogHead } from "../../store.js";
import type { Database } from "../binding.js";
import { aboutWebhook } from "../bots/bots.js";
import { IS_FRESH } from "../delivery/delivery-rows.js";
import { botLaneSettler } from "../delivery/held.js";
import { minuteCounter } from "../delivery/timeline.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { EventVerbs, Verbs } from "../verbs.js";
import { DUE_ROW, type Due, type DueRow, dueReader, isOrder } from "./due-reads.js";
import { laneGate } from "./lane-gate.js";

type LaneVerbs = Pick<Verbs, "claimLanes" | "readDueUpdates" | "renewLeases" | "readTargetAge">;

interface TargetRow extends DueRow {
  generation: number;
  webhookVersion: number;
  isOpen: 0 | 1;
  url: string;
  sealedSecret: string | null;
  settings: string | null;
}

/** The answer to a read that names another order than the webhook has: no updates. Its target tells the holder the new order. */
const ANOTHER_ORDER: Due = { updates: [], isCutShort: true };

type LaneRow = LaneHealth &
  Omit<TargetRow, "isOpen"> &
  Record<"destinationId" | "botId" | "ownerUserId", string> & { nextFreshId: number };

interface DestinationRow extends Record<"name" | "botId" | "ownerUserId", string> {
  destinationKey: number;
  order: DeliveryOrder | null;
  /** Null when the log is no bot's: nobody is told of the webhook for alerts. */
  username: string | null;
}

/** Whether the lanes of the owner of a destination `dest` may be claimed. */
const MAY_CLAIM = "NOT EXISTS (SELECT 1 FROM excluded_owners p WHERE p.owner_user_id = dest.owner_user_id)";

const LANE_STATE = `dest.generation, dest.version AS webhookVersion, dest.round, ${DUE_ROW}`;

/**
 * The leases of this engine are kept in memory, since only this process can hold them: a claim costs no disk write, and after
 * a crash nothing is held. They expire by the monotonic clock.
 */
export function laneVerbs(db: Database): LaneVerbs & Pick<EventVerbs, "releaseLanes"> {
  db.exec(
    `CREATE TEMP TABLE held (destination_key INTEGER PRIMARY KEY, holder TEXT NOT NULL, lease_until REAL NOT NULL,
      target_age_ms INTEGER NOT NULL)`,
  );

  /** Owners whose lanes the current claim must not take. */
  db.exec("CREATE TEMP TABLE excluded_owners (owner_user_id TEXT PRIMARY KEY) WITHOUT ROWID");
  const exclude = db.prepare("INSERT OR IGNORE INTO excluded_owners (owner_user_id) VALUES (?)");
  const clearExcluded = db.prepare("DELETE FROM excluded_owners");

  const selectDueLanes = db.prepare(`
    SELECT dest.destination_key AS destinationKey, dest.id AS destinationId, first.id AS botId,
      dest.owner_user_id AS ownerUserId, dest.url,
      dest.secret AS sealedSecret, dest.settings, dest.window, dest.next_fresh_number AS nextFreshId,
      dest.failing_updates AS failingUpdates, dest.last_failed_update_id AS lastFailedUpdateId,
      dest.failed_probes AS failedProbes, dest.resting_until AS restingUntil, ${LANE_STATE}
    FROM lanes l JOIN destinations dest ON dest.destination_key = l.bot_key
      JOIN destinations first ON first.destination_key = dest.log_key
    WHERE l.due_at <= ?1 AND l.bot_key NOT IN (SELECT destination_key FROM held WHERE lease_until > ?2) AND ${MAY_CLAIM}
    ORDER BY l.due_at LIMIT +?3`);
  const hold = db.prepare(
    "INSERT OR REPLACE INTO held (destination_key, holder, lease_until, target_age_ms) VALUES (?, ?, ?, ?)",
  );
  const selectNextDue = db.prepare(`
    SELECT l.due_at AS dueAt FROM lanes l JOIN destinations dest ON dest.destination_key = l.bot_key
    WHERE l.due_at IS NOT NULL AND l.bot_key NOT IN (SELECT destination_key FROM held) AND ${MAY_CLAIM}
    ORDER BY l.due_at LIMIT 1`);
  const selectExcluded = db.prepare(`
    SELECT EXISTS (SELECT 1 FROM lanes l JOIN destinations dest ON dest.destination_key = l.bot_key
      WHERE l.due_at <= ? AND l.bot_key NOT IN (SELECT destination_key FROM held) AND NOT ${MAY_CLAIM}) AS isThere`);
  const selectTarget = db.prepare(`
    SELECT dest.destination_key AS destinationKey, ${LANE_STATE}, l.is_open AS isOpen, dest.url, dest.secret AS sealedSecret,
      dest.settings
    FROM destinations dest JOIN lanes l ON l.bot_key = dest.destination_key WHERE dest.id = ?`);
  const renew = db.prepare(`
    UPDATE held SET lease_until = ?, target_age_ms = ? WHERE destination_key = (SELECT destination_key FROM destinations WHERE id = ?) AND holder = ?`);
  const selectTargetAge = db.prepare(`
    SELECT target_age_ms AS targetAgeMs FROM held WHERE destination_key = (SELECT destination_key FROM destinations WHERE id = ?)`);
  const selectTargetAgeOfBot = db.prepare(`
    SELECT max(target_age_ms) AS targetAgeMs FROM held WHERE destination_key IN (
      SELECT destination_key FROM destinations WHERE log_key = (SELECT bot_key FROM bots WHERE id = ?))`);
  const selectDestination = db.prepare(`
    SELECT dest.destination_key AS destinationKey, dest.settings ->> 'order' AS "order", dest.name, b.id AS botId, b.username, b.owner_user_id AS ownerUserId
    FROM destinations dest LEFT JOIN bots b ON b.bot_key = dest.log_key WHERE dest.id = ?`);
  /** A receiver that was well for long enough, though nothing has been sent to it lately. */
  const recover = db.prepare(`
    UPDATE destinations SET told_failing = NULL
    WHERE destination_key = ? AND told_failing = 1 AND failing_since IS NULL AND last_failure_at <= ?`);
  const pauseFailing = db.prepare(`
    UPDATE destinations SET paused_at = ?1, pause_reason = CASE WHEN ?2 THEN 'gone' ELSE 'failing' END
    WHERE destination_key = ?3 AND generation = ?4 AND url IS NOT NULL AND paused_at IS NULL
      AND (?2 OR failing_since <= ?1 - ifnull(settings ->> 'autoPauseMs', ${DEFAULT_SETTINGS.autoPauseMs}))
    RETURNING pause_reason AS reason`);
  const unhold = db.prepare("DELETE FROM held WHERE destination_key = ? AND holder = ?");
  const unholdRemoved = db.prepare(
    "DELETE FROM held WHERE destination_key NOT IN (SELECT bot_key FROM lanes)",
  );
  const keepHealth = db.prepare(`
    UPDATE destinations SET
      window = ?1, failing_updates = ?2, last_failed_update_id = ?3, failed_probes = ?4, resting_until = ?5
    WHERE destination_key = ?6 AND generation = ?7`);
  /**
   * Whether there is a fresh update is looked up: above the last attempted one there may be only numbers that were
   * skipped.
   */
  const settleLane = db.prepare(`
    UPDATE lanes SET
      resting_until = dest.resting_until,
      due_at = CASE WHEN lanes.is_open THEN max(dest.resting_until,
        CASE WHEN dest.skip_through IS NOT NULL OR dest.is_releasing
          OR (dest.next_fresh_number <= log.last_update_id AND EXISTS (
            SELECT 1 FROM entries e WHERE e.log_key = dest.log_key AND e.number >= dest.next_fresh_number AND ${IS_FRESH}))
          OR EXISTS (SELECT 1 FROM deliveries d INDEXED BY deliveries_waiting
            WHERE d.destination_key = ?2 AND d.state = ${STATE_CODE.waiting} AND d.round < dest.round) THEN ?1
        ELSE (SELECT min(d.due_at) FROM deliveries d INDEXED BY deliveries_due
          WHERE d.destination_key = ?2 AND d.state = ${STATE_CODE.waiting} AND d.round = dest.round) END) END
    FROM destinations dest JOIN lanes log ON log.bot_key = dest.log_key
    WHERE lanes.bot_key = ?2 AND dest.destination_key = ?2`);
  /** The lane is claimed when its receiver has been well for long enough, also with nothing to send: its release tells so. */
  const recoverLater = db.prepare(`
    UPDATE lanes SET due_at = dest.last_failure_at + ${FAILING_AFTER_MS} FROM destinations dest
    WHERE bot_key = ?1 AND dest.destination_key = ?1 AND is_open AND dest.told_failing = 1 AND dest.failing_since IS NULL
      AND ifnull(due_at, ${Number.MAX_SAFE_INTEGER}) > dest.last_failure_at + ${FAILING_AFTER_MS}`);
  const settleInBotOrder = botLaneSettler(db);
  const appendToFeed = feedEventAppender(db);

  const tell = (
    kind: FeedKind,
    { username, ...destination }: DestinationRow,
    more: Pick<FeedPayload, "reason"> = {},
  ): LogHead[] =>
    username === null
      ? []
      : appendToFeed(kind, { ...aboutWebhook({ ...destination, username }), ...more }, undefined);

  const readDue = dueReader(db);
  const countMinutes = minuteCounter(db);
  const gate = laneGate(db);

  return {
    claimLanes({
      holder,
      now,
      leaseMs,
      targetAgeMs,
      limit,
      updatesPerLane,
      bytesPerLane,
      exceptOwners = [],
    }) {
      for (const owner of exceptOwners) exclude.run(owner);
      const rows = selectDueLanes.all(now, performance.now(), limit) as LaneRow[];
      for (const { destinationKey } of rows) {
        hold.run(destinationKey, holder, performance.now() + leaseMs, targetAgeMs);
      }
      const next = selectNextDue.get() as { dueAt: number } | undefined;
      const excluded = exceptOwners.length > 0 && (selectExcluded.get(now) as { isThere: 0 | 1 });
      if (excluded) clearExcluded.run();
      const read = { afterUpdateId: 0, limit: updatesPerLane, maxBytes: bytesPerLane };
      return {
        lanes: rows.map((row) => claimedLane(row, readDue(row, read, now))),
        ...(next && { nextDueAt: next.dueAt }),
        ...(excluded && { hasExcluded: excluded.isThere === 1 }),
      };
    },

    readDueUpdates: (reads, now) =>
      reads.map((read) => {
        const { destinationId } = read;
        const row = selectTarget.get(destinationId) as TargetRow | undefined;
        if (!row) return { destinationId, generation: 0, webhookVersion: 0, isSkipping: false, updates: [] };
        const { generation, webhookVersion } = row;
        const lane = { destinationId, generation, webhookVersion };
        if (!row.isOpen) return { ...lane, isSkipping: false, updates: [] };
        return {
          ...lane,
          isSkipping: row.isSkipping === 1,
          target: toTarget(row),
          ...(isOrder(read.order, row.order) ? readDue(row, read, now) : ANOTHER_ORDER),
        };
      }),

    renewLeases: (holder, destinationIds, leaseMs, targetAgeMs) =>
      destinationIds.filter(
        (id) => renew.run(performance.now() + leaseMs, targetAgeMs, id, holder).changes === 0,
      ),

    readTargetAge(of) {
      const found =
        "botId" in of ? selectTargetAgeOfBot.get(of.botId) : selectTargetAge.get(of.destinationId);
      return (found as { targetAgeMs: number | null } | undefined)?.targetAgeMs ?? 0;
    },

    releaseLanes(holder, lanes, now) {
      const heads: LogHead[] = [];
      for (const { destinationId, health, generation, isGone, minutes } of lanes) {
        const destination = selectDestination.get(destinationId) as DestinationRow | undefined;
        if (!destination) {
          unholdRemoved.run();
          continue;
        }
        const { destinationKey, order } = destination;
        if (minutes) countMinutes(destinationKey, minutes);
        if (unhold.run(destinationKey, holder).changes === 0) continue;
        const { window, failingUpdates, lastFailedUpdateId, failedProbes, restingUntil } = health;
        keepHealth.run(
          window,
          failingUpdates,
          lastFailedUpdateId,
          failedProbes,
          restingUntil,
          destinationKey,
          generation,
        );
        if (isGone || health.failingUpdates > 0) {
          const paused = pauseFailing.get(now, isGone ? 1 : 0, destinationKey, generation) as
            | { reason: PauseReason }
            | undefined;
          if (paused) {
            gate.close(destinationKey);
            heads.push(...tell("webhook.paused", destination, paused));
          }
        }
        if (recover.run(destinationKey, now - FAILING_AFTER_MS).changes === 1) {
          heads.push(...tell("webhook.recovered", destination));
        }
        settleLane.run(now, destinationKey);
        if (order === "bot") settleInBotOrder(destinationKey, now);
        recoverLater.run(destinationKey);
      }
      return { result: undefined, heads };
    },
  };
}

function claimedLane(row: LaneRow, due: Due): ClaimedLane {
  const { destinationId, botId, ownerUserId, generation, webhookVersion, isSkipping, nextFreshId } = row;
  const { window, failingUpdates, lastFailedUpdateId, failedProbes, restingUntil } = row;
  const health = { window, failingUpdates, lastFailedUpdateId, failedProbes, restingUntil };
  return {
    destinationId,
    botId,
    ownerUserId,
    target: toTarget(row),
    generation,
    webhookVersion,
    isSkipping: isSkipping === 1,
    health: window === 0 ? FRESH_HEALTH : health,
    nextFreshId,
    ...due,
  };
}
