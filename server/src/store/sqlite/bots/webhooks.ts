import type { StoredWebhook, WebhookConfig } from "../../../domain/delivery/webhook.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { type ConfigRow, toConfig, toTarget } from "../../shared/webhook-rows.js";
import type { BotRef, SealedSecret, WebhookEdit } from "../../store.js";
import type { Database } from "../binding.js";
import { laneGate } from "../delivery/lane-gate.js";
import { roundStarter } from "../delivery/rounds.js";
import type { Skipping } from "../delivery/skipping.js";
import { feedEventAppender } from "../feed/feed-events.js";
import { WAITING_UPDATES } from "../logs/counters.js";
import { STATE_CODE } from "../logs/states.js";
import type { Verbs } from "../verbs.js";
import { aboutBot } from "./bots.js";

type WebhookVerbs = Pick<
  Verbs,
  | "readWebhook"
  | "readStoredWebhook"
  | "putWebhook"
  | "deleteWebhook"
  | "setWebhookPaused"
  | "replayFailed"
  | "replayUpdates"
  | "listSealedSecrets"
  | "resealSecret"
>;

/** A bot's webhook; the URL is null when none is set. */
type StoredRow = Pick<StoredWebhook, "version" | "round"> & {
  botKey: number;
  username: string;
  url: string | null;
  sealedSecret: string | null;
  settings: string | null;
};

/** An update that has failed or waits for a retry. */
interface FailingUpdate {
  updateId: number;
  state: number;
}

/** What the service has paused because of its receiver goes on with another one, at the URL ?1. */
const KEEPS_PAUSE = "?1 IS NOT NULL AND (pause_reason IN ('gone', 'failing') AND url <> ?1) IS NOT TRUE";

