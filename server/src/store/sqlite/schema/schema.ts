import type { SchemaStatus, StepDescription } from "../../inspection.js";
import type { OnMigrationProgress } from "../../migration-progress.js";
import {
  missingSteps,
  newestSchema,
  refuseNewerSchema,
  type SchemaSteps,
} from "../../shared/schema/schema-steps.js";
import { refuseUnfinishedCopy, type UnfinishedCopy } from "../../shared/schema/unfinished-copy.js";
import type { Database } from "../binding.js";
import { ANSWERS } from "./answers.js";
import { AUDIT } from "./audit.js";
import { MOVE_DESTINATIONS } from "./destinations.js";
import { ERASED_USERS } from "./erased-users.js";
import { FIRST_SCHEMA } from "./first-schema.js";
import { GIVEN_UP } from "./given-up.js";
import { KEPT } from "./kept.js";
import { DELIVERIES_OFF, LOG_TABLES } from "./log-tables.js";
import { moveUpdates } from "./move-updates.js";
import { NAME_EVENTS } from "./name-events.js";

/** SQL for one transaction, or the move of rows in many, which continues where it was interrupted. */
type Step = string | ((db: Database, onProgress: OnMigrationProgress) => void);

/**
 * The schema: how a new database gets it, and the steps that lead to it from an earlier one. A step, once released, is never
 * edited, nor is the first schema; a change is a new step at the end. The number of a database's schema is in `PRAGMA user_version`.
 *
 * Rows are found by integer keys; the public ids stand beside them. Every table that grows without bound is read by a
 * prefix of its primary key or of an index, never scanned.
 */
