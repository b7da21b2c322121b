import type { StoredWebhook, WebhookConfig } from "../../../domain/delivery/webhook.js";
import { actorNumber } from "../../../domain/events/event.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { type ConfigRow, toConfig, toTarget } from "../../shared/webhook-rows.js";
import type { BotRef, SealedSecret, Store, WebhookEdit } from "../../store.js";
import {
  type Database,
  integers,
  type Statement,
  type Step,
  uuid,
  type Value,
} from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { FORGIVEN, restarted } from "../delivery/lane-gate.js";
import { beginSkipping, ROWS_PER_STEP } from "../delivery/skipping.js";
import { aboutBot, appendToFeed, forceExecutionOrder } from "../feed/feed-events.js";
import { WAITING_UPDATES } from "../logs/counters.js";
import { LOCK_BOT } from "./bots.js";

type WebhookVerbs = Pick<
  Store,
  | "readWebhook"
  | "readStoredWebhook"
  | "putWebhook"
  | "deleteWebhook"
  | "replayFailed"
  | "replayUpdates"
  | "listSealedSecrets"
  | "resealSecret"
>;

/** Without a URL it is removed. */
type WebhookChange = Omit<WebhookEdit, "url"> & { url: string | null };

type StoredRow = Pick<StoredWebhook, "version" | "round"> & {
  url: string | null;
  sealedSecret: string | null;
  settings: string | null;
};

export const OWN_BOT = "(SELECT bot_key FROM bots WHERE id = $1 AND owner_user_id = $2)";

export const SELECT_WEBHOOK: Statement = {
  name: "select-webhook",
  text: `
    SELECT coalesce(dest.url, '') AS url, dest.secret IS NOT NULL AS "isSealed",
      dest.last_attempted_at AS "lastAttemptedAt", dest.last_delivered_at AS "lastDeliveredAt", dest.last_error AS "lastError",
      dest.failing_since AS "failingSince",
      CASE WHEN l.is_open THEN
        (SELECT greatest(min(d.due_at), dest.resting_until) FROM deliveries d
          WHERE d.destination_key = dest.destination_key AND d.state = 1 AND d.round = dest.round
          HAVING min(d.due_at) IS NOT NULL) END AS "nextRetryAt",
      ${WAITING_UPDATES} AS "pendingUpdates", dest.paused_at AS "pausedAt", dest.pause_reason AS "pauseReason",
      dest.settings
    FROM bots b JOIN lanes l USING (bot_key) JOIN destinations dest ON dest.destination_key = b.bot_key
    WHERE b.id = $1 AND b.owner_user_id = $2`,
};
/** What the service has paused because of its receiver goes on with another one. */
const KEEPS_PAUSE =
  "$3::text IS NOT NULL AND (dest.pause_reason IN ('gone', 'failing') AND has_moved) IS NOT TRUE";
const SELECT_STORED: Statement = {
  name: "select-stored-webhook",
  text: `
    SELECT dest.url, dest.secret AS "sealedSecret", dest.settings, dest.version, dest.round
    FROM bots b JOIN destinations dest ON dest.destination_key = b.bot_key WHERE b.id = $1 AND b.owner_user_id = $2`,
};
/**
 * A lane is locked before its destination, by whatever changes both; the statements that follow in the transaction see what was
 * written before.
 */
export const LOCK_LANE: Statement = {
  name: "lock-lane",
  text: `SELECT bot_key FROM lanes WHERE bot_key = ${OWN_BOT} FOR UPDATE`,
};
/** By whatever changes the deliveries of a destination. */
export const LOCK_DESTINATION: Statement = {
  name: "lock-destination",
  text: `SELECT destination_key FROM destinations WHERE destination_key = ${OWN_BOT} FOR UPDATE`,
};
/**
 * Changes the webhook, unless it is no longer in round $7 ($8: who acts, $9: what changes of its settings), and begins a new round, in which
 * what is undelivered is due at once: failures at the old receiver do not count for a new one. Without a URL in $3 the webhook is removed.
 *
 * A new round changes no row of deliveries. If only a few wait, they are moved into one round all the same, so that rounds stay
 * few; but none of what is still to be skipped. The health, which is that of the earlier webhook, is reset; the statistics keep
 * when that one was last attempted and delivered.
 */
