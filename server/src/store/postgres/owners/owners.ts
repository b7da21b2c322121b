import { BY_OWNER, BY_SUSPENSION } from "../../../domain/bots/disabled-by.js";
import { ACTOR_NUMBERS } from "../../../domain/events/event.js";
import { MAX_STANDING_AGE_MS } from "../../../domain/limits.js";
import type { OwnerStore } from "../../parts/owner-store.js";
import { ownerValues, standingOf } from "../../shared/rows/owner-row.js";
import type { OwnerMove } from "../../store.js";
import { LOCK_OWNER } from "../bots/bots.js";
import type { Database, Statement, Step } from "../connection/connection.js";
import type { DatabaseClock } from "../connection/database-clock.js";
import { aboutBot, appendToFeed, forceExecutionOrder } from "../feed/feed-events.js";
import { closeLanes, destinationsOf, HEALTH_RESET, openLanes } from "../lanes/lane-gate.js";

/** The columns of an owner `o`. */
const OWNER = `o.user_id AS "ownerUserId", o.suspended_at AS "suspendedAt", o.reason AS "suspensionReason", o.limits, o.metadata`;

const SELECT_OWNER: Statement = {
  name: "select-owner",
  text: `SELECT ${OWNER} FROM owners o WHERE o.user_id = $1`,
};
const SELECT_OWNERS: Statement = {
  name: "select-owners",
  text: `SELECT ${OWNER} FROM owners o WHERE o.user_id > $1 ORDER BY o.user_id LIMIT $2`,
};
/** An owner who leaves is still served here until they are paused; one who arrives is not asked for here. */
const SELECT_MOVE: Statement = {
  name: "select-move-of-owner",
  text: `
    SELECT move_id AS "moveId", CASE state WHEN 3 THEN 'left' WHEN 4 THEN 'arriving' ELSE 'paused' END AS state, other_cell AS "otherCell",
      paused_until AS "pausedUntil"
    FROM owner_moves WHERE owner_user_id = $1 AND state IN (2, 3, 4)`,
};
const SELECT_SUSPENSION: Statement = {
  name: "select-suspension",
  text: `
    SELECT o.reason AS reason FROM bots b JOIN owners o ON o.user_id = b.owner_user_id
    WHERE b.token_hash = $1 AND o.suspended_at IS NOT NULL`,
};
const COUNT_WEBHOOKS: Statement = {
  name: "count-webhooks-of-owner",
  text: `
    SELECT count(*) AS count FROM (
      SELECT FROM bots b CROSS JOIN LATERAL (SELECT url FROM destinations WHERE log_key = b.bot_key OFFSET 0) dest
      WHERE b.owner_user_id = $1 AND dest.url IS NOT NULL LIMIT $2) w`,
};
/** $2: when, $3: whether it suspends, lifts that or does neither, $4: why, $5: limits as JSON, $6: metadata. */
const PUT_OWNER: Statement = {
  name: "put-owner",
  text: `
    INSERT INTO owners AS o (user_id, suspended_at, reason, limits, metadata)
    SELECT $1, CASE WHEN $3::boolean THEN $2::bigint END, $4, nullif(jsonb_strip_nulls($5::jsonb)::text, '{}'), nullif($6, '')
    ON CONFLICT (user_id) DO UPDATE SET
      suspended_at = CASE WHEN $3 IS NULL THEN o.suspended_at WHEN $3 THEN coalesce(o.suspended_at, $2) END,
      reason = CASE WHEN $3 IS NULL THEN o.reason WHEN $3 THEN $4 END,
      limits = nullif(jsonb_strip_nulls(coalesce(o.limits, '{}')::jsonb || $5::jsonb)::text, '{}'),
      metadata = nullif(coalesce($6, o.metadata), '')
    RETURNING ${OWNER}`,
};
/** The bots, then their lanes, then their destinations, in the order of their keys, as everything locks them that changes all three. */
const LOCK_BOTS: Statement = {
  name: "lock-bots-of-owner",
  text: "SELECT bot_key FROM bots WHERE owner_user_id = $1 ORDER BY bot_key FOR UPDATE",
};
const DESTINATIONS_OF_OWNER = `ARRAY(
      SELECT destination_key FROM destinations
      WHERE log_key = ANY (ARRAY(SELECT bot_key FROM bots WHERE owner_user_id = $1)))`;
