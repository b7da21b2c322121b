import { BY_OWNER, BY_SUSPENSION } from "../../../domain/bots/disabled-by.js";
import type { OwnerStore } from "../../parts/owner-store.js";
import { ownerValues, standingOf } from "../../shared/rows/owner-row.js";
import type { OwnerChange } from "../../store.js";
import type { Database } from "../binding.js";
import { aboutBot } from "../bots/bots.js";
import { feedEventAppender } from "../feed/feed-events.js";
import { laneGate } from "../lanes/lane-gate.js";
import type { Verbs } from "../verbs.js";

type OwnerVerbs = Pick<Verbs, keyof OwnerStore>;

/** The columns of an owner `o`. */
const OWNER = `o.user_id AS ownerUserId, o.suspended_at AS suspendedAt, o.reason AS suspensionReason, o.limits, o.metadata`;

export function ownerVerbs(db: Database): OwnerVerbs {
  const selectOwner = db.prepare(`SELECT ${OWNER} FROM owners o WHERE o.user_id = ?`);
  const selectOwners = db.prepare(
    `SELECT ${OWNER} FROM owners o WHERE o.user_id > ? ORDER BY o.user_id LIMIT +?`,
  );
  const selectSuspension = db.prepare(`
    SELECT o.reason AS reason FROM bots b JOIN owners o ON o.user_id = b.owner_user_id
    WHERE b.token_hash = ? AND o.suspended_at IS NOT NULL`);
  const selectWebhooks = db.prepare(`
    SELECT 1 FROM bots b CROSS JOIN destinations dest ON dest.log_key = b.bot_key
    WHERE b.owner_user_id = ? AND dest.url IS NOT NULL LIMIT +?`);
  /** ?2: when, ?3: whether it suspends, lifts that or does neither, ?4: why, ?5: limits as JSON, ?6: metadata. */
  const putOwner = db.prepare(`
    INSERT INTO owners AS o (user_id, suspended_at, reason, limits, metadata)
    VALUES (?1, CASE WHEN ?3 THEN ?2 END, ?4, nullif(json_patch('{}', ?5), '{}'), nullif(?6, ''))
    ON CONFLICT (user_id) DO UPDATE SET
      suspended_at = CASE WHEN ?3 IS NULL THEN o.suspended_at WHEN ?3 THEN ifnull(o.suspended_at, ?2) END,
      reason = CASE WHEN ?3 IS NULL THEN o.reason WHEN ?3 THEN ?4 END,
      limits = nullif(json_patch(ifnull(o.limits, '{}'), ?5), '{}'),
      metadata = nullif(ifnull(?6, o.metadata), '')
    RETURNING user_id AS ownerUserId, suspended_at AS suspendedAt, reason AS suspensionReason, limits, metadata`);
  /** A bot that a version before has disabled has no bit. The feed tells of those that nothing else keeps disabled, here and below. */
  const suspend = db.prepare(`
    UPDATE bots SET disabled_at = ifnull(disabled_at, ?2),
      disabled_by = ${BY_SUSPENSION}
        | CASE WHEN disabled_at IS NULL THEN 0 WHEN disabled_by = 0 THEN ${BY_OWNER} ELSE disabled_by END
    WHERE owner_user_id = ?1 AND (disabled_at IS NULL OR disabled_by & ${BY_SUSPENSION} = 0)
    RETURNING id, bot_key AS botKey, username, disabled_by = ${BY_SUSPENSION} AS takesEffect`);
  const resume = db.prepare(`
    UPDATE bots SET disabled_by = disabled_by & ~${BY_SUSPENSION},
      disabled_at = CASE WHEN disabled_by & ~${BY_SUSPENSION} <> 0 THEN disabled_at END
    WHERE owner_user_id = ?1 AND disabled_at IS NOT NULL AND disabled_by & ${BY_SUSPENSION} <> 0
    RETURNING id, bot_key AS botKey, username, disabled_at IS NULL AS takesEffect`);
  const selectDestinations = db.prepare(
    "SELECT destination_key AS destinationKey FROM destinations WHERE log_key = ?",
  );
  /** Of the lanes that are being sent, also what was read of their targets counts for a moment. */
  const selectTargetAge = db.prepare(
    "SELECT target_age_ms AS targetAgeMs FROM held WHERE destination_key = ?",
  );
  const gate = laneGate(db);
  const appendToFeed = feedEventAppender(db);

  const changeBots = (
    ownerUserId: string,
    suspends: boolean,
    now: number,
  ): Pick<OwnerChange, "botIds" | "outlastMs"> => {
    let outlastMs = 0;
    const bots = (suspends ? suspend.all(ownerUserId, now) : resume.all(ownerUserId)) as {
      id: string;
      botKey: number;
      username: string;
      takesEffect: 0 | 1;
    }[];
    const kind = suspends ? "bot.disabled" : "bot.enabled";
    for (const { id, botKey, username, takesEffect } of bots) {
      for (const { destinationKey } of selectDestinations.all(botKey) as { destinationKey: number }[]) {
        const held = selectTargetAge.get(destinationKey) as { targetAgeMs: number } | undefined;
        if (suspends) outlastMs = Math.max(outlastMs, held?.targetAgeMs ?? 0);
        if (suspends) gate.close(destinationKey);
        else gate.open(destinationKey, now);
      }
      if (takesEffect)
        appendToFeed(kind, aboutBot(id, username, ownerUserId), { ownerUserId, isPlatform: true });
    }
    return { botIds: bots.map(({ id }) => id), outlastMs };
  };

  return {
    findOwner(ownerUserId) {
      const row = selectOwner.get(ownerUserId);
      return row === undefined ? undefined : standingOf(row);
    },

    listOwners: (limit, after = "") => selectOwners.all(after, limit).map(standingOf),

    /** Only this process goes by it, and it is told before the call is answered. */
    putOwner(ownerUserId, edit, now) {
      const { suspends, reason, limits, metadata } = ownerValues(edit);
      const flag = suspends === null ? null : Number(suspends);
      const owner = standingOf(putOwner.get(ownerUserId, now, flag, reason, limits, metadata));
      const changed =
        suspends === null ? { botIds: [], outlastMs: 0 } : changeBots(ownerUserId, suspends, now);
      return { owner, ...changed };
    },

    countWebhooks: (ownerUserId, most) => selectWebhooks.all(ownerUserId, most).length,

    // Cells are databases of PostgreSQL.
    readOwnerMove: () => undefined,
    readSuspension(tokenHash) {
      const row = selectSuspension.get(tokenHash) as { reason: string | null } | undefined;
      return row && (row.reason ?? "");
    },
  };
}