const SCHEMA: SchemaSteps<Step> = {
  first: { schema: 29, step: FIRST_SCHEMA },
  // The last one whose log was the table updates, each row with its delivery.
  earliest: 17,
  steps: [
    `
    ${LOG_TABLES}
    ALTER TABLE lanes ADD COLUMN round INTEGER NOT NULL DEFAULT 2;
    ALTER TABLE lanes ADD COLUMN skip_through INTEGER;
    ALTER TABLE lanes ADD COLUMN skip_round INTEGER;
    `,
    moveUpdates,
    `
    DROP TABLE updates;
    ALTER TABLE lanes RENAME COLUMN next_fresh_id TO next_fresh_number;
    ALTER TABLE lanes DROP COLUMN requeue_from;
    ALTER TABLE lanes DROP COLUMN requeue_below;
    ALTER TABLE lanes DROP COLUMN skip_from;
    ALTER TABLE lanes DROP COLUMN skip_below;
    `,
    DELIVERIES_OFF,
    `
    ALTER TABLE lanes ADD COLUMN gap_from INTEGER;
    ALTER TABLE lanes ADD COLUMN gap_through INTEGER;
    `,
    "ALTER TABLE posts ADD COLUMN cause TEXT;",
    MOVE_DESTINATIONS,
    `
    -- What the process calls itself that reads for a consumer, and until when it is taken to. Null before one has said so.
    ALTER TABLE consumers ADD COLUMN reader TEXT;
    ALTER TABLE consumers ADD COLUMN reader_until INTEGER;
    `,
    GIVEN_UP,
    `
    -- The most updates of one request to the webhook, until there were more settings.
    ALTER TABLE destinations ADD COLUMN max_batch INTEGER NOT NULL DEFAULT 1;
    `,
    `
    -- How the webhook is called, as far as it differs from the defaults: JSON of domain/delivery/webhook-settings.ts.
    ALTER TABLE destinations ADD COLUMN settings TEXT;
    -- Who or what has paused the webhook; null while it is not paused, and when an earlier version has paused it.
    ALTER TABLE destinations ADD COLUMN pause_reason TEXT;
    UPDATE destinations SET settings = json_object('maxBatch', max_batch) WHERE max_batch > 1;
    ALTER TABLE destinations DROP COLUMN max_batch;
    `,
    NAME_EVENTS,
    `
    -- commands: what the bot offers in its channels, JSON of domain/bots/commands.ts; null without any. commands_at: when they were
    -- set; above that of the time before.
    ALTER TABLE bots ADD COLUMN commands TEXT;
    ALTER TABLE bots ADD COLUMN commands_at INTEGER;
    `,
    `
    -- An interaction is found by its id alone.
    CREATE UNIQUE INDEX events_interactions ON events (id) WHERE event_type = 'interaction.created';
    `,
    `
    -- When a bot was attached; null of those that were attached before.
    ALTER TABLE attachments ADD COLUMN attached_at INTEGER;
    `,
    `
    -- Of a direct channel: the only bot that may be attached, and the user of the owner's product for whom it is, if for one.
    ALTER TABLE channels ADD COLUMN direct_bot_id TEXT;
    ALTER TABLE channels ADD COLUMN direct_user_id TEXT;
    ALTER TABLE channels ADD COLUMN direct_username TEXT;
    CREATE UNIQUE INDEX channels_direct ON channels (owner_user_id, direct_bot_id, ifnull(direct_user_id, ''))
      WHERE direct_bot_id IS NOT NULL;
    `,
    `
    -- is_listed: whether its owner lets other owners attach it. review_: what the platform decided on that last; null before it has.
    ALTER TABLE bots ADD COLUMN is_listed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE bots ADD COLUMN review_status TEXT;
    ALTER TABLE bots ADD COLUMN review_note TEXT;
    ALTER TABLE bots ADD COLUMN reviewed_at INTEGER;
    CREATE INDEX bots_listed ON bots (bot_key) WHERE is_listed = 1;
    -- A bot is attached by the holder of the channel.
    CREATE INDEX attachments_by_holder ON attachments (bot_key, attached_by);
    `,
    ERASED_USERS,
    `
    -- Who keeps a bot disabled, by the bits of domain/bots/disabled-by.ts; 0 also when an earlier version has disabled it.
    ALTER TABLE bots ADD COLUMN disabled_by INTEGER NOT NULL DEFAULT 0;
    `,
    `
    -- What the platform has decided about owners: why and since when one is suspended; limits: JSON of domain/owners/standing.ts, without
    -- those that the configuration says; metadata: JSON, as the platform gave it.
    CREATE TABLE owners (
      user_id           TEXT PRIMARY KEY,
      suspended_at      INTEGER,
      reason TEXT,
      limits            TEXT,
      metadata          TEXT
    ) WITHOUT ROWID;
    `,
    AUDIT,
    `
    -- What owners and their bots have caused on each day, in days since the epoch. bytes: of posts.
    CREATE TABLE owner_usage (
      owner_user_id TEXT NOT NULL,
      day           INTEGER NOT NULL,
      posts         INTEGER NOT NULL,
      updates       INTEGER NOT NULL,
      deliveries    INTEGER NOT NULL,
      bytes         INTEGER NOT NULL,
      PRIMARY KEY (owner_user_id, day)
    ) WITHOUT ROWID;
    CREATE INDEX owner_usage_by_day ON owner_usage (day, owner_user_id);
    -- What is there already is not counted. Without a row all is.
    INSERT INTO sweeps (kind, event_key) SELECT 'usage', max(event_key) FROM events HAVING max(event_key) IS NOT NULL;
    -- Up to which of its own deliveries, and the updates of its log, a destination is counted in owner_usage. Null before it is.
    ALTER TABLE destinations ADD COLUMN counted_updates INTEGER;
    ALTER TABLE destinations ADD COLUMN counted_deliveries INTEGER;
    `,
    KEPT,
    `
    -- Whether entries of the audit log are events of the feed, too.
    ALTER TABLE feed ADD COLUMN has_audit INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX bots_told_of_audit ON bots (owner_user_id) WHERE subscription LIKE '%"alert.%';
    `,
    `
    -- When users, whose first walk has ended, are to be erased once more; 0 before that.
    ALTER TABLE erased_users ADD COLUMN again_at INTEGER NOT NULL DEFAULT 0;
    DROP INDEX erased_users_waiting;
    CREATE INDEX erased_users_due ON erased_users (again_at, user_id) WHERE position IS NULL AND ended_at IS NULL;
    `,
    ANSWERS,
  ],
};

