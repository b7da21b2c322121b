import { FRESH_HEALTH, type LaneHealth } from "../../../domain/delivery/lane-health.js";
import type { DeliveryOrder } from "../../../domain/delivery/webhook-settings.js";
import type { ClaimedLane, Store } from "../../store.js";
import { KEYS_OF } from "../bots/destinations.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { DATABASE_NOW, type DatabaseClock } from "../connection/database-clock.js";
import { holderNow, INCARNATION } from "../connection/incarnation.js";
import { nothingDue, readDue } from "./due-reads.js";

type LaneVerbs = Pick<Store, "claimLanes" | "readDueUpdates" | "renewLeases" | "readTargetAge">;

/** Whether a row of lanes belongs to none of these owners. The list is mostly empty, and then nothing is looked up. */
function mayClaim(exceptOwners: string): string {
  return `(${exceptOwners}::text[] = '{}' OR (
    SELECT owner_user_id FROM destinations WHERE destination_key = lanes.bot_key) <> ALL (${exceptOwners}::text[]))`;
}

/**
 * Claims lanes that are due, and those whose lease has expired. A lane that another instance is claiming at this moment
 * is skipped, not waited for. A closed lane whose lease has expired only loses its holder.
 */
const CLAIM: Statement = {
  name: "claim-lanes",
  text: `
    WITH due AS (
      SELECT bot_key FROM lanes WHERE holder IS NULL AND due_at <= $1 AND ${mayClaim("$5")}
      ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED),
    orphaned AS (
      SELECT bot_key FROM lanes WHERE holder IS NOT NULL AND lease_until <= ${DATABASE_NOW} AND ${mayClaim("$5")}
      ORDER BY lease_until LIMIT $4 FOR UPDATE SKIP LOCKED),
    claimed AS (
      UPDATE lanes l SET holder = CASE WHEN l.is_open THEN ${holderNow("$2")} END, lease_until = ${DATABASE_NOW} + $3::bigint,
        target_age_ms = $6
      WHERE l.bot_key IN (SELECT bot_key FROM due UNION ALL SELECT bot_key FROM orphaned) RETURNING l.*)
    SELECT dest.id AS "destinationId", first.id AS "botId", dest.owner_user_id AS "ownerUserId", dest.send_window AS "window",
      dest.failing_updates AS "failingUpdates", dest.last_failed_update_id AS "lastFailedUpdateId",
      dest.failed_probes AS "failedProbes", dest.resting_until AS "restingUntil", dest.generation,
      dest.next_fresh_number AS "nextFreshId", dest.settings::jsonb ->> 'order' AS "order"
    FROM claimed l JOIN destinations dest ON dest.destination_key = l.bot_key
    JOIN destinations first ON first.destination_key = dest.log_key
    WHERE l.is_open ORDER BY l.due_at`,
};
/** The next moment at which there may be something to claim. Read after a claim, so lanes just taken do not count. */
const SELECT_NEXT_DUE: Statement = {
  name: "select-next-due",
  text: `
    SELECT least(
      (SELECT due_at FROM lanes WHERE holder IS NULL AND due_at IS NOT NULL AND ${mayClaim("$2")}
        ORDER BY due_at LIMIT 1),
      $1::bigint - ${DATABASE_NOW} + (
        SELECT lease_until FROM lanes WHERE holder IS NOT NULL AND ${mayClaim("$2")}
        ORDER BY lease_until LIMIT 1)) AS "dueAt",
      $2 <> '{}' AND EXISTS (
        SELECT 1 FROM lanes WHERE holder IS NULL AND due_at <= $1 AND NOT ${mayClaim("$2")}) AS "hasExcluded",
      ${DATABASE_NOW} AS now, ${INCARNATION} AS incarnation`,
};
/**
 * Locks the lanes in the order of their keys before it changes them, like every statement that changes several. A lane that was
 * claimed in an earlier incarnation of the database is not kept: others may claim it at once.
 */
