import type { SchemaStatus, StepDescription } from "../../inspection.js";
import type { OnMigrationProgress } from "../../migration-progress.js";
import { refuseUnfinishedCopy, type UnfinishedCopy } from "../../shared/unfinished-copy.js";
import type { Database } from "../binding.js";
import { EARLIER_STEPS } from "./earlier-schema.js";
import { FIRST_STEPS } from "./first-schema.js";
import { moveUpdates } from "./move-updates.js";

/** SQL for one transaction, or the move of rows in many, which continues where it was interrupted. */
type Step = string | ((db: Database, onProgress: OnMigrationProgress) => void);

/**
 * The schema, as the steps that lead to it. A step, once released, is never edited; a change is a new step. The number
 * of steps done is kept in `PRAGMA user_version`.
 *
 * Rows are found by integer keys; the public ids stand beside them. Every table that grows without bound is read by a
 * prefix of its primary key or of an index, never scanned.
 */
export const STEPS: readonly Step[] = [
  ...FIRST_STEPS,
  ...EARLIER_STEPS,
  `
  -- The log: which event has which number. Written once; only retention and erasure remove rows.
  CREATE TABLE entries (
    log_key   INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    event_key INTEGER NOT NULL,
    PRIMARY KEY (log_key, number)
  ) STRICT, WITHOUT ROWID;

  -- What came of sending entries to a destination: the webhook of the bot with this key. An entry without a row was never attempted.
  -- Rows do not overlap. More than one number: a run that was accepted at once or skipped.
  -- state: 1 waiting for the next attempt, 2 delivered, 3 failed, 4 skipped.
  -- round: of what waits, the round of its lane in which it was refused. In the lane's current round it is scheduled for due_at. In an
  -- earlier one it is pending: due at once, its failures count no more. A replayed one has the number before the current one.
  -- times: of a run that was accepted at once, when each was attempted; read by accepted-runs.ts.
  CREATE TABLE deliveries (
    destination_key   INTEGER NOT NULL,
    first_number      INTEGER NOT NULL,
    last_number       INTEGER NOT NULL CHECK (last_number >= first_number),
    state             INTEGER NOT NULL CHECK (state IN (1, 2, 3, 4)),
    attempt_count     INTEGER NOT NULL,
    failure_count     INTEGER NOT NULL,
    round             INTEGER,
    due_at            INTEGER,
    last_attempted_at INTEGER,
    delivered_at      INTEGER,
    last_failed_at    INTEGER,
    last_error        TEXT,
    times             TEXT,
    PRIMARY KEY (destination_key, first_number),
    CHECK (first_number = last_number OR state = 4 OR times IS NOT NULL),
    CHECK ((state = 1) = (due_at IS NOT NULL) AND (state = 1) = (round IS NOT NULL)),
    CHECK ((state = 2) = (delivered_at IS NOT NULL OR times IS NOT NULL)),
    CHECK (times IS NULL OR attempt_count = 1 AND failure_count = 0 AND delivered_at IS NULL AND last_attempted_at IS NULL),
    CHECK ((last_failed_at IS NULL) = (last_error IS NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_waiting ON deliveries (destination_key, round, first_number) WHERE state = 1;
  CREATE INDEX deliveries_due ON deliveries (destination_key, round, due_at, first_number) WHERE state = 1;
  CREATE INDEX deliveries_failed ON deliveries (destination_key, first_number) WHERE state = 3;
  CREATE INDEX deliveries_skipped ON deliveries (destination_key, first_number) WHERE state = 4;
  CREATE INDEX deliveries_by_failure ON deliveries (destination_key, last_failed_at, first_number) WHERE last_failed_at IS NOT NULL;

  -- round: rises by two whenever the webhook is set or removed, so that what is replayed has a number of its own.
  -- skip_through: waiting updates up to this number, of rounds before skip_round - 1, are still to be skipped.
  ALTER TABLE lanes ADD COLUMN round INTEGER NOT NULL DEFAULT 2;
  ALTER TABLE lanes ADD COLUMN skip_through INTEGER;
  ALTER TABLE lanes ADD COLUMN skip_round INTEGER;
  `,
  moveUpdates,
  `
  DROP TABLE updates;
  ALTER TABLE lanes DROP COLUMN requeue_from;
  ALTER TABLE lanes DROP COLUMN requeue_below;
  ALTER TABLE lanes DROP COLUMN skip_from;
  ALTER TABLE lanes DROP COLUMN skip_below;
  `,
];

/** What each step does, for people. */
const DESCRIPTIONS: readonly StepDescription[] = [
  { does: "makes the tables of bots, channels, posts, logs and lanes" },
  { does: "makes an index of failed and one of scheduled updates", reads: "updates" },
  { does: "makes the table of failed attempts" },
  { does: "lets a webhook be paused" },
  { does: "makes the table of timelines" },
  { does: "adds when each update failed last, and what came of earlier webhooks", reads: "updates" },
  { does: "makes an index of the keys of webhook secrets, and the table of key files", reads: "bots" },
  { does: "lets logs carry other events than posts, and bots choose what they hear", reads: "attachments" },
  { does: "makes the table of consumers" },
  { does: "lets a webhook pass over updates, with an index of those", reads: "updates" },
  { does: "makes the table of how far old events are removed" },
  { does: "lets owners give channels ids of their own, and data to bots and channels", reads: "channels" },
  { does: "makes the table of the platform's feed" },
  { does: "adds to the lanes how their webhooks have been failing" },
  { does: "adds their owners to what was deleted, and to the events of the feed", reads: "posts" },
  { does: "keeps what bots hear with the bots", reads: "attachments" },
  { does: "adds to posts and events who did them" },
  { does: "makes the tables of log entries and deliveries" },
  { does: "moves all updates into these tables", reads: "updates" },
  { does: "removes the table of updates" },
];

/** How far the schema of a database is. Changes nothing. */
export function schemaStatus(db: Database): SchemaStatus {
  const { user_version: done } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  const rowsOf = (table: string) =>
    (db.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;
  const waiting = DESCRIPTIONS.slice(done).map(({ does, reads }, index) => ({
    step: done + index + 1,
    does,
    // Tables that do not exist yet have no rows.
    ...(reads && done > 0 ? { rows: rowsOf(reads) } : {}),
  }));
  return { done, known: STEPS.length, waiting };
}

export interface MigrateOptions {
  unfinishedCopy?: UnfinishedCopy | undefined;
  onProgress?: OnMigrationProgress | undefined;
  /** Other steps than the schema's: for tests of how steps are run. */
  steps?: readonly Step[];
}

/**
 * Brings the database to the newest schema.
 *
 * @throws Error when the database is of a newer service than this one, or half copied
 */
export function migrate(
  db: Database,
  { unfinishedCopy = "refused", onProgress = () => {}, steps = STEPS }: MigrateOptions = {},
): void {
  const progress = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'copy_progress'").get();
  refuseUnfinishedCopy(progress !== undefined, unfinishedCopy);
  const { user_version: done } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  if (done > steps.length) {
    throw new Error(
      `the database has schema ${done}, this service knows up to ${steps.length}: start a newer Botyard on it`,
    );
  }
  for (const [index, step] of [...steps.entries()].slice(done)) {
    const sql = typeof step === "string" ? step : "";
    if (typeof step !== "string") step(db, onProgress);
    db.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}
