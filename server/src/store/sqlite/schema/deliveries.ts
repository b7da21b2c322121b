/** What came of sending the entries of logs. */
export const DELIVERIES = `
  -- What came of sending entries to a destination: the webhook of the bot with this key. An entry without a row was never attempted.
  -- Rows do not overlap. More than one number: a run that was accepted at once or skipped.
  -- state: 1 waiting for the next attempt, 2 delivered, 3 failed, 4 skipped, 5 held: it waits until earlier updates of its channel have
  -- ended, and is never due by itself.
  -- round: of what waits, the round of its lane in which it was refused. In the lane's current round it is scheduled for due_at. In an
  -- earlier one it is pending: due at once, its failures count no more. A replayed one has the number before the current one. Of what is held, an earlier one too.
  -- channel_key: where the event of what waits or is held happened; 0 in no channel. It stays when that has ended.
  -- times: of a run that was accepted at once, when each was attempted; read by accepted-runs.ts.
  CREATE TABLE deliveries (
    destination_key   INTEGER NOT NULL,
    first_number      INTEGER NOT NULL,
    last_number       INTEGER NOT NULL CHECK (last_number >= first_number),
    state             INTEGER NOT NULL CHECK (state IN (1, 2, 3, 4, 5)),
    attempt_count     INTEGER NOT NULL,
    failure_count     INTEGER NOT NULL,
    round             INTEGER,
    due_at            INTEGER,
    last_attempted_at INTEGER,
    delivered_at      INTEGER,
    last_failed_at    INTEGER,
    last_error        TEXT,
    times             TEXT,
    channel_key       INTEGER,
    PRIMARY KEY (destination_key, first_number),
    CHECK (first_number = last_number OR state = 4 OR times IS NOT NULL),
    CHECK ((state = 1) = (due_at IS NOT NULL) AND (state IN (1, 5)) = (round IS NOT NULL)),
    CHECK ((state = 2) = (delivered_at IS NOT NULL OR times IS NOT NULL)),
    CHECK (times IS NULL OR attempt_count = 1 AND failure_count = 0 AND delivered_at IS NULL AND last_attempted_at IS NULL),
    CHECK ((last_failed_at IS NULL) = (last_error IS NULL)),
    CHECK (state NOT IN (1, 5) OR channel_key IS NOT NULL AND (state = 1 OR channel_key > 0))
  ) STRICT, WITHOUT ROWID;
  -- One for each state that is looked for: a list of few waiting updates must not read many failed ones.
  CREATE INDEX deliveries_waiting ON deliveries (destination_key, round, first_number) WHERE state = 1;
  CREATE INDEX deliveries_due ON deliveries (destination_key, round, due_at, first_number) WHERE state = 1;
  CREATE INDEX deliveries_held ON deliveries (destination_key, first_number) WHERE state = 5;
  -- By channel: whether an earlier one has not ended, and what is held behind one that has.
  CREATE INDEX deliveries_unresolved ON deliveries (destination_key, channel_key, first_number) WHERE state IN (1, 5);
  CREATE INDEX deliveries_failed ON deliveries (destination_key, first_number) WHERE state = 3;
  CREATE INDEX deliveries_skipped ON deliveries (destination_key, first_number) WHERE state = 4;
  CREATE INDEX deliveries_by_failure ON deliveries (destination_key, last_failed_at, first_number) WHERE last_failed_at IS NOT NULL;
`;

/** Moves them from the table that an earlier schema made, in which nothing was held. Of what waits, the channel is looked up. */
export const MOVE_DELIVERIES = `
  DROP INDEX deliveries_waiting;
  DROP INDEX deliveries_due;
  DROP INDEX deliveries_failed;
  DROP INDEX deliveries_skipped;
  DROP INDEX deliveries_by_failure;
  ALTER TABLE deliveries RENAME TO old_deliveries;
  ${DELIVERIES}
  INSERT INTO deliveries SELECT d.*, CASE WHEN d.state = 1 THEN ifnull((
    SELECT p.channel_key FROM entries e JOIN events p USING (event_key)
    WHERE e.log_key = d.destination_key AND e.number = d.first_number), 0) END
  FROM old_deliveries d;
  DROP TABLE old_deliveries;
`;
