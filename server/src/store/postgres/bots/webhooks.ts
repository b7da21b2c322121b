import {
  isDefaultWebhook,
  type StoredWebhook,
  type WebhookConfig,
} from "../../../domain/delivery/webhook.js";
import { actorNumber } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import { type ConfigRow, inOrder, toConfig, toTarget } from "../../shared/rows/webhook-rows.js";
import type { Store, WebhookEdit, WebhookRef } from "../../store.js";
import { type Database, type Statement, type Step, uuid } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { beginSkipping, ROWS_PER_STEP } from "../delivery/skipping.js";
import { aboutWebhook, appendToFeed, forceExecutionOrder } from "../feed/feed-events.js";
import { HEALTH_RESET, restarted } from "../lanes/lane-gate.js";
import { WAITING_UPDATES } from "../logs/counters.js";
import { LOCK_BOT } from "./bots.js";
import {
  IS_THERE,
  isReplaceable,
  LOCK_DESTINATION,
  LOCK_LANE,
  LOCK_LANE_AND_LOG,
  MAKE_DESTINATION,
  OF_OWNER,
  REMOVE_DESTINATION,
  webhookKey,
} from "./destinations.js";

type WebhookVerbs = Pick<
  Store,
  | "listWebhooks"
  | "findDestination"
  | "readWebhook"
  | "readStoredWebhook"
  | "putWebhook"
  | "deleteWebhook"
  | "removeDestination"
>;

/** Without a URL it is removed. */
type WebhookChange = Omit<WebhookEdit, "url"> & { url: string | null };

type StoredRow = Pick<StoredWebhook, "version" | "round"> & {
  /** Null when there is no row. */
  id: string | null;
  isThere: boolean;
  url: string | null;
  sealedSecret: string | null;
  settings: string | null;
};

/** The webhook of a destination `dest` with the lane `l`, beside the head of its log `log`. */
const CONFIG = `coalesce(dest.url, '') AS url, dest.secret IS NOT NULL AS "isSealed",
      dest.last_attempted_at AS "lastAttemptedAt", dest.last_delivered_at AS "lastDeliveredAt", dest.last_error AS "lastError",
      dest.failing_since AS "failingSince",
      CASE WHEN l.is_open THEN
        (SELECT greatest(min(d.due_at), dest.resting_until) FROM deliveries d
          WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.waiting} AND d.round = dest.round
          HAVING min(d.due_at) IS NOT NULL) END AS "nextRetryAt",
      ${WAITING_UPDATES} AS "pendingUpdates", dest.paused_at AS "pausedAt", dest.pause_reason AS "pauseReason",
      dest.settings`;
export const SELECT_WEBHOOK: Statement = {
  name: "select-webhook",
  text: `
    SELECT ${CONFIG}
    FROM destinations log_of JOIN lanes log ON log.bot_key = log_of.destination_key
    JOIN destinations dest ON dest.log_key = log_of.log_key AND lower(dest.name) = $3
    JOIN lanes l ON l.bot_key = dest.destination_key
    WHERE log_of.id = $1 AND log_of.owner_user_id = $2 AND log_of.destination_key = log_of.log_key AND ${IS_THERE}`,
};
/** A bot without any has one row without a name. */
const SELECT_WEBHOOKS: Statement = {
  name: "select-webhooks",
  text: `
    SELECT dest.name, ${CONFIG}
    FROM bots b JOIN lanes log USING (bot_key)
    LEFT JOIN (destinations dest JOIN lanes l ON l.bot_key = dest.destination_key)
      ON dest.log_key = b.bot_key AND dest.url IS NOT NULL
    WHERE b.id = $1 AND b.owner_user_id = $2`,
};
const SELECT_ID: Statement = {
  name: "select-destination-id",
  text: `SELECT dest.id ${OF_OWNER} AND ${IS_THERE}`,
};
const SELECT_STORED: Statement = {
  name: "select-stored-webhook",
  text: `
    SELECT dest.id, ${IS_THERE} AS "isThere", dest.url, dest.secret AS "sealedSecret", dest.settings, dest.version, dest.round
    FROM destinations log_of LEFT JOIN destinations dest ON dest.log_key = log_of.log_key AND lower(dest.name) = $3
    WHERE log_of.id = $1 AND log_of.owner_user_id = $2 AND log_of.destination_key = log_of.log_key`,
};
/** What the service has paused because of its receiver goes on with another one. */
const KEEPS_PAUSE =
  "$4::text IS NOT NULL AND (dest.pause_reason IN ('gone', 'failing') AND has_moved) IS NOT TRUE";