const LOCK_LANES: Statement = {
  name: "lock-lanes-of-owner",
  text: `SELECT bot_key FROM lanes WHERE bot_key = ANY (${DESTINATIONS_OF_OWNER}) ORDER BY bot_key FOR UPDATE`,
};
const LOCK_DESTINATIONS: Statement = {
  name: "lock-destinations-of-owner",
  text: `
    SELECT destination_key FROM destinations
    WHERE destination_key = ANY (${DESTINATIONS_OF_OWNER}) ORDER BY destination_key FOR UPDATE`,
};
const BOT_IDS = `coalesce((SELECT json_agg(id) FROM bot), '[]') AS "botIds"`;
const PLATFORM = String(ACTOR_NUMBERS.platform);
/** $2: when. A bot that a version before has disabled has no bit. The feed tells of those that nothing else keeps disabled, here and below. */
const SUSPEND_BOTS: Statement = {
  name: "suspend-bots",
  text: `
    WITH bot AS (
      UPDATE bots SET disabled_at = coalesce(disabled_at, $2),
        disabled_by = ${BY_SUSPENSION}
          | CASE WHEN disabled_at IS NULL THEN 0 WHEN disabled_by = 0 THEN ${BY_OWNER} ELSE disabled_by END
      WHERE owner_user_id = $1 AND (disabled_at IS NULL OR disabled_by & ${BY_SUSPENSION} = 0) RETURNING *),
    lane AS (${closeLanes(destinationsOf("bot"))} RETURNING l.holder, l.target_age_ms),
    ${appendToFeed(aboutBot("bot.disabled", `bot b WHERE b.disabled_by = ${BY_SUSPENSION}`), PLATFORM, forceExecutionOrder("lane"))}
    SELECT ${BOT_IDS}, (SELECT max(target_age_ms) FROM lane WHERE holder IS NOT NULL) AS "targetAgeMs"`,
};
const RESUME_BOTS: Statement = {
  name: "resume-bots",
  text: `
    WITH bot AS (
      UPDATE bots SET disabled_by = disabled_by & ~${BY_SUSPENSION},
        disabled_at = CASE WHEN disabled_by & ~${BY_SUSPENSION} <> 0 THEN disabled_at END
      WHERE owner_user_id = $1 AND disabled_at IS NOT NULL AND disabled_by & ${BY_SUSPENSION} <> 0 RETURNING *),
    lane AS (${openLanes(destinationsOf("bot"), "$2")} RETURNING l.bot_key),
    health_reset AS (
      UPDATE destinations dest SET ${HEALTH_RESET} FROM lane WHERE dest.destination_key = lane.bot_key
      RETURNING dest.destination_key),
    ${appendToFeed(aboutBot("bot.enabled", "bot b WHERE b.disabled_at IS NULL"), PLATFORM, forceExecutionOrder("health_reset"))}
    SELECT ${BOT_IDS}, NULL::integer AS "targetAgeMs"`,
};

export function ownerVerbs(db: Database, clock: DatabaseClock): OwnerStore {
  return {
    async findOwner(ownerUserId) {
      const [row] = await db.query(SELECT_OWNER, [ownerUserId]);
      return row === undefined ? undefined : standingOf(row);
    },

    listOwners: async (limit, after = "") => (await db.query(SELECT_OWNERS, [after, limit])).map(standingOf),

    /** The owner is locked against bots that are being made, which then find out that the owner is suspended. */
    async putOwner(ownerUserId, edit, now) {
      const { suspends, reason, limits, metadata } = ownerValues(edit);
      const at = clock.toDatabase(now);
      const change: Step[] =
        suspends === null
          ? []
          : [
              [LOCK_BOTS, [ownerUserId]],
              [LOCK_LANES, [ownerUserId]],
              [LOCK_DESTINATIONS, [ownerUserId]],
              [suspends ? SUSPEND_BOTS : RESUME_BOTS, [ownerUserId, at]],
            ];
      const [, stored = [], , , , changed = []] = await db.transaction([
        [LOCK_OWNER, [`bots of ${ownerUserId}`]],
        [PUT_OWNER, [ownerUserId, at, suspends, reason, limits, metadata]],
        ...change,
      ]);
      const [bots] = changed as { botIds: string[]; targetAgeMs: number | null }[];
      const isDecided = suspends !== null || edit.limits !== undefined;
      return {
        owner: standingOf(stored[0]),
        botIds: bots?.botIds ?? [],
        outlastMs: Math.max(bots?.targetAgeMs ?? 0, isDecided ? MAX_STANDING_AGE_MS : 0),
      };
    },

    async countWebhooks(ownerUserId, most) {
      const [row] = await db.query<{ count: number }>(COUNT_WEBHOOKS, [ownerUserId, most]);
      return row?.count ?? 0;
    },

    async readOwnerMove(ownerUserId) {
      const [move] = await db.query<OwnerMove>(SELECT_MOVE, [ownerUserId]);
      return move;
    },
    async readSuspension(tokenHash) {
      const [row] = await db.query<{ reason: string | null }>(SELECT_SUSPENSION, [tokenHash]);
      return row && (row.reason ?? "");
    },
  };
}
