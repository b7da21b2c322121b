import { DEFAULT_WEBHOOK, type StoredWebhook, type WebhookConfig } from "../../../domain/delivery/webhook.js";
import type { FeedKind, FeedPayload } from "../../../domain/events/feed-event.js";
import { newId } from "../../../domain/ids.js";
import { MAX_WEBHOOKS_PER_BOT } from "../../../domain/limits.js";
import { dayOf } from "../../../domain/owners/usage.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import { type ConfigRow, inOrder, toConfig, toTarget } from "../../shared/rows/webhook-rows.js";
import type { BotRef, WebhookEdit, WebhookRef } from "../../store.js";
import type { Database } from "../binding.js";
import { heldUpdates } from "../delivery/held.js";
import { roundStarter } from "../delivery/rounds.js";
import type { Skipping } from "../delivery/skipping.js";
import { feedEventAppender } from "../feed/feed-events.js";
import { furtherLanes } from "../lanes/further-lanes.js";
import { laneGate } from "../lanes/lane-gate.js";
import { TOTAL_UPDATES, WAITING_UPDATES } from "../logs/counters.js";
import { goneCounter } from "../owners/usage.js";
import type { Verbs } from "../verbs.js";
import { aboutWebhook } from "./bots.js";

type WebhookVerbs = Pick<
  Verbs,
  | "listWebhooks"
  | "findDestination"
  | "readWebhook"
  | "readStoredWebhook"
  | "putWebhook"
  | "deleteWebhook"
  | "removeDestination"
  | "setWebhookPaused"
>;

/** A destination of a bot's log; the URL is null when none is set. */
type StoredRow = Pick<StoredWebhook, "version" | "round"> & {
  id: string;
  destinationKey: number;
  logKey: number;
  name: string;
  /** Null when the log is no bot's. */
  username: string | null;
  url: string | null;
  sealedSecret: string | null;
  settings: string | null;
};

/** What the service has paused because of its receiver goes on with another one, at the URL ?1. */
const KEEPS_PAUSE = "?1 IS NOT NULL AND (pause_reason IN ('gone', 'failing') AND url <> ?1) IS NOT TRUE";

/** Whether a destination `dest` is there for others: further ones are as long as they have a URL. */
export const IS_THERE = "(dest.destination_key = dest.log_key OR dest.url IS NOT NULL)";

