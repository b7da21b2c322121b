import { EARLIER_STEPS } from "./earlier-schema.js";
import { FIRST_STEPS } from "./first-schema.js";
import { moveUpdates } from "./move-updates.js";
import type { OfflineStep, SchemaStep } from "./schema-step.js";

/**
 * The schema, as the steps that lead to it. A step, once released, is never edited; a change is a new step. Steps run
 * beside live traffic and have the shapes of `schema-step.ts`, except the first five and three that are marked there as
 * offline.
 *
 * Rows are found by integer keys; the public ids stand beside them. Every table that grows without bound is read by a
 * prefix of its primary key or of an index, never scanned.
 */
export const STEPS: readonly (SchemaStep | OfflineStep)[] = [
  ...FIRST_STEPS,
  ...EARLIER_STEPS,
  {
    change: `
      -- The log: which event has which number. Written once; only retention and erasure remove rows.
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
      CREATE INDEX deliveries_waiting ON deliveries (destination_key, round, first_number) WHERE state = 1;
      CREATE INDEX deliveries_due ON deliveries (destination_key, round, due_at, first_number) WHERE state = 1;
      CREATE INDEX deliveries_failed ON deliveries (destination_key, first_number) WHERE state = 3;
      CREATE INDEX deliveries_skipped ON deliveries (destination_key, first_number) WHERE state = 4;
      CREATE INDEX deliveries_by_failure ON deliveries (destination_key, last_failed_at, first_number)
        WHERE last_failed_at IS NOT NULL;`,
  },
  {
    change: `
      -- round: rises by two whenever the webhook is set or removed, so that what is replayed has a number of its own.
      -- skip_through: waiting updates up to this number, of rounds before skip_round - 1, are still to be skipped.
      ALTER TABLE lanes
        ADD COLUMN round bigint NOT NULL DEFAULT 2,
        ADD COLUMN skip_through bigint,
        ADD COLUMN skip_round bigint;`,
  },
  // From here on an instance of the release before finds no table: it must not write what would be lost.
  "ALTER TABLE updates RENAME TO old_updates;",
  { move: moveUpdates },
  `DROP TABLE old_updates;
  ALTER TABLE lanes
    DROP COLUMN requeue_from, DROP COLUMN requeue_below, DROP COLUMN skip_from, DROP COLUMN skip_below;`,
];
