/** What came of sending the entries of logs. */
export const DELIVERIES = `
  -- What came of sending entries to a destination: the webhook of the bot with this key. An entry without a row was never
  -- attempted. Rows do not overlap. More than one number: a run that was accepted at once or skipped.
  -- state: 1 waiting for the next attempt, 2 delivered, 3 failed, 4 skipped, 5 held: it waits until earlier updates of its channel have
  -- ended, and is never due by itself.
  -- round: of what waits, the round of its lane in which it was refused. In the lane's current round it is scheduled for
  -- due_at. In an earlier one it is pending: due at once, its failures count no more. A replayed one has the number before
  -- the current one. Of what is held, an earlier one too.
  -- channel_key: where the event of what waits or is held happened; 0 in no channel. It stays when that has ended.
  -- times: of a run that was accepted at once, when each was attempted; read by accepted-runs.ts.
  CREATE TABLE deliveries (
    destination_key   bigint NOT NULL,
    first_number      bigint NOT NULL,
    last_number       bigint NOT NULL CHECK (last_number >= first_number),
    state             smallint NOT NULL CHECK (state IN (1, 2, 3, 4, 5)),
    attempt_count     integer NOT NULL,
    failure_count     integer NOT NULL,
    round             bigint,
    due_at            bigint,
    last_attempted_at bigint,
    delivered_at      bigint,
    last_failed_at    bigint,
    last_error        text,
    times             text,
    channel_key       bigint,
    PRIMARY KEY (destination_key, first_number),
    CHECK (first_number = last_number OR state = 4 OR times IS NOT NULL),
    CHECK ((state = 1) = (due_at IS NOT NULL) AND (state IN (1, 5)) = (round IS NOT NULL)),
    CHECK ((state = 2) = (delivered_at IS NOT NULL OR times IS NOT NULL)),
    CHECK (times IS NULL OR attempt_count = 1 AND failure_count = 0 AND delivered_at IS NULL AND last_attempted_at IS NULL),
    CHECK ((last_failed_at IS NULL) = (last_error IS NULL)),
    CHECK (state NOT IN (1, 5) OR channel_key IS NOT NULL AND (state = 1 OR channel_key > 0))
  ) WITH (fillfactor = 90);
  -- One for each state that is looked for: a list of few waiting updates must not read many failed ones.
  CREATE INDEX deliveries_waiting ON deliveries (destination_key, round, first_number) WHERE state = 1;
  CREATE INDEX deliveries_due ON deliveries (destination_key, round, due_at, first_number) WHERE state = 1;
  CREATE INDEX deliveries_held ON deliveries (destination_key, first_number) WHERE state = 5;
  -- By channel: whether an earlier one has not ended, and what is held behind one that has.
  CREATE INDEX deliveries_unresolved ON deliveries (destination_key, channel_key, first_number) WHERE state IN (1, 5);
  CREATE INDEX deliveries_failed ON deliveries (destination_key, first_number) WHERE state = 3;
  CREATE INDEX deliveries_skipped ON deliveries (destination_key, first_number) WHERE state = 4;
  CREATE INDEX deliveries_by_failure ON deliveries (destination_key, last_failed_at, first_number)
    WHERE last_failed_at IS NOT NULL;
`;

/** Deliveries may be held, and have the channel of what waits. Few do, so the step is one transaction. */
export const HOLD_DELIVERIES = `
  ALTER TABLE deliveries ADD COLUMN channel_key bigint;
  UPDATE deliveries d SET channel_key = coalesce((
    SELECT p.channel_key FROM entries e JOIN events p USING (event_key)
    WHERE e.log_key = d.destination_key AND e.number = d.first_number), 0)
  WHERE state = 1;
  ALTER TABLE deliveries
    DROP CONSTRAINT deliveries_state_check, DROP CONSTRAINT deliveries_check2,
    ADD CONSTRAINT deliveries_state_check CHECK (state IN (1, 2, 3, 4, 5)),
    ADD CONSTRAINT deliveries_check2 CHECK ((state = 1) = (due_at IS NOT NULL) AND (state IN (1, 5)) = (round IS NOT NULL)),
    ADD CONSTRAINT deliveries_check6
      CHECK (state NOT IN (1, 5) OR channel_key IS NOT NULL AND (state = 1 OR channel_key > 0));
  CREATE INDEX deliveries_held ON deliveries (destination_key, first_number) WHERE state = 5;
  CREATE INDEX deliveries_unresolved ON deliveries (destination_key, channel_key, first_number) WHERE state IN (1, 5);
`;