export function webhookVerbs(db: Database, skips: Skipping): WebhookVerbs {
  const config = `ifnull(dest.url, '') AS url, dest.secret IS NOT NULL AS isSealed,
      dest.last_attempted_at AS lastAttemptedAt, dest.last_delivered_at AS lastDeliveredAt, dest.last_error AS lastError,
      dest.failing_since AS failingSince,
      CASE WHEN l.is_open THEN max(dest.resting_until,
        (SELECT min(d.due_at) FROM deliveries d INDEXED BY deliveries_due
          WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = dest.round)) END AS nextRetryAt,
      ${WAITING_UPDATES} AS pendingUpdates, dest.paused_at AS pausedAt, dest.pause_reason AS pauseReason, dest.settings`;
  /** Of the log ?1 of the owner ?2: its first destination has its id. */
  const selectWebhooks = db.prepare(`
    SELECT dest.name, ${config}
    FROM destinations first JOIN lanes log ON log.bot_key = first.destination_key
      JOIN destinations dest ON dest.log_key = first.destination_key JOIN lanes l ON l.bot_key = dest.destination_key
    WHERE first.id = ?1 AND first.owner_user_id = ?2 AND dest.url IS NOT NULL`);
  /** The same, the one named ?3. */
  const selectWebhook = db.prepare(`
    SELECT ${config}
    FROM destinations first JOIN lanes log ON log.bot_key = first.destination_key
      JOIN destinations dest ON dest.log_key = first.destination_key JOIN lanes l ON l.bot_key = dest.destination_key
    WHERE first.id = ?1 AND first.owner_user_id = ?2 AND dest.name = ?3 AND ${IS_THERE}`);
  const selectId = db.prepare(`
    SELECT dest.id FROM destinations first JOIN destinations dest ON dest.log_key = first.destination_key
    WHERE first.id = ? AND first.owner_user_id = ? AND dest.name = ? AND ${IS_THERE}`);
  const selectStored = db.prepare(`
    SELECT dest.id, dest.destination_key AS destinationKey, dest.log_key AS logKey, dest.name, b.username, dest.url,
      dest.secret AS sealedSecret, dest.settings, dest.version, dest.round
    FROM destinations first JOIN destinations dest ON dest.log_key = first.destination_key
      LEFT JOIN bots b ON b.bot_key = dest.log_key
    WHERE first.id = ? AND first.owner_user_id = ? AND dest.name = ?`);
  /** A log that is no bot's has no further destinations. */
  const isBot = db.prepare("SELECT 1 FROM bots WHERE bot_key = ?");
  const countWebhooks = db.prepare(`
    SELECT count(*) AS count FROM destinations dest WHERE log_key = ? AND ${IS_THERE}`);
  const takeKey = db.prepare(
    "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'bots' RETURNING seq AS key",
  );
  /** It begins with the oldest update that is kept; those before it count as skipped. */
  const insertDestination = db.prepare(`
    INSERT INTO destinations (
      destination_key, log_key, name, id, owner_user_id, counted_deliveries, next_fresh_number, skipped_count)
    SELECT ?1, ?2, ?3, ?4, ?5, 0, log.tail, ${TOTAL_UPDATES} - CASE WHEN log.unused_count = 0 THEN log.last_update_id + 1 - log.tail ELSE (
      SELECT count(*) FROM entries WHERE log_key = ?2 AND number >= log.tail) END
    FROM (
      SELECT last_update_id, unused_count,
        ifnull((SELECT number FROM entries WHERE log_key = ?2 ORDER BY number LIMIT 1), last_update_id + 1) AS tail
      FROM lanes WHERE bot_key = ?2) log`);
  const insertLane = db.prepare("INSERT INTO lanes (bot_key) VALUES (?)");
  const removeDestination = db.prepare(`
    DELETE FROM destinations WHERE destination_key = ? AND destination_key <> log_key AND url IS NULL`);
  const removeLane = db.prepare("DELETE FROM lanes WHERE bot_key = ?");
  const rememberRemoved = db.prepare("INSERT INTO removed_bots (bot_key, owner_user_id) VALUES (?, ?)");
  const setWebhook = db.prepare(`
    UPDATE destinations SET url = ?1, secret = CASE WHEN ?2 THEN secret ELSE ?3 END,
      paused_at = CASE WHEN ${KEEPS_PAUSE} THEN paused_at END, pause_reason = CASE WHEN ${KEEPS_PAUSE} THEN pause_reason END,
      settings = CASE WHEN ?1 IS NOT NULL THEN nullif(json_patch(ifnull(settings, '{}'), ?5), '{}') END
    WHERE destination_key = ?4`);
  const noteUpdate = db.prepare("UPDATE bots SET updated_at = ? WHERE bot_key = ?");
  const selectLogKey = db.prepare(
    "SELECT log_key AS logKey FROM destinations WHERE id = ? AND owner_user_id = ? AND destination_key = log_key",
  );
  const forgetScheduled = db.prepare(`
    UPDATE destinations SET scheduled_count = 0, last_error = '', failing_since = NULL,
      failures_in_row = NULL, last_failure_at = NULL, told_failing = NULL WHERE destination_key = ?`);
  /**
   * Resets the health, which is that of the earlier webhook; the statistics keep when that one was last attempted and
   * delivered.
   */
  const leaveWebhook = db.prepare(`
    UPDATE destinations SET version = version + 1, changed_at = ?1,
      through_number = CASE
        WHEN ?2 THEN (SELECT last_update_id FROM lanes WHERE bot_key = log_key) ELSE through_number END,
      earlier_attempted_at = nullif(max(ifnull(earlier_attempted_at, 0), ifnull(last_attempted_at, 0)), 0),
      earlier_delivered_at = nullif(max(ifnull(earlier_delivered_at, 0), ifnull(last_delivered_at, 0)), 0),
      last_attempted_at = NULL, last_delivered_at = NULL, window = 0
    WHERE destination_key = ?3`);
  const pause = db.prepare(`
    UPDATE destinations SET paused_at = ?, pause_reason = ?
    WHERE destination_key = ? AND url IS NOT NULL AND paused_at IS NULL`);
  const resume = db.prepare(
    "UPDATE destinations SET paused_at = NULL, pause_reason = NULL WHERE destination_key = ? AND paused_at IS NOT NULL",
  );
  const further = furtherLanes(db);
  const gate = laneGate(db);
  const countGone = goneCounter(db);
  const held = heldUpdates(db);
  const appendToFeed = feedEventAppender(db);
  const beginRound = roundStarter(db, skips);

  const readWebhook = ({
    botId,
    ownerUserId,
    name = DEFAULT_WEBHOOK,
  }: WebhookRef): WebhookConfig | undefined => {
    const row = selectWebhook.get(botId, ownerUserId, name) as ConfigRow | undefined;
    return row && toConfig(row);
  };

  const findStored = ({ botId, ownerUserId, name = DEFAULT_WEBHOOK }: WebhookRef): StoredRow | undefined =>
    selectStored.get(botId, ownerUserId, name) as StoredRow | undefined;

  const findLogKey = ({ botId, ownerUserId }: BotRef): number | undefined =>
    (selectLogKey.get(botId, ownerUserId) as { logKey: number } | undefined)?.logKey;

  /** What an edit must have read: a further destination without a URL is as good as none. */
  const roundOf = ({ round, url, destinationKey, logKey }: StoredRow): number =>
    url === null && destinationKey !== logKey ? 0 : round;

  /** Nobody is told of the webhook for alerts, which would be told of itself. */
  const tell = (
    kind: FeedKind,
    ref: WebhookRef,
    { name, username }: StoredRow,
    more: Pick<FeedPayload, "reason"> = {},
  ): void => {
    if (username === null) return;
    const { botId, ownerUserId } = ref;
    appendToFeed(kind, { ...aboutWebhook({ botId, username, ownerUserId, name }), ...more }, ref);
  };

  const createDestination = (ref: WebhookRef, logKey: number, { id = newId() }: WebhookEdit): StoredRow => {
    const { key } = takeKey.get() as { key: number };
    insertDestination.run(key, logKey, ref.name as string, id, ref.ownerUserId);
    insertLane.run(key);
    further.created();
    return findStored(ref) as StoredRow;
  };

  /**
   * Changes the webhook and makes what is undelivered due: failures at the old receiver do not count for a new one.
   * Another secret at the same URL also begins a fresh schedule.
   *
   * @param url null to remove it
   */
  const changeWebhook = (
    { destinationKey, logKey, url: before }: StoredRow,
    { url, sealedSecret, settings = {}, skip }: Omit<WebhookEdit, "url" | "round"> & { url: string | null },
    now: number,
  ): void => {
    setWebhook.run(
      url,
      sealedSecret === undefined ? 1 : 0,
      sealedSecret ?? null,
      destinationKey,
      JSON.stringify(settings),
    );
    held.orderChanged(destinationKey);
    noteUpdate.run(now, logKey);
    if (url !== before) leaveWebhook.run(now, url === null ? 1 : 0, destinationKey);
    beginRound(destinationKey, skip);
    forgetScheduled.run(destinationKey);
    gate.restart(destinationKey, now);
  };

  return {
    listWebhooks(ref) {
      if (findLogKey(ref) === undefined) return undefined;
      const rows = selectWebhooks.all(ref.botId, ref.ownerUserId) as (ConfigRow & { name: string })[];
      return inOrder(rows.map(({ name, ...row }) => ({ name, config: toConfig(row) })));
    },

    findDestination: ({ botId, ownerUserId, name = DEFAULT_WEBHOOK }) =>
      (selectId.get(botId, ownerUserId, name) as { id: string } | undefined)?.id,

    readWebhook,

    readStoredWebhook(ref) {
      const stored = findStored(ref);
      if (!stored) return findLogKey(ref) === undefined ? undefined : { version: 0, round: 0 };
      const { id, version, url, sealedSecret, settings } = stored;
      const known = { id, version, round: roundOf(stored) };
      return url === null ? known : { ...known, target: toTarget({ url, sealedSecret, settings }) };
    },

    putWebhook(ref, edit, now) {
      const logKey = findLogKey(ref);
      if (logKey === undefined) return undefined;
      const before = findStored(ref);
      if (!before && !isBot.get(logKey)) return undefined;
      if (edit.round !== undefined && edit.round !== (before ? roundOf(before) : 0)) return "outdated";
      // Its credentials are sealed for another destination than this one, which was made and removed meanwhile.
      if (before && roundOf(before) === 0 && edit.id !== undefined && edit.id !== before.id)
        return "outdated";
      if (!before || roundOf(before) === 0) {
        const { count } = countWebhooks.get(logKey) as { count: number };
        if (count >= MAX_WEBHOOKS_PER_BOT) return "too many";
      }
      const stored = before ?? createDestination(ref, logKey, edit);
      changeWebhook(stored, edit, now);
      tell("webhook.set", ref, stored);
      return readWebhook(ref);
    },

    deleteWebhook(ref, now) {
      const stored = findStored(ref);
      if (!stored || roundOf(stored) === 0) return false;
      if (stored.url !== null) {
        changeWebhook(stored, { url: null, sealedSecret: null }, now);
        tell("webhook.deleted", ref, stored);
      }
      return true;
    },

    removeDestination(ref) {
      const stored = findStored(ref);
      if (!stored || stored.url !== null || stored.destinationKey === stored.logKey) return;
      countGone(stored.logKey, stored.destinationKey, dayOf(Date.now()));
      removeDestination.run(stored.destinationKey);
      removeLane.run(stored.destinationKey);
      rememberRemoved.run(stored.destinationKey, ref.ownerUserId);
    },

    setWebhookPaused(ref, paused, now) {
      const stored = findStored(ref);
      if (!stored || roundOf(stored) === 0) return undefined;
      const { destinationKey, logKey } = stored;
      const reason = ref.isPlatform ? "platform" : "owner";
      const { changes } = paused ? pause.run(now, reason, destinationKey) : resume.run(destinationKey);
      if (changes === 1) {
        noteUpdate.run(now, logKey);
        if (paused) gate.close(destinationKey);
        else gate.open(destinationKey, now);
        if (paused) tell("webhook.paused", ref, stored, { reason });
        else tell("webhook.resumed", ref, stored);
      }
      const webhook = readWebhook(ref);
      return webhook?.url === "" ? "no webhook" : webhook;
    },
  };
}