const RENEW: Statement = {
  name: "renew-leases",
  text: `
    WITH locked AS (
      SELECT bot_key FROM lanes
      WHERE bot_key = ANY (${KEYS_OF("$2")}) ORDER BY bot_key FOR UPDATE)
    UPDATE lanes l SET lease_until = CASE WHEN l.holder = holder_now.holder THEN ${DATABASE_NOW} + $3::bigint ELSE 0 END, target_age_ms = $4
    FROM locked JOIN destinations dest ON dest.destination_key = locked.bot_key
    CROSS JOIN (SELECT ${holderNow("$1")} AS holder OFFSET 0) holder_now
    WHERE l.bot_key = locked.bot_key AND starts_with(l.holder, $1)
    RETURNING dest.id AS "destinationId", l.holder = holder_now.holder AS "isKept"`,
};
/** @param destinations SQL of their keys */
const selectTargetAge = (name: string, destinations: string): Statement => ({
  name,
  text: `
    SELECT max(target_age_ms) AS "targetAgeMs" FROM lanes WHERE bot_key = ANY (ARRAY(${destinations})) AND holder IS NOT NULL`,
});
const SELECT_TARGET_AGE = selectTargetAge(
  "select-target-age",
  "SELECT destination_key FROM destinations WHERE id = $1",
);
const SELECT_TARGET_AGE_OF_BOT = selectTargetAge(
  "select-target-age-of-bot",
  "SELECT destination_key FROM destinations WHERE log_key = (SELECT bot_key FROM bots WHERE id = $1)",
);
type ClaimedRow = Pick<
  ClaimedLane,
  "destinationId" | "botId" | "ownerUserId" | "generation" | "nextFreshId"
> &
  LaneHealth & { order: DeliveryOrder | null };

interface NextDueRow {
  dueAt: number | null;
  hasExcluded: boolean;
  now: number;
  incarnation: number;
}

/** @param onIncarnation called with the incarnation of the database, as each claim finds it */
export function laneVerbs(
  db: Database,
  clock: DatabaseClock,
  onIncarnation: (incarnation: number) => void,
): LaneVerbs {
  const readDueUpdates: LaneVerbs["readDueUpdates"] = (reads, now) => readDue(db, clock, reads, now);

  return {
    async claimLanes(claim) {
      const { holder, now, leaseMs, targetAgeMs, limit, updatesPerLane, bytesPerLane } = claim;
      const exceptOwners = [...(claim.exceptOwners ?? [])];
      const databaseNow = clock.toDatabase(now);
      const askedAt = performance.now();
      const [claimed, [next]] = (await db.transaction([
        [CLAIM, [databaseNow, holder, leaseMs, limit, exceptOwners, targetAgeMs]],
        [SELECT_NEXT_DUE, [databaseNow, exceptOwners]],
      ])) as [ClaimedRow[], [NextDueRow]];
      clock.observe(next.now, askedAt);
      onIncarnation(next.incarnation);
      const reads = claimed.map(({ destinationId, order }) => ({
        destinationId,
        ...(order && { order }),
        afterUpdateId: 0,
        limit: updatesPerLane,
        maxBytes: bytesPerLane,
      }));
      const due = reads.length > 0 ? await readDueUpdates(reads, now) : [];
      const lanes = claimed.map((row, index): ClaimedLane => {
        const { generation, destinationId, botId, ownerUserId, nextFreshId, order: _, ...health } = row;
        const lane = {
          ...(due[index] ?? nothingDue(destinationId)),
          botId,
          ownerUserId,
          generation,
          nextFreshId,
        };
        if (health.window === 0) return { ...lane, health: FRESH_HEALTH };
        const restingUntil = clock.fromDatabase(health.restingUntil);
        return { ...lane, health: { ...health, restingUntil } };
      });
      return {
        lanes,
        ...(next.dueAt !== null && { nextDueAt: clock.fromDatabase(next.dueAt) }),
        ...(exceptOwners.length > 0 && { hasExcluded: next.hasExcluded }),
      };
    },

    readDueUpdates,

    async renewLeases(holder, destinationIds, leaseMs, targetAgeMs) {
      const renewed = await db.query<{ destinationId: string; isKept: boolean }>(RENEW, [
        holder,
        destinationIds.map(uuid),
        leaseMs,
        targetAgeMs,
      ]);
      const kept = new Set(renewed.filter(({ isKept }) => isKept).map(({ destinationId }) => destinationId));
      return destinationIds.filter((id) => !kept.has(id));
    },

    async readTargetAge(of) {
      const [statement, id] =
        "botId" in of ? [SELECT_TARGET_AGE_OF_BOT, of.botId] : [SELECT_TARGET_AGE, of.destinationId];
      const [row] = await db.query<{ targetAgeMs: number | null }>(statement, [uuid(id)]);
      return row?.targetAgeMs ?? 0;
    },
  };
}