const CHANGE_WEBHOOK: Statement = {
  name: "change-webhook",
  text: `
    WITH stored AS (
      SELECT b.bot_key, dest.round, dest.skip_through, l.last_update_id, dest.url IS DISTINCT FROM $3::text AS has_moved
      FROM bots b CROSS JOIN LATERAL (SELECT * FROM lanes WHERE bot_key = b.bot_key OFFSET 0) l
      CROSS JOIN LATERAL (SELECT * FROM destinations WHERE destination_key = b.bot_key OFFSET 0) dest
      WHERE b.id = $1 AND b.owner_user_id = $2 AND dest.round = coalesce($7::bigint, dest.round)
        AND (dest.url IS NOT NULL OR $3::text IS NOT NULL)),
    b AS (UPDATE bots SET updated_at = $6 WHERE bot_key = (SELECT bot_key FROM stored) RETURNING *),
    dest AS (
      UPDATE destinations dest SET url = $3::text, secret = CASE WHEN $4 THEN dest.secret ELSE $5 END,
        paused_at = CASE WHEN ${KEEPS_PAUSE} THEN dest.paused_at END,
        pause_reason = CASE WHEN ${KEEPS_PAUSE} THEN dest.pause_reason END,
        settings = CASE WHEN $3::text IS NOT NULL
          THEN nullif(jsonb_strip_nulls(coalesce(dest.settings, '{}')::jsonb || $9::jsonb)::text, '{}') END,
        version = dest.version + has_moved::integer,
        changed_at = CASE WHEN has_moved THEN $6 ELSE dest.changed_at END,
        through_number = CASE WHEN $3::text IS NULL THEN stored.last_update_id ELSE dest.through_number END,
        round = dest.round + 2, scheduled_count = 0, last_error = '', failing_since = NULL, failures_in_row = NULL,
        last_failure_at = NULL, told_failing = NULL, ${FORGIVEN},
        send_window = CASE WHEN has_moved THEN 0 ELSE dest.send_window END,
        earlier_attempted_at = CASE WHEN has_moved
          THEN greatest(dest.earlier_attempted_at, dest.last_attempted_at) ELSE dest.earlier_attempted_at END,
        earlier_delivered_at = CASE WHEN has_moved
          THEN greatest(dest.earlier_delivered_at, dest.last_delivered_at) ELSE dest.earlier_delivered_at END,
        last_attempted_at = CASE WHEN NOT has_moved THEN dest.last_attempted_at END,
        last_delivered_at = CASE WHEN NOT has_moved THEN dest.last_delivered_at END
      FROM stored WHERE dest.destination_key = (SELECT bot_key FROM stored) RETURNING dest.*),
    waiting AS (
      SELECT first_number FROM deliveries
      WHERE destination_key = (SELECT bot_key FROM stored WHERE skip_through IS NULL) AND state = 1
      ORDER BY round, first_number LIMIT ${ROWS_PER_STEP} + 1),
    gathered AS (
      UPDATE deliveries SET round = (SELECT round + 1 FROM stored), failure_count = 0
      WHERE destination_key = (SELECT bot_key FROM stored) AND first_number = ANY (ARRAY(SELECT first_number FROM waiting))
        AND (SELECT count(*) FROM waiting) <= ${ROWS_PER_STEP}),
    changed AS (
    UPDATE lanes l SET ${restarted("$6")}
    FROM b CROSS JOIN dest WHERE l.bot_key = (SELECT bot_key FROM b)
    RETURNING l.bot_key),
    ${appendToFeed(
      `${aboutBot("webhook.set", "b WHERE $3::text IS NOT NULL")}
      UNION ALL ${aboutBot("webhook.deleted", "b WHERE $3::text IS NULL")}`,
      "$8",
      forceExecutionOrder("changed"),
    )}
    SELECT bot_key FROM changed`,
};
/** Requeues what `failing` selects: it waits in the round before the current one. */
const requeue = (failing: string) => `
    WITH dest AS (SELECT * FROM destinations WHERE destination_key = ${OWN_BOT}),
    failing AS (${failing}),
    requeued AS (
      UPDATE deliveries SET state = 1, round = (SELECT round - 1 FROM dest), due_at = $3, failure_count = 0
      WHERE destination_key = (SELECT destination_key FROM dest)
        AND first_number = ANY (ARRAY(SELECT first_number FROM failing))),
    restarted AS (
      UPDATE lanes l SET ${restarted("$3")} FROM bots b JOIN dest ON dest.destination_key = b.bot_key
      WHERE b.bot_key = l.bot_key AND l.bot_key = ${OWN_BOT} AND EXISTS (SELECT FROM failing)),
    counted AS (
      UPDATE destinations dest SET ${FORGIVEN},
        scheduled_count = dest.scheduled_count - (SELECT count(*) FROM failing WHERE is_scheduled),
        failed_count = dest.failed_count - (SELECT count(*) FROM failing WHERE NOT is_scheduled)
      WHERE dest.destination_key = ${OWN_BOT} AND EXISTS (SELECT FROM failing))
    SELECT (SELECT count(*) FROM failing) AS requeued FROM dest`;