/** What each step does, for people. */
const DESCRIPTIONS: SchemaSteps<StepDescription> = {
  first: { schema: SCHEMA.first.schema, step: { does: "makes all tables" } },
  earliest: SCHEMA.earliest,
  steps: [
    { does: "makes the tables of log entries and deliveries" },
    { does: "moves all updates into these tables", reads: "updates" },
    { does: "removes the table of updates" },
    { does: "makes the table that says whether deliveries are off" },
    { does: "adds to the logs which numbers they skipped" },
    { does: "adds to events what the requests that caused them said of themselves" },
    { does: "moves webhooks, and how far they have come, into a table of destinations", reads: "bots" },
    { does: "adds to consumers who reads for them" },
    { does: "makes the table of updates that bots gave up" },
    { does: "adds to webhooks how many updates a request may carry" },
    { does: "adds to webhooks how they are called and why they are paused" },
    { does: "gives the tables of events and destinations the names that they have now", reads: "posts" },
    { does: "adds to bots which commands they offer" },
    { does: "makes the index of interactions" },
    { does: "adds to attachments since when they are" },
    { does: "adds to channels with which bot and for whom a direct one is" },
    { does: "adds to bots whether other owners may attach them", reads: "attachments" },
    { does: "makes the table of users of a product who are erased, and the index of their direct channels" },
    { does: "adds to bots who has disabled them" },
    { does: "makes the table of what the platform has decided about owners" },
    { does: "makes the table of the audit log" },
    { does: "makes the table of what owners have used" },
    { does: "makes the table of the bytes that owners keep" },
    { does: "adds to the feed whether it has the audit log" },
    { does: "adds to users who are erased when that is done once more" },
    { does: "notes of failed attempts which event their answers are erased with", reads: "failed_attempts" },
  ],
};

/** The number of a database's schema; 0 while it has no tables, whatever it had before. */
export function schemaOf(db: Database): number {
  const table = db
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' LIMIT 1")
    .get();
  if (table === undefined) return 0;
  return (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

/**
 * How far the schema of a database is. Changes nothing.
 *
 * @throws Error with one line when it is too old to be brought on
 */
export function schemaStatus(db: Database): SchemaStatus {
  const done = schemaOf(db);
  const rowsOf = (table: string) =>
    (db.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;
  const waiting = missingSteps(done, DESCRIPTIONS).map(({ schema, step: { does, reads } }) => ({
    step: schema,
    does,
    // Tables that do not exist yet have no rows.
    ...(reads && done > 0 ? { rows: rowsOf(reads) } : {}),
  }));
  return { done, known: newestSchema(SCHEMA), waiting };
}

export interface MigrateOptions {
  unfinishedCopy?: UnfinishedCopy | undefined;
  /** Why a database without tables must not be begun; left out when it may. */
  whyNotNew?: string | undefined;
  onProgress?: OnMigrationProgress | undefined;
}

/**
 * Brings the database to the newest schema.
 *
 * @throws Error when the database is of a newer service than this one, of a schema too old to be brought on, half copied, or must not be begun
 */
export function migrate(
  db: Database,
  { unfinishedCopy = "refused", whyNotNew, onProgress = () => {} }: MigrateOptions = {},
): void {
  const progress = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'copy_progress'").get();
  refuseUnfinishedCopy(progress !== undefined, unfinishedCopy);
  const done = schemaOf(db);
  if (done === 0 && whyNotNew !== undefined) throw new Error(whyNotNew);
  refuseNewerSchema(done, newestSchema(SCHEMA));
  for (const { schema, step } of missingSteps(done, SCHEMA)) {
    const sql = typeof step === "string" ? step : "";
    if (typeof step !== "string") step(db, onProgress);
    db.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${schema}; COMMIT`);
  }
}
