import { DEFAULT_WEBHOOK } from "../../../domain/delivery/webhook.js";
import { STATE_CODE } from "../../shared/delivery-states.js";
import type { WebhookRef } from "../../store.js";
import type { Database } from "../binding.js";
import { IS_THERE } from "../bots/webhooks.js";
import { laneGate } from "../lanes/lane-gate.js";
import type { Verbs } from "../verbs.js";

/** An update that has failed or waits for a retry. */
interface FailingUpdate {
  updateId: number;
  state: number;
}

export function replayVerbs(db: Database): Pick<Verbs, "replayFailed" | "replayUpdates"> {
  const selectKey = db.prepare(`
    SELECT dest.destination_key AS destinationKey
    FROM destinations first JOIN destinations dest ON dest.log_key = first.destination_key
    WHERE first.id = ? AND first.owner_user_id = ? AND dest.name = ? AND ${IS_THERE}`);
  const selectFailed = db.prepare(`
    SELECT first_number AS updateId, state FROM deliveries INDEXED BY deliveries_failed
    WHERE destination_key = ? AND state = ${STATE_CODE.failed} ORDER BY first_number LIMIT +?`);
  const selectScheduled = db.prepare(`
    SELECT d.first_number AS updateId, d.state
    FROM destinations dest
      JOIN deliveries d INDEXED BY deliveries_waiting ON d.destination_key = dest.destination_key AND d.round = dest.round
    WHERE dest.destination_key = ? AND d.state = ${STATE_CODE.waiting} ORDER BY d.first_number LIMIT +?`);
  const selectFailing = db.prepare(`
    SELECT d.first_number AS updateId, d.state FROM destinations dest JOIN deliveries d USING (destination_key)
    WHERE destination_key = ? AND d.first_number = ? AND (d.state = ${STATE_CODE.failed} OR d.state = ${STATE_CODE.waiting} AND d.round = dest.round)`);
  /** In the round before the current one, which no update is refused in: due at once, and not skipped with earlier ones. */
  const requeue = db.prepare(`
    UPDATE deliveries SET state = ${STATE_CODE.waiting}, round = (SELECT round - 1 FROM destinations WHERE destination_key = ?2), due_at = ?1,
      failure_count = 0, channel_key = ifnull(channel_key, (
        SELECT p.channel_key FROM destinations dest JOIN entries e USING (log_key) JOIN events p USING (event_key)
        WHERE dest.destination_key = ?2 AND e.number = ?3))
    WHERE destination_key = ?2 AND first_number = ?3`);
  const countRequeued = db.prepare(`
    UPDATE destinations SET scheduled_count = scheduled_count - ?, failed_count = failed_count - ? WHERE destination_key = ?`);
  const gate = laneGate(db);

  const findKey = ({ botId, ownerUserId, name = DEFAULT_WEBHOOK }: WebhookRef): number | undefined =>
    (selectKey.get(botId, ownerUserId, name) as { destinationKey: number } | undefined)?.destinationKey;

  const replay = (
    ref: WebhookRef,
    now: number,
    choose: (destinationKey: number) => FailingUpdate[],
  ): number | undefined => {
    const destinationKey = findKey(ref);
    if (destinationKey === undefined) return undefined;
    const failing = choose(destinationKey);
    if (failing.length === 0) return 0;
    for (const { updateId } of failing) requeue.run(now, destinationKey, updateId);
    const scheduled = failing.filter(({ state }) => state === STATE_CODE.waiting).length;
    countRequeued.run(scheduled, failing.length - scheduled, destinationKey);
    gate.restart(destinationKey, now);
    return failing.length;
  };

  return {
    replayFailed: (ref, limit, now) =>
      replay(ref, now, (destinationKey) => {
        const chosen: FailingUpdate[] = [];
        for (const statement of [selectFailed, selectScheduled])
          chosen.push(...(statement.all(destinationKey, limit - chosen.length) as FailingUpdate[]));
        return chosen;
      }),

    replayUpdates: (ref, updateIds, now) =>
      replay(ref, now, (destinationKey) =>
        updateIds.flatMap((updateId) => selectFailing.all(destinationKey, updateId) as FailingUpdate[]),
      ),
  };
}
