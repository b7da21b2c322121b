import type { FailedAttempt } from "../../../domain/delivery/attempt.js";
import { MAX_KEPT_ATTEMPTS } from "../../../domain/limits.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { AttemptFailure, AttemptOutcome } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** A failure costs one insert; old attempts are dropped only from an update that has more than are kept. */
export function failedAttemptWriter(db: Database) {
  const insert = db.prepare(`
    INSERT INTO failed_attempts
      (destination_key, number, attempt, attempted_at, duration_ms, status, error, response_body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
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
    insert.run(
      destinationKey,
      updateId,
      attempt,
      attemptedAt,
      durationMs,
      status ?? null,
      error,
      responseBody ?? "",
    );
    if (attempt > MAX_KEPT_ATTEMPTS) dropOldest.run(destinationKey, updateId);
  };
}

export function failedAttemptVerbs(db: Database): Pick<Verbs, "listFailedAttempts"> {
  const selectUpdate = db.prepare(`
    SELECT dest.destination_key AS destinationKey FROM destinations dest JOIN entries e USING (log_key)
    WHERE dest.id = ? AND e.number = ?`);
  const selectAttempts = db.prepare(`
    SELECT attempt, attempted_at AS attemptedAt, duration_ms AS durationMs, status, error,
      response_body AS responseBody
    FROM failed_attempts WHERE destination_key = ? AND number = ? ORDER BY attempt`);

  return {
    listFailedAttempts(destinationId, updateId) {
      const update = selectUpdate.get(destinationId, updateId) as { destinationKey: number } | undefined;
      return update && selectAttempts.all(update.destinationKey, updateId).map(omitNulls<FailedAttempt>);
    },
  };
}
