/** The log and its deliveries as a database of an earlier schema first gets them. Later steps lead on from here. */
export const LOG_TABLES = `
  -- The log: which event has which number. Written once; only retention and erasure remove rows.
  -- log_key: the bot_key of a lane. event_key: the post_key of the event.
  CREATE TABLE entries (
    log_key   bigint NOT NULL,
    number    bigint NOT NULL,
    event_key bigint NOT NULL,
    PRIMARY KEY (log_key, number)
  );

  -- What came of sending entries to a destination: the webhook of the bot with this key. An entry without a row was never
  -- attempted. Rows do not overlap. More than one number: a run that was accepted at once or skipped.
  -- state: 1 waiting for the next attempt, 2 delivered, 3 failed, 4 skipped.
  -- round: of what waits, the round of its lane in which it was refused. In the lane's current round it is scheduled for
  -- due_at. In an earlier one it is pending: due at once, its failures count no more. A replayed one has the number before
  -- the current one.
  -- times: of a run that was accepted at once, when each was attempted; read by accepted-runs.ts.
  CREATE TABLE deliveries (
    destination_key   bigint NOT NULL,
    first_number      bigint NOT NULL,
    last_number       bigint NOT NULL CHECK (last_number >= first_number),
    state             smallint NOT NULL CHECK (state IN (1, 2, 3, 4)),
    attempt_count     integer NOT NULL,
    failure_count     integer NOT NULL,
    round             bigint,
    due_at            bigint,
    last_attempted_at bigint,
    delivered_at      bigint,
    last_failed_at    bigint,
    last_error        text,
    times             text,
    PRIMARY KEY (destination_key, first_number),
    CHECK (first_number = last_number OR state = 4 OR times IS NOT NULL),
    CHECK ((state = 1) = (due_at IS NOT NULL) AND (state = 1) = (round IS NOT NULL)),
    CHECK ((state = 2) = (delivered_at IS NOT NULL OR times IS NOT NULL)),
    CHECK (times IS NULL OR attempt_count = 1 AND failure_count = 0 AND delivered_at IS NULL AND last_attempted_at IS NULL),
    CHECK ((last_failed_at IS NULL) = (last_error IS NULL))
  ) WITH (fillfactor = 90);
  -- One for each state that is looked for: a list of few waiting updates must not read many failed ones.
  CREATE INDEX deliveries_waiting ON deliveries (destination_key, round, first_number) WHERE state = 1;
  CREATE INDEX deliveries_due ON deliveries (destination_key, round, due_at, first_number) WHERE state = 1;
  CREATE INDEX deliveries_failed ON deliveries (destination_key, first_number) WHERE state = 3;
  CREATE INDEX deliveries_skipped ON deliveries (destination_key, first_number) WHERE state = 4;
  CREATE INDEX deliveries_by_failure ON deliveries (destination_key, last_failed_at, first_number)
    WHERE last_failed_at IS NOT NULL;
`;

/** A database of an earlier schema gets this table as well. */
export const DELIVERIES_OFF = `
  -- At most one row: while it is there, services that start on this database send nothing to webhooks.
  CREATE TABLE deliveries_off (id integer PRIMARY KEY CHECK (id = 1));
`;

/** A database of an earlier schema gets this table as well. */
export const INCARNATION = `
  -- One row. first_timeline: when it was made. restores: how often the storage was found to be set back.
  CREATE TABLE incarnation (
    id             integer PRIMARY KEY CHECK (id = 1),
    first_timeline bigint NOT NULL,
    restores       bigint NOT NULL
  );
`;
