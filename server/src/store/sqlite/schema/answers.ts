/**
 * What receivers have answered may have the texts that they were sent. So it goes with them: whatever erases an event, in whichever way, changes
 * its payload, and nothing else does.
 */
export const ANSWERS = `
    -- event_key: the event that the update is of, while response_body has something that is erased with it; else null.
    ALTER TABLE failed_attempts ADD COLUMN event_key INTEGER;
    UPDATE failed_attempts SET event_key = (
      SELECT p.event_key FROM destinations dest JOIN entries e ON e.log_key = dest.log_key AND e.number = failed_attempts.number
      JOIN events p ON p.event_key = e.event_key
      WHERE dest.destination_key = failed_attempts.destination_key AND instr(p.payload, '"deleted":true') = 0)
    WHERE response_body <> '';
    UPDATE failed_attempts SET response_body = '' WHERE event_key IS NULL AND response_body <> '';
    CREATE INDEX failed_attempts_by_event ON failed_attempts (event_key) WHERE event_key IS NOT NULL;
    CREATE TRIGGER answers_cleared AFTER UPDATE OF payload ON events WHEN NEW.payload <> OLD.payload BEGIN
      UPDATE failed_attempts SET response_body = '', event_key = NULL WHERE event_key = NEW.event_key;
    END;
    `;
