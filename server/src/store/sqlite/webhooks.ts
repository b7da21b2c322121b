import type { WebhookConfig, WebhookTarget } from "../../domain/webhook.js";
import { present } from "../present.js";
import type { BotRef, SealedSecret } from "../store.js";
import type { Database } from "./binding.js";
import { laneGate, MAY_DELIVER } from "./lane-gate.js";
import { STATE_CODE } from "./states.js";
import type { Verbs } from "./verbs.js";

type WebhookVerbs = Pick<
  Verbs,
  | "readWebhook"
  | "readWebhookTarget"
  | "putWebhook"
  | "deleteWebhook"
  | "setWebhookPaused"
  | "replayFailed"
  | "replayUpdates"
  | "listSealedSecrets"
  | "resealSecret"
>;

/** An update that has failed or waits for a retry. */
interface FailingUpdate {
  updateId: number;
  state: number;
}

export function webhookVerbs(db: Database): WebhookVerbs {
  const selectWebhook = db.prepare(`
    SELECT ifnull(b.webhook_url, '') AS url, b.webhook_secret IS NOT NULL AS hasSecretToken,
      l.last_attempted_at AS lastAttemptedAt, l.last_delivered_at AS lastDeliveredAt, l.last_error AS lastError,
      l.failing_since AS failingSince,
      max(l.resting_until,
        (SELECT min(due_at) FROM updates u INDEXED BY updates_due_again WHERE u.bot_key = b.bot_key AND due_at > 0)
      ) AS nextRetryAt,
      l.last_update_id - l.delivered_count - l.failed_count AS pendingUpdates, b.webhook_paused_at AS pausedAt
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ? AND b.owner_user_id = ?`);
  const selectTarget = db.prepare(`
    SELECT webhook_url AS url, webhook_secret AS sealedSecret FROM bots WHERE id = ? AND owner_user_id = ?`);
  const setWebhook = db.prepare(`
    UPDATE bots SET webhook_url = ?1, webhook_secret = CASE WHEN ?2 THEN webhook_secret ELSE ?3 END, updated_at = ?4,
      webhook_paused_at = CASE WHEN ?1 IS NOT NULL THEN webhook_paused_at END
    WHERE id = ?5 AND owner_user_id = ?6 RETURNING bot_key AS botKey`);
  const selectBotKey = db.prepare("SELECT bot_key AS botKey FROM bots WHERE id = ? AND owner_user_id = ?");
  const requeueScheduled = db.prepare(`
    UPDATE updates INDEXED BY updates_due_again SET state = 0, due_at = 0, failure_count = 0
    WHERE bot_key = ? AND due_at > 0`);
  /** Due at once with nothing held against the receiver, if the lane is open. */
  const restartLane = db.prepare(`
    UPDATE lanes SET
      is_open = ${MAY_DELIVER}, due_at = CASE WHEN ${MAY_DELIVER} THEN ?1 END,
      scheduled_count = scheduled_count - ?2, failed_count = failed_count - ?3,
      failing_updates = 0, last_failed_update_id = 0, failed_probes = 0, resting_until = 0, generation = generation + 1
    FROM bots b WHERE lanes.bot_key = ?4 AND b.bot_key = ?4`);
  const pause = db.prepare(`
    UPDATE bots SET webhook_paused_at = ?1, updated_at = ?1
    WHERE id = ?2 AND owner_user_id = ?3 AND webhook_url IS NOT NULL AND webhook_paused_at IS NULL
    RETURNING bot_key AS botKey`);
  const resume = db.prepare(`
    UPDATE bots SET webhook_paused_at = NULL, updated_at = ?1
    WHERE id = ?2 AND owner_user_id = ?3 AND webhook_paused_at IS NOT NULL RETURNING bot_key AS botKey`);
  const gate = laneGate(db);
  const clearError = db.prepare("UPDATE lanes SET last_error = '', failing_since = NULL WHERE bot_key = ?");
  const selectScheduled = db.prepare(`
    SELECT update_id AS updateId, state FROM updates INDEXED BY updates_scheduled
    WHERE bot_key = ? AND state = 1 ORDER BY update_id LIMIT +?`);
  const selectFailed = db.prepare(`
    SELECT update_id AS updateId, state FROM updates INDEXED BY updates_failed
    WHERE bot_key = ? AND state = 3 ORDER BY update_id LIMIT +?`);
  const selectFailing = db.prepare(`
    SELECT update_id AS updateId, state FROM updates WHERE bot_key = ? AND update_id = ? AND state IN (1, 3)`);
  const requeue = db.prepare(`
    UPDATE updates SET state = 0, due_at = 0, failure_count = 0 WHERE bot_key = ? AND update_id = ?`);
  const selectSecrets = db.prepare(`
    SELECT id AS botId, webhook_secret AS sealedSecret FROM bots WHERE id > ? ORDER BY id LIMIT +?`);
  const reseal = db.prepare("UPDATE bots SET webhook_secret = ? WHERE id = ? AND webhook_secret = ?");

  const readWebhook = ({ botId, ownerUserId }: BotRef): WebhookConfig | undefined => {
    const row = selectWebhook.get(botId, ownerUserId);
    if (!row) return undefined;
    const { hasSecretToken, ...config } = present<
      Omit<WebhookConfig, "hasSecretToken"> & { hasSecretToken: 0 | 1 }
    >(row);
    return { ...config, hasSecretToken: hasSecretToken === 1 };
  };

  /** Starts over with what is undelivered: a new receiver, or none, owes nothing to the failures of the old one. */
  const startOver = (botKey: number, now: number): void => {
    const { changes } = requeueScheduled.run(botKey);
    restartLane.run(now, Number(changes), 0, botKey);
    clearError.run(botKey);
  };

  const replay = (
    { botId, ownerUserId }: BotRef,
    now: number,
    choose: (botKey: number) => FailingUpdate[],
  ): number | undefined => {
    const bot = selectBotKey.get(botId, ownerUserId) as { botKey: number } | undefined;
    if (!bot) return undefined;
    const failing = choose(bot.botKey);
    for (const { updateId } of failing) requeue.run(bot.botKey, updateId);
    const scheduled = failing.filter(({ state }) => state === STATE_CODE.scheduled).length;
    restartLane.run(now, scheduled, failing.length - scheduled, bot.botKey);
    return failing.length;
  };

  return {
    readWebhook,

    readWebhookTarget({ botId, ownerUserId }) {
      const row = selectTarget.get(botId, ownerUserId);
      if (!row) return undefined;
      const target = present<Partial<WebhookTarget>>(row);
      return target.url === undefined ? "no webhook" : (target as WebhookTarget);
    },

    putWebhook(ref, { url, sealedSecret }, now) {
      const keep = sealedSecret === undefined ? 1 : 0;
      const row = setWebhook.get(url, keep, sealedSecret ?? null, now, ref.botId, ref.ownerUserId);
      if (!row) return undefined;
      startOver((row as { botKey: number }).botKey, now);
      return readWebhook(ref);
    },

    deleteWebhook({ botId, ownerUserId }, now) {
      const row = setWebhook.get(null, 0, null, now, botId, ownerUserId);
      if (!row) return false;
      startOver((row as { botKey: number }).botKey, now);
      return true;
    },

    setWebhookPaused(ref, paused, now) {
      const change = paused ? pause : resume;
      const changed = change.get(now, ref.botId, ref.ownerUserId) as { botKey: number } | undefined;
      if (changed && paused) gate.close(changed.botKey);
      else if (changed) gate.open(changed.botKey, now);
      const webhook = readWebhook(ref);
      return webhook?.url === "" ? "no webhook" : webhook;
    },

    replayFailed: (ref, limit, now) =>
      replay(ref, now, (botKey) =>
        ([...selectScheduled.all(botKey, limit), ...selectFailed.all(botKey, limit)] as FailingUpdate[])
          .toSorted((a, b) => a.updateId - b.updateId)
          .slice(0, limit),
      ),

    replayUpdates: (ref, updateIds, now) =>
      replay(ref, now, (botKey) =>
        updateIds.flatMap((updateId) => selectFailing.all(botKey, updateId) as FailingUpdate[]),
      ),

    listSealedSecrets: (after = "", limit) => selectSecrets.all(after, limit).map(present<SealedSecret>),

    resealSecret: (botId, from, to) => reseal.run(to, botId, from).changes === 1,
  };
}