/** Terminal failed ones, then scheduled ones, oldest first in each. */
const REPLAY: Statement = {
  name: "replay",
  text: requeue(`
      SELECT * FROM (
        (SELECT first_number, false AS is_scheduled FROM deliveries
        WHERE destination_key = (SELECT destination_key FROM dest) AND state = 3 ORDER BY first_number LIMIT $4)
        UNION ALL
        (SELECT first_number, true FROM deliveries
        WHERE destination_key = (SELECT destination_key FROM dest) AND state = 1 AND round = (SELECT round FROM dest)
        ORDER BY first_number LIMIT $4)) either
      ORDER BY is_scheduled, first_number LIMIT $4`),
};
const REPLAY_CHOSEN: Statement = {
  name: "replay-chosen",
  text: requeue(`
      SELECT first_number, state = 1 AS is_scheduled FROM deliveries
      WHERE destination_key = (SELECT destination_key FROM dest) AND first_number = ANY ($4::bigint[])
        AND (state = 3 OR state = 1 AND round = (SELECT round FROM dest))`),
};
/** Ids are above the lowest UUID, which stands for none. */
export const SELECT_SECRETS: Statement = {
  name: "select-secrets",
  text: `
    SELECT b.id AS "botId", b.owner_user_id AS "ownerUserId", dest.secret AS "sealedSecret"
    FROM (SELECT * FROM bots WHERE id > $1 ORDER BY id LIMIT $2) b JOIN destinations dest ON dest.destination_key = b.bot_key
    ORDER BY b.id`,
};
export const LOWEST_UUID = "00000000-0000-0000-0000-000000000000";
/** With `=` the planner may choose the index of sealing keys, and read all of it. */
const RESEAL: Statement = {
  name: "reseal",
  text: `
    UPDATE destinations SET secret = $3
    WHERE destination_key = (SELECT bot_key FROM bots WHERE id = $1) AND secret IS NOT DISTINCT FROM $2::text
    RETURNING destination_key`,
};

export function firstWebhook([row]: unknown[] = []): WebhookConfig | undefined {
  return row ? toConfig(row as ConfigRow) : undefined;
}

/** A change makes the lane due now, which is stored in the time of the database's clock. */
export function webhookVerbs(db: Database, clock: DatabaseClock): WebhookVerbs {
  const key = ({ botId, ownerUserId }: BotRef) => [uuid(botId), ownerUserId] as const;

  /** The bot is locked before its lane, as everywhere; the statements that follow see the newest version of both. */
  const changeWebhook = (
    ref: BotRef,
    { url, sealedSecret, settings = {}, round, skip }: WebhookChange,
    now: number,
  ): Step[] => {
    const secret = [sealedSecret === undefined, sealedSecret ?? null];
    return [
      [LOCK_BOT, key(ref)],
      [LOCK_LANE, key(ref)],
      [LOCK_DESTINATION, key(ref)],
      ...(skip ? [beginSkipping(ref, skip, round)] : []),
      [
        CHANGE_WEBHOOK,
        [
          ...key(ref),
          url,
          ...secret,
          clock.toDatabase(now),
          round ?? null,
          actorNumber(ref),
          JSON.stringify(settings),
        ],
      ],
    ];
  };
  const replay = async (ref: BotRef, statement: Statement, now: number, which: Value) => {
    const [, , replayed] = await db.transaction([
      [LOCK_LANE, key(ref)],
      [LOCK_DESTINATION, key(ref)],
      [statement, [...key(ref), clock.toDatabase(now), which]],
    ]);
    const [row] = (replayed ?? []) as { requeued: number }[];
    return row?.requeued;
  };
  return {
    readWebhook: async (ref) => firstWebhook(await db.query(SELECT_WEBHOOK, key(ref))),

    async readStoredWebhook(ref) {
      const [row] = await db.query<StoredRow>(SELECT_STORED, key(ref));
      if (!row) return undefined;
      const { version, round, url, sealedSecret, settings } = row;
      return url === null
        ? { version, round }
        : { version, round, target: toTarget({ url, sealedSecret, settings }) };
    },

    async putWebhook(ref, edit, now) {
      const steps = changeWebhook(ref, edit, now);
      const results = await db.transaction([...steps, [SELECT_WEBHOOK, key(ref)]]);
      const changed = results[steps.findIndex(([{ name }]) => name === CHANGE_WEBHOOK.name)];
      if (results[0]?.length === 1 && changed?.length === 0) return "outdated";
      return firstWebhook(results.at(-1));
    },

    async deleteWebhook(ref, now) {
      const [found] = await db.transaction(changeWebhook(ref, { url: null, sealedSecret: null }, now));
      return found?.length === 1;
    },

    replayFailed: (ref, limit, now) => replay(ref, REPLAY, now, limit),

    replayUpdates: (ref, updateIds, now) => replay(ref, REPLAY_CHOSEN, now, integers(updateIds)),

    listSealedSecrets: async (after = LOWEST_UUID, limit) =>
      (await db.query(SELECT_SECRETS, [uuid(after), limit])).map(omitNulls<SealedSecret>),

    resealSecret: async (botId, from, to) => (await db.query(RESEAL, [uuid(botId), from, to])).length === 1,
  };
}