/**
 * Changes the webhook, if it is replaceable ($8: the round that the edit names, $11: the id that its credentials are sealed for), and begins a new round, in which
 * what is undelivered is due at once: failures at the old receiver do not count for a new one. Without a URL in $4 the webhook is removed.
 * $5: whether the credentials in $6 are left as they are, $7: when, $9: who acts, $10: what changes of its settings.
 *
 * A new round changes no row of deliveries. If only a few wait, they are moved into one round all the same, so that rounds stay
 * few; but none of what is still to be skipped. The health, which is that of the earlier webhook, is reset; the statistics keep
 * when that one was last attempted and delivered.
 */
const CHANGE_WEBHOOK: Statement = {
  name: "change-webhook",
  text: `
    WITH stored AS (
      SELECT dest.destination_key, dest.log_key, dest.round, dest.skip_through, log.last_update_id,
        dest.url IS DISTINCT FROM $4::text AS has_moved
      FROM destinations log_of CROSS JOIN LATERAL (SELECT * FROM lanes WHERE bot_key = log_of.log_key OFFSET 0) log
      CROSS JOIN LATERAL (SELECT * FROM destinations WHERE log_key = log_of.log_key AND lower(name) = $3 OFFSET 0) dest
      WHERE log_of.id = $1 AND log_of.owner_user_id = $2 AND log_of.destination_key = log_of.log_key AND ${isReplaceable("$8", "$11")}
        AND (dest.url IS NOT NULL OR $4::text IS NOT NULL)),
    b AS (UPDATE bots SET updated_at = $7 WHERE bot_key = (SELECT log_key FROM stored) RETURNING *),
    dest AS (
      UPDATE destinations dest SET url = $4::text, secret = CASE WHEN $5 THEN dest.secret ELSE $6 END,
        paused_at = CASE WHEN ${KEEPS_PAUSE} THEN dest.paused_at END,
        pause_reason = CASE WHEN ${KEEPS_PAUSE} THEN dest.pause_reason END,
        settings = CASE WHEN $4::text IS NOT NULL
          THEN nullif(jsonb_strip_nulls(coalesce(dest.settings, '{}')::jsonb || $10::jsonb)::text, '{}') END,
        is_releasing = ((CASE WHEN $4::text IS NOT NULL THEN coalesce(dest.settings, '{}')::jsonb || $10::jsonb ELSE '{}' END)
            ->> 'order') IS DISTINCT FROM 'channel'
          AND (SELECT d.first_number FROM deliveries d WHERE d.destination_key = dest.destination_key AND d.state = ${STATE_CODE.held}
            ORDER BY d.first_number LIMIT 1) IS NOT NULL,
        version = dest.version + has_moved::integer,
        changed_at = CASE WHEN has_moved THEN $7 ELSE dest.changed_at END,
        through_number = CASE WHEN $4::text IS NULL THEN stored.last_update_id ELSE dest.through_number END,
        round = dest.round + 2, scheduled_count = 0, last_error = '', failing_since = NULL, failures_in_row = NULL,
        last_failure_at = NULL, told_failing = NULL, ${HEALTH_RESET},
        send_window = CASE WHEN has_moved THEN 0 ELSE dest.send_window END,
        earlier_attempted_at = CASE WHEN has_moved
          THEN greatest(dest.earlier_attempted_at, dest.last_attempted_at) ELSE dest.earlier_attempted_at END,
        earlier_delivered_at = CASE WHEN has_moved
          THEN greatest(dest.earlier_delivered_at, dest.last_delivered_at) ELSE dest.earlier_delivered_at END,
        last_attempted_at = CASE WHEN NOT has_moved THEN dest.last_attempted_at END,
        last_delivered_at = CASE WHEN NOT has_moved THEN dest.last_delivered_at END
      FROM stored WHERE dest.destination_key = (SELECT destination_key FROM stored) RETURNING dest.*),
    waiting AS (
      SELECT first_number FROM deliveries
      WHERE destination_key = (SELECT destination_key FROM stored WHERE skip_through IS NULL) AND state = ${STATE_CODE.waiting}
      ORDER BY round, first_number LIMIT ${ROWS_PER_STEP} + 1),
    gathered AS (
      UPDATE deliveries SET round = (SELECT round + 1 FROM stored), failure_count = 0
      WHERE destination_key = (SELECT destination_key FROM stored) AND first_number = ANY (ARRAY(SELECT first_number FROM waiting))
        AND (SELECT count(*) FROM waiting) <= ${ROWS_PER_STEP}),
    changed AS (
    UPDATE lanes l SET ${restarted("$7")}
    FROM dest LEFT JOIN b ON true WHERE l.bot_key = (SELECT destination_key FROM dest)
    RETURNING l.bot_key),
    ${appendToFeed(
      `${aboutWebhook("webhook.set", "b CROSS JOIN dest WHERE $4::text IS NOT NULL")}
      UNION ALL ${aboutWebhook("webhook.deleted", "b CROSS JOIN dest WHERE $4::text IS NULL")}`,
      "$9",
      forceExecutionOrder("changed"),
    )}
    SELECT bot_key FROM changed`,
};

