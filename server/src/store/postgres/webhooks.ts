import type { WebhookConfig, WebhookTarget } from "../../domain/webhook.js";
import { present } from "../present.js";
import type { BotRef, SealedSecret, Store } from "../store.js";
import { type Database, integers, type Statement, type Step, uuid, type Value } from "./connection.js";

type WebhookVerbs = Pick<
  Store,
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

const OWN_BOT = "(SELECT bot_key FROM bots WHERE id = $1 AND owner_user_id = $2)";

const SELECT_WEBHOOK: Statement = {
  name: "select-webhook",
  text: `
    SELECT coalesce(b.webhook_url, '') AS url, b.webhook_secret IS NOT NULL AS "hasSecretToken",
      l.last_attempted_at AS "lastAttemptedAt", l.last_delivered_at AS "lastDeliveredAt", l.last_error AS "lastError",
      l.failing_since AS "failingSince",
      (SELECT greatest(min(u.due_at), l.resting_until) FROM updates u
        WHERE u.bot_key = b.bot_key AND u.due_at > 0 HAVING min(u.due_at) IS NOT NULL) AS "nextRetryAt",
      l.last_update_id - l.delivered_count - l.failed_count AS "pendingUpdates", b.webhook_paused_at AS "pausedAt"
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = $1 AND b.owner_user_id = $2`,
};
const SELECT_TARGET: Statement = {
  name: "select-webhook-target",
  text: `
    SELECT webhook_url AS url, webhook_secret AS "sealedSecret" FROM bots WHERE id = $1 AND owner_user_id = $2`,
};
const SET_WEBHOOK: Statement = {
  name: "set-webhook",
  text: `
    UPDATE bots SET webhook_url = $3::text, webhook_secret = CASE WHEN $4 THEN webhook_secret ELSE $5 END, updated_at = $6,
      webhook_paused_at = CASE WHEN $3::text IS NOT NULL THEN webhook_paused_at END
    WHERE id = $1 AND owner_user_id = $2 RETURNING bot_key`,
};
/** Whoever changes the log of a bot holds its lane; what follows in the transaction sees what was written before. */
const LOCK_LANE: Statement = {
  name: "lock-lane",
  text: `SELECT bot_key FROM lanes WHERE bot_key = ${OWN_BOT} FOR UPDATE`,
};
/** Whether there is anybody to deliver to. */
const MAY_DELIVER = "b.webhook_url IS NOT NULL AND b.webhook_paused_at IS NULL AND b.disabled_at IS NULL";
/** Due at once with nothing held against the receiver, if the lane is open. */
const RESTART = `
  is_open = ${MAY_DELIVER}, due_at = CASE WHEN ${MAY_DELIVER} THEN $3::bigint END,
  failing_updates = 0, last_failed_update_id = 0, failed_probes = 0, resting_until = 0, generation = l.generation + 1`;
/** A new receiver, or none, owes nothing to the failures of the old one. */
const START_OVER: Statement = {
  name: "start-over",
  text: `
    WITH requeued AS (
      UPDATE updates SET is_failing = false, due_at = 0, failure_count = 0
      WHERE bot_key = ${OWN_BOT} AND due_at > 0 RETURNING update_id)
    UPDATE lanes l SET ${RESTART}, last_error = '', failing_since = NULL,
      scheduled_count = l.scheduled_count - (SELECT count(*) FROM requeued)
    FROM bots b WHERE b.bot_key = l.bot_key AND l.bot_key = ${OWN_BOT}`,
};
const PAUSE: Statement = {
  name: "pause-webhook",
  text: `
    WITH b AS (
      UPDATE bots SET webhook_paused_at = $3, updated_at = $3
      WHERE id = $1 AND owner_user_id = $2 AND webhook_url IS NOT NULL AND webhook_paused_at IS NULL
      RETURNING bot_key)
    UPDATE lanes l SET is_open = false, due_at = NULL FROM b WHERE l.bot_key = b.bot_key`,
};
const RESUME: Statement = {
  name: "resume-webhook",
  text: `
    WITH b AS (
      UPDATE bots SET webhook_paused_at = NULL, updated_at = $3
      WHERE id = $1 AND owner_user_id = $2 AND webhook_paused_at IS NOT NULL RETURNING *)
    UPDATE lanes l SET ${RESTART} FROM b WHERE l.bot_key = b.bot_key`,
};
const requeue = (failing: string) => `
    WITH failing AS (${failing}),
    requeued AS (
      UPDATE updates u SET is_failing = false, due_at = 0, failure_count = 0
      FROM failing f WHERE u.bot_key = f.bot_key AND u.update_id = f.update_id)
    UPDATE lanes l SET ${RESTART},
      scheduled_count = l.scheduled_count - (SELECT count(*) FROM failing WHERE is_scheduled),
      failed_count = l.failed_count - (SELECT count(*) FROM failing WHERE NOT is_scheduled)
    FROM bots b WHERE b.bot_key = l.bot_key AND l.bot_key = ${OWN_BOT}
    RETURNING (SELECT count(*) FROM failing) AS requeued`;