export function webhookVerbs(db: Database, skips: Skipping): WebhookVerbs {
  const selectWebhook = db.prepare(`
    SELECT ifnull(dest.url, '') AS url, dest.secret IS NOT NULL AS isSealed,
      dest.last_attempted_at AS lastAttemptedAt, dest.last_delivered_at AS lastDeliveredAt, dest.last_error AS lastError,
      dest.failing_since AS failingSince,
      CASE WHEN l.is_open THEN max(dest.resting_until,
        (SELECT min(d.due_at) FROM deliveries d INDEXED BY deliveries_due
          WHERE d.destination_key = dest.destination_key AND d.state = 1 AND d.round = dest.round)) END AS nextRetryAt,
      ${WAITING_UPDATES} AS pendingUpdates, dest.paused_at AS pausedAt, dest.pause_reason AS pauseReason, dest.settings
    FROM bots b JOIN lanes l USING (bot_key) JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE b.id = ? AND b.owner_user_id = ?`);
  const selectStored = db.prepare(`
    SELECT b.bot_key AS botKey, b.username, dest.url, dest.secret AS sealedSecret, dest.settings, dest.version, dest.round
    FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key WHERE b.id = ? AND b.owner_user_id = ?`);
  const setWebhook = db.prepare(`
    UPDATE destinations SET url = ?1, secret = CASE WHEN ?2 THEN secret ELSE ?3 END,
      paused_at = CASE WHEN ${KEEPS_PAUSE} THEN paused_at END, pause_reason = CASE WHEN ${KEEPS_PAUSE} THEN pause_reason END,
      settings = CASE WHEN ?1 IS NOT NULL THEN nullif(json_patch(ifnull(settings, '{}'), ?5), '{}') END
    WHERE destination_key = ?4`);
  const noteUpdate = db.prepare("UPDATE bots SET updated_at = ? WHERE bot_key = ?");
  const selectBotKey = db.prepare("SELECT bot_key AS botKey FROM bots WHERE id = ? AND owner_user_id = ?");
  const countRequeued = db.prepare(`
    UPDATE destinations SET scheduled_count = scheduled_count - ?, failed_count = failed_count - ? WHERE destination_key = ?`);
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
  const gate = laneGate(db);
  const appendToFeed = feedEventAppender(db);
  const beginRound = roundStarter(db, skips);
  const selectFailed = db.prepare(`
    SELECT first_number AS updateId, state FROM deliveries INDEXED BY deliveries_failed
    WHERE destination_key = ? AND state = 3 ORDER BY first_number LIMIT +?`);
  const selectScheduled = db.prepare(`
    SELECT d.first_number AS updateId, d.state
    FROM destinations dest
      JOIN deliveries d INDEXED BY deliveries_waiting ON d.destination_key = dest.destination_key AND d.round = dest.round
    WHERE dest.destination_key = ? AND d.state = 1 ORDER BY d.first_number LIMIT +?`);
  const selectFailing = db.prepare(`
    SELECT d.first_number AS updateId, d.state FROM destinations dest JOIN deliveries d USING (destination_key)
    WHERE destination_key = ? AND d.first_number = ? AND (d.state = 3 OR d.state = 1 AND d.round = dest.round)`);
  /** In the round before the current one, which no update is refused in: due at once, and not skipped with earlier ones. */
  const requeue = db.prepare(`
    UPDATE deliveries SET state = 1, round = (SELECT round - 1 FROM destinations WHERE destination_key = ?2), due_at = ?1,
      failure_count = 0
    WHERE destination_key = ?2 AND first_number = ?3`);
  const selectSecrets = db.prepare(`
    SELECT b.id AS botId, b.owner_user_id AS ownerUserId, dest.secret AS sealedSecret
    FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key WHERE b.id > ? ORDER BY b.id LIMIT +?`);
  const reseal = db.prepare(`
    UPDATE destinations SET secret = ? WHERE destination_key = (SELECT bot_key FROM bots WHERE id = ?) AND secret = ?`);

  const readWebhook = ({ botId, ownerUserId }: BotRef): WebhookConfig | undefined => {
    const row = selectWebhook.get(botId, ownerUserId) as ConfigRow | undefined;
    return row && toConfig(row);
  };

  /**
   * Changes the webhook and makes what is undelivered due: failures at the old receiver do not count for a new one.
   * Another secret at the same URL also begins a fresh schedule.
   *
   * @param url null to remove it
   */
  const changeWebhook = (
    { botKey, url: before }: StoredRow,
    { url, sealedSecret, settings = {}, skip }: Omit<WebhookEdit, "url" | "round"> & { url: string | null },
    now: number,
  ): void => {
    setWebhook.run(
      url,
      sealedSecret === undefined ? 1 : 0,
      sealedSecret ?? null,
      botKey,
      JSON.stringify(settings),
    );
    noteUpdate.run(now, botKey);
    if (url !== before) leaveWebhook.run(now, url === null ? 1 : 0, botKey);
    beginRound(botKey, skip);
    forgetScheduled.run(botKey);
    gate.restart(botKey, now);
  };

  const replay = (
    { botId, ownerUserId }: BotRef,
    now: number,
    choose: (botKey: number) => FailingUpdate[],
  ): number | undefined => {
    const bot = selectBotKey.get(botId, ownerUserId) as { botKey: number } | undefined;
    if (!bot) return undefined;
    const failing = choose(bot.botKey);
    if (failing.length === 0) return 0;
    for (const { updateId } of failing) requeue.run(now, bot.botKey, updateId);
    const scheduled = failing.filter(({ state }) => state === STATE_CODE.scheduled).length;
    countRequeued.run(scheduled, failing.length - scheduled, bot.botKey);
    gate.restart(bot.botKey, now);
    return failing.length;
  };

  return {
    readWebhook,

    readStoredWebhook({ botId, ownerUserId }) {
      const row = selectStored.get(botId, ownerUserId) as StoredRow | undefined;
      if (!row) return undefined;
      const { version, round, url, sealedSecret, settings } = row;
      return url === null
        ? { version, round }
        : { version, round, target: toTarget({ url, sealedSecret, settings }) };
    },

    putWebhook(ref, edit, now) {
      const stored = selectStored.get(ref.botId, ref.ownerUserId) as StoredRow | undefined;
      if (!stored) return undefined;
      if (edit.round !== undefined && edit.round !== stored.round) return "outdated";
      changeWebhook(stored, edit, now);
      appendToFeed("webhook.set", aboutBot(ref.botId, stored.username, ref.ownerUserId), ref);
      return readWebhook(ref);
    },

    deleteWebhook(ref, now) {
      const { botId, ownerUserId } = ref;
      const stored = selectStored.get(botId, ownerUserId) as StoredRow | undefined;
      if (stored && stored.url !== null) {
        changeWebhook(stored, { url: null, sealedSecret: null }, now);
        appendToFeed("webhook.deleted", aboutBot(botId, stored.username, ownerUserId), ref);
      }
      return stored !== undefined;
    },

    setWebhookPaused(ref, paused, now) {
      const stored = selectStored.get(ref.botId, ref.ownerUserId) as StoredRow | undefined;
      if (!stored) return undefined;
      const { botKey, username } = stored;
      const reason = ref.isPlatform ? "platform" : "owner";
      const { changes } = paused ? pause.run(now, reason, botKey) : resume.run(botKey);
      if (changes === 1) {
        noteUpdate.run(now, botKey);
        if (paused) gate.close(botKey);
        else gate.open(botKey, now);
        const about = aboutBot(ref.botId, username, ref.ownerUserId);
        if (paused) appendToFeed("webhook.paused", { ...about, reason }, ref);
        else appendToFeed("webhook.resumed", about, ref);
      }
      const webhook = readWebhook(ref);
      return webhook?.url === "" ? "no webhook" : webhook;
    },

    replayFailed: (ref, limit, now) =>
      replay(ref, now, (botKey) => {
        const chosen: FailingUpdate[] = [];
        for (const statement of [selectFailed, selectScheduled])
          chosen.push(...(statement.all(botKey, limit - chosen.length) as FailingUpdate[]));
        return chosen;
      }),

    replayUpdates: (ref, updateIds, now) =>
      replay(ref, now, (botKey) =>
        updateIds.flatMap((updateId) => selectFailing.all(botKey, updateId) as FailingUpdate[]),
      ),

    listSealedSecrets: (after = "", limit) => selectSecrets.all(after, limit).map(omitNulls<SealedSecret>),

    resealSecret: (botId, from, to) => reseal.run(to, botId, from).changes === 1,
  };
}
