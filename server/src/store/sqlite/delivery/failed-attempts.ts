import type { FailedAttempt } from "../../../domain/delivery/attempt.js";
import { ERASED_MARK } from "../../../domain/events/post.js";
import { MAX_KEPT_ATTEMPTS } from "../../../domain/limits.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { AttemptFailure, AttemptOutcome } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** SQL of whether an event `p` is erased. */
const IS_ERASED = `instr(p.payload, '${ERASED_MARK}') > 0`;

/** A failure costs one insert, and one with an answer a look at its event; old attempts are dropped only from an update that has more than are kept. */
export function failedAttemptWriter(db: Database) {
  const insert = db.prepare(`
    INSERT INTO failed_attempts
      (destination_key, number, attempt, attempted_at, duration_ms, status, error, response_body, event_key)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  /** An answer to what was erased meanwhile is not kept: it may have the text. */
  const selectEvent = db.prepare(`
    SELECT p.event_key AS eventKey FROM destinations dest JOIN entries e USING (log_key) JOIN events p USING (event_key)
    WHERE dest.destination_key = ? AND e.number = ? AND NOT ${IS_ERASED}`);
  const dropOldest = db.prepare(`
    DELETE FROM failed_attempts WHERE destination_key = ?1 AND number = ?2 AND attempt <= (
      SELECT attempt FROM failed_attempts WHERE destination_key = ?1 AND number = ?2
      ORDER BY attempt DESC LIMIT 1 OFFSET ${MAX_KEPT_ATTEMPTS})`);

  return (
    destinationKey: number,
    attempt: number,
    { updateId, attemptedAt, durationMs }: AttemptOutcome,
    { status, error, responseBody }: AttemptFailure,
  ): void => {
    const event = responseBody
      ? (selectEvent.get(destinationKey, updateId) as { eventKey: number } | undefined)
      : undefined;
    insert.run(
      destinationKey,
      updateId,
      attempt,
      attemptedAt,
      durationMs,
      status ?? null,
      error,
      (event && responseBody) ?? "",
      event?.eventKey ?? null,
    );
    if (attempt > MAX_KEPT_ATTEMPTS) dropOldest.run(destinationKey, updateId);
  };
}

export function failedAttemptVerbs(db: Database): Pick<Verbs, "listFailedAttempts"> {
  const selectUpdate = db.prepare(`
    SELECT dest.destination_key AS destinationKey, ${IS_ERASED} AS isErased
    FROM destinations dest JOIN entries e USING (log_key) JOIN events p USING (event_key)
    WHERE dest.id = ? AND e.number = ?`);
  const selectAttempts = db.prepare(`
    SELECT attempt, attempted_at AS attemptedAt, duration_ms AS durationMs, status, error,
      CASE WHEN ?3 THEN '' ELSE response_body END AS responseBody
    FROM failed_attempts WHERE destination_key = ?1 AND number = ?2 ORDER BY attempt`);

  return {
    listFailedAttempts(destinationId, updateId) {
      const update = selectUpdate.get(destinationId, updateId) as
        | { destinationKey: number; isErased: 0 | 1 }
        | undefined;
      return (
        update &&
        selectAttempts.all(update.destinationKey, updateId, update.isErased).map(omitNulls<FailedAttempt>)
      );
    },
  };
}