export function firstWebhook([row]: unknown[] = []): WebhookConfig | undefined {
  return row ? toConfig(row as ConfigRow) : undefined;
}

/** A change makes the lane due now, which is stored in the time of the database's clock. */
export function webhookVerbs(db: Database, clock: DatabaseClock): WebhookVerbs {
  const bot = ({ botId, ownerUserId }: WebhookRef) => [uuid(botId), ownerUserId] as const;

  /**
   * The bot is locked before its lanes, as everywhere; the statements that follow see the newest version of all. Two calls that make the same
   * webhook wait for each other there.
   */
  const changeWebhook = (ref: WebhookRef, change: WebhookChange, now: number): Step[] => {
    const { url, sealedSecret, settings = {}, skip, id, round } = change;
    const key = webhookKey(ref);
    const replaces = { id: id === undefined || !sealedSecret ? null : uuid(id), round: round ?? null };
    const { name } = ref;
    const isMade = url !== null && name !== undefined && !isDefaultWebhook(name);
    return [
      [LOCK_BOT, bot(ref)],
      [LOCK_LANE_AND_LOG, key],
      [LOCK_DESTINATION, key],
      ...(isMade ? [[MAKE_DESTINATION, [...key, name, id ?? newId(), replaces.round]] as const] : []),
      ...(skip ? [beginSkipping(key, skip, replaces)] : []),
      [
        CHANGE_WEBHOOK,
        [
          ...key,
          url,
          sealedSecret === undefined,
          sealedSecret ?? null,
          clock.toDatabase(now),
          replaces.round,
          actorNumber(ref),
          JSON.stringify(settings),
          replaces.id,
        ],
      ],
    ];
  };
  const resultOf = (steps: readonly Step[], results: readonly unknown[][], statement: Statement) =>
    results[steps.findIndex(([{ name }]) => name === statement.name)];

  return {
    async listWebhooks(ref) {
      const rows = await db.query<ConfigRow & { name: string | null }>(SELECT_WEBHOOKS, bot(ref));
      if (rows.length === 0) return undefined;
      return inOrder(
        rows.flatMap(({ name, ...row }) => (name === null ? [] : [{ name, config: toConfig(row) }])),
      );
    },

    findDestination: async (ref) => (await db.query<{ id: string }>(SELECT_ID, webhookKey(ref)))[0]?.id,

    readWebhook: async (ref) => firstWebhook(await db.query(SELECT_WEBHOOK, webhookKey(ref))),

    async readStoredWebhook(ref) {
      const [row] = await db.query<StoredRow>(SELECT_STORED, webhookKey(ref));
      if (!row) return undefined;
      const { id, isThere, version, round, url, sealedSecret, settings } = row;
      const stored = {
        ...(id !== null && { id }),
        ...(isThere ? { version, round } : { version: 0, round: 0 }),
      };
      return url === null ? stored : { ...stored, target: toTarget({ url, sealedSecret, settings }) };
    },

    async putWebhook(ref, edit, now) {
      const steps = changeWebhook(ref, edit, now);
      const results = await db.transaction([...steps, [SELECT_WEBHOOK, webhookKey(ref)]]);
      const isThere = (resultOf(steps, results, LOCK_LANE_AND_LOG)?.length ?? 0) > 0;
      if (isThere && resultOf(steps, results, CHANGE_WEBHOOK)?.length === 0) {
        const made = resultOf(steps, results, MAKE_DESTINATION) as { isFull: boolean }[] | undefined;
        // A log that is no bot's has no further destinations.
        if (made?.length === 0) return undefined;
        return made?.[0]?.isFull ? "too many" : "outdated";
      }
      return firstWebhook(results.at(-1));
    },

    async deleteWebhook(ref, now) {
      const steps = changeWebhook(ref, { url: null, sealedSecret: null }, now);
      const results = await db.transaction(steps);
      const isDefault = ref.name === undefined || isDefaultWebhook(ref.name);
      return resultOf(steps, results, isDefault ? LOCK_LANE_AND_LOG : CHANGE_WEBHOOK)?.length === 1;
    },

    async removeDestination(ref) {
      const key = webhookKey(ref);
      await db.transaction([
        [LOCK_BOT, bot(ref)],
        [LOCK_LANE, key],
        [REMOVE_DESTINATION, key],
      ]);
    },
  };
}