const failing = (condition: string) => `
      SELECT bot_key, update_id, due_at IS NOT NULL AS is_scheduled FROM updates
      WHERE bot_key = ${OWN_BOT} AND is_failing AND ${condition}`;
const oldestFailing = (condition: string) => `(${failing(condition)} ORDER BY update_id LIMIT $4)`;
const REPLAY: Statement = {
  name: "replay",
  text: requeue(`
      SELECT * FROM (
        ${oldestFailing("due_at IS NOT NULL")} UNION ALL ${oldestFailing("due_at IS NULL")}) either
      ORDER BY update_id LIMIT $4`),
};
const REPLAY_CHOSEN: Statement = {
  name: "replay-chosen",
  text: requeue(failing("update_id = ANY ($4::bigint[])")),
};
/** Ids are above the lowest UUID, which stands for none. */
const SELECT_SECRETS: Statement = {
  name: "select-secrets",
  text: `SELECT id AS "botId", webhook_secret AS "sealedSecret" FROM bots WHERE id > $1 ORDER BY id LIMIT $2`,
};
const LOWEST_UUID = "00000000-0000-0000-0000-000000000000";
const RESEAL: Statement = {
  name: "reseal",
  text: "UPDATE bots SET webhook_secret = $3 WHERE id = $1 AND webhook_secret = $2 RETURNING bot_key",
};

export function webhookVerbs(db: Database): WebhookVerbs {
  const key = ({ botId, ownerUserId }: BotRef) => [uuid(botId), ownerUserId] as const;

  const setWebhook = (
    ref: BotRef,
    url: string | null,
    secret: string | null | undefined,
    now: number,
  ): Step[] => [
    [SET_WEBHOOK, [...key(ref), url, secret === undefined, secret ?? null, now]],
    [LOCK_LANE, key(ref)],
    [START_OVER, [...key(ref), now]],
  ];
  const replay = async (ref: BotRef, statement: Statement, now: number, which: Value) => {
    const [, replayed] = await db.transaction([
      [LOCK_LANE, key(ref)],
      [statement, [...key(ref), now, which]],
    ]);
    const [row] = (replayed ?? []) as { requeued: number }[];
    return row?.requeued;
  };
  const firstWebhook = ([row]: unknown[] = []) => (row ? present<WebhookConfig>(row) : undefined);

  return {
    readWebhook: async (ref) => firstWebhook(await db.query(SELECT_WEBHOOK, key(ref))),

    async readWebhookTarget(ref) {
      const [row] = await db.query(SELECT_TARGET, key(ref));
      if (!row) return undefined;
      const target = present<Partial<WebhookTarget>>(row);
      return target.url === undefined ? "no webhook" : (target as WebhookTarget);
    },

    async putWebhook(ref, { url, sealedSecret }, now) {
      const steps = setWebhook(ref, url, sealedSecret, now);
      const results = await db.transaction([...steps, [SELECT_WEBHOOK, key(ref)]]);
      return firstWebhook(results.at(-1));
    },

    async deleteWebhook(ref, now) {
      const [changed] = await db.transaction(setWebhook(ref, null, null, now));
      return changed?.length === 1;
    },

    async setWebhookPaused(ref, paused, now) {
      const [, rows] = await db.transaction([
        [paused ? PAUSE : RESUME, [...key(ref), now]],
        [SELECT_WEBHOOK, key(ref)],
      ]);
      const webhook = firstWebhook(rows);
      return webhook?.url === "" ? "no webhook" : webhook;
    },

    replayFailed: (ref, limit, now) => replay(ref, REPLAY, now, limit),

    replayUpdates: (ref, updateIds, now) => replay(ref, REPLAY_CHOSEN, now, integers(updateIds)),

    listSealedSecrets: async (after = LOWEST_UUID, limit) =>
      (await db.query(SELECT_SECRETS, [uuid(after), limit])).map(present<SealedSecret>),

    resealSecret: async (botId, from, to) => (await db.query(RESEAL, [uuid(botId), from, to])).length === 1,
  };
}
