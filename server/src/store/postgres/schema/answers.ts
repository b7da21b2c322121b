import type { SchemaStep } from "./schema-step.js";

/**
 * What receivers have answered may have the texts that they were sent. So it goes with them: whatever erases an event, in whichever way, changes
 * its payload, and nothing else does. The rows are locked in the order of their keys, as where they expire.
 */
const CLEAR_ANSWERS = `
      CREATE FUNCTION clear_answers() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        UPDATE failed_attempts a SET response_body = '', event_key = NULL
        FROM (
          SELECT destination_key, number, attempt FROM failed_attempts
          WHERE event_key = ANY (ARRAY(SELECT event_key FROM was JOIN became USING (event_key) WHERE was.payload <> became.payload))
          ORDER BY destination_key, number, attempt FOR UPDATE) erased
        WHERE a.destination_key = erased.destination_key AND a.number = erased.number AND a.attempt = erased.attempt;
        RETURN NULL;
      END $$;
      CREATE TRIGGER answers_cleared AFTER UPDATE ON events
        REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION clear_answers();`;

/** Those that were kept before; what the release before goes on keeping is not shown once its event is erased, and expires. */
const LINK_ANSWERS = `
      UPDATE failed_attempts a SET event_key = e.event_key, response_body = CASE WHEN e.event_key IS NULL THEN '' ELSE a.response_body END
      FROM (
        SELECT f.destination_key, f.number, f.attempt, (
          SELECT p.event_key FROM destinations dest JOIN entries e ON e.log_key = dest.log_key AND e.number = f.number
          JOIN events p ON p.event_key = e.event_key
          WHERE dest.destination_key = f.destination_key AND strpos(p.payload, '"deleted":true') = 0) AS event_key
        FROM failed_attempts f WHERE f.event_key IS NULL AND f.response_body <> ''
        ORDER BY f.destination_key, f.number, f.attempt LIMIT 1000 FOR UPDATE) e
      WHERE a.destination_key = e.destination_key AND a.number = e.number AND a.attempt = e.attempt`;

export const ANSWERS: readonly SchemaStep[] = [
  {
    change: `
      -- The event that the update is of, while response_body has something that is erased with it; else null.
      ALTER TABLE failed_attempts ADD COLUMN event_key bigint;`,
  },
  { createIndex: "failed_attempts_by_event", on: "failed_attempts (event_key) WHERE event_key IS NOT NULL" },
  { change: CLEAR_ANSWERS },
  {
    createIndex: "failed_attempts_unlinked",
    on: "failed_attempts (destination_key, number, attempt) WHERE event_key IS NULL AND response_body <> ''",
  },
  { backfill: LINK_ANSWERS },
  { dropIndex: "failed_attempts_unlinked" },
];
