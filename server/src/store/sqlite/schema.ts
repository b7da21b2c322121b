import type { SchemaStatus, StepDescription } from "../inspection.js";
import { refuseUnfinishedCopy, type UnfinishedCopy } from "../unfinished-copy.js";
import type { Database } from "./binding.js";

/**
 * The schema, as the steps that lead to it. A step, once released, is never edited; a change is a new step. The number
 * of steps done is kept in `PRAGMA user_version`.
 *
 * Rows are found by integer keys; the public ids stand beside them. Every table that grows without bound is read by a
 * prefix of its primary key or of an index, never scanned.
 */
const STEPS = [
  `
  CREATE TABLE bots (
    bot_key        INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    bot_user_id    TEXT NOT NULL,
    owner_user_id  TEXT NOT NULL,
    username       TEXT NOT NULL UNIQUE COLLATE NOCASE,
    display_name   TEXT NOT NULL,
    description    TEXT NOT NULL,
    token_hash     TEXT NOT NULL UNIQUE,
    webhook_url    TEXT,
    webhook_secret TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    disabled_at    INTEGER
  ) STRICT;
  CREATE INDEX bots_by_owner ON bots (owner_user_id, bot_key);

  CREATE TABLE channels (
    channel_key   INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    slug          TEXT NOT NULL UNIQUE,
    title         TEXT NOT NULL,
    description   TEXT NOT NULL,
    owner_user_id TEXT NOT NULL,
    created_at    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX channels_by_owner ON channels (owner_user_id, channel_key);

  CREATE TABLE attachments (
    channel_key INTEGER NOT NULL,
    bot_key     INTEGER NOT NULL,
    role        TEXT NOT NULL,
    attached_by TEXT NOT NULL,
    PRIMARY KEY (channel_key, bot_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attachments_by_bot ON attachments (bot_key, channel_key);

  -- payload is the event that every attached bot's update carries; the post is read back from it.
  -- Ids are made in the order of time, so one index serves both the order of a channel's posts and the search for one.
  CREATE TABLE posts (
    post_key    INTEGER PRIMARY KEY,
    id          TEXT NOT NULL,
    channel_key INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    payload     TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX posts_by_channel ON posts (channel_key, id);

  -- The log. state: 0 pending, 1 scheduled, 2 delivered, 3 failed.
  -- due_at stands only on what has been attempted and is to be attempted again (0: at once), so an update that is
  -- accepted the first time never touches an index: its whole life is one insert and one change of its row.
  CREATE TABLE updates (
    bot_key           INTEGER NOT NULL,
    update_id         INTEGER NOT NULL,
    post_key          INTEGER NOT NULL,
    state             INTEGER NOT NULL DEFAULT 0,
    attempt_count     INTEGER NOT NULL DEFAULT 0,
    failure_count     INTEGER NOT NULL DEFAULT 0,
    due_at            INTEGER,
    last_attempted_at INTEGER,
    delivered_at      INTEGER,
    last_error        TEXT,
    PRIMARY KEY (bot_key, update_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX updates_due_again ON updates (bot_key, due_at, update_id) WHERE due_at IS NOT NULL;
  CREATE INDEX updates_failing ON updates (bot_key, update_id) WHERE state IN (1, 3);
  CREATE INDEX updates_with_error ON updates (bot_key, update_id) WHERE last_error IS NOT NULL;

  -- One row a bot: the head of its log, its counters and its lane. Narrow, because every append rewrites it.
  -- is_open: a webhook is set and the bot is enabled. due_at: when there is something to send, null when there is not.
  -- next_fresh_id: every update below it has been attempted at least once.
  CREATE TABLE lanes (
    bot_key               INTEGER PRIMARY KEY,
    last_update_id        INTEGER NOT NULL DEFAULT 0,
    last_update_at        INTEGER,
    channel_count         INTEGER NOT NULL DEFAULT 0,
    scheduled_count       INTEGER NOT NULL DEFAULT 0,
    delivered_count       INTEGER NOT NULL DEFAULT 0,
    failed_count          INTEGER NOT NULL DEFAULT 0,
    last_attempted_at     INTEGER,
    last_delivered_at     INTEGER,
    last_error            TEXT NOT NULL DEFAULT '',
    is_open               INTEGER NOT NULL DEFAULT 0,
    due_at                INTEGER,
    next_fresh_id         INTEGER NOT NULL DEFAULT 1,
    window                INTEGER NOT NULL DEFAULT 0,
    failing_updates       INTEGER NOT NULL DEFAULT 0,
    last_failed_update_id INTEGER NOT NULL DEFAULT 0,
    failed_probes         INTEGER NOT NULL DEFAULT 0,
    resting_until         INTEGER NOT NULL DEFAULT 0,
    generation            INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL;

  -- Bots that are gone and whose logs are still being removed, step by step.
  CREATE TABLE removed_bots (bot_key INTEGER PRIMARY KEY) STRICT;

  -- Written by the readiness check, to know that writing works.
  CREATE TABLE pings (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
  `,
  `
  -- One for each state that is looked for: a list of few scheduled updates must not read many failed ones.
  DROP INDEX updates_failing;
  CREATE INDEX updates_scheduled ON updates (bot_key, update_id) WHERE state = 1;
  CREATE INDEX updates_failed ON updates (bot_key, update_id) WHERE state = 3;
  `,
  `
  -- What came of the attempts that failed, the last ones of each update. An attempt that was accepted has no row here.
  CREATE TABLE failed_attempts (
    bot_key       INTEGER NOT NULL,
    update_id     INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    attempted_at  INTEGER NOT NULL,
    duration_ms   INTEGER NOT NULL,
    status        INTEGER,
    error         TEXT NOT NULL,
    response_body TEXT NOT NULL,
    PRIMARY KEY (bot_key, update_id, attempt)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE lanes ADD COLUMN failing_since INTEGER;
  `,
  `
  -- lanes.is_open: a webhook is set and not paused, and the bot is enabled.
  ALTER TABLE bots ADD COLUMN webhook_paused_at INTEGER;
  `,
  `
  -- What the attempts of each bot came to, by the minute; a minute that is a whole hour's first becomes that hour when the
  -- others are folded into it. answer_times: counts by the buckets of domain/answer-times.ts, the first ones.
  CREATE TABLE timeline (
    bot_key      INTEGER NOT NULL,
    starts_at    INTEGER NOT NULL,
    delivered    INTEGER NOT NULL,
    retried      INTEGER NOT NULL,
    failed       INTEGER NOT NULL,
    answer_times TEXT NOT NULL,
    oldest_ms    INTEGER NOT NULL,
    backlog      INTEGER NOT NULL,
    PRIMARY KEY (bot_key, starts_at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timeline_minutes ON timeline (starts_at, bot_key) WHERE starts_at % 3600000 <> 0;
  CREATE INDEX timeline_hours ON timeline (starts_at, bot_key) WHERE starts_at % 3600000 = 0;
  `,
  `
  -- webhook_version: rises whenever the webhook gets another URL or is removed, last at webhook_changed_at. What was
  -- attempted and delivered until then is kept in the earlier_ columns; last_ speaks of the webhook that is set.
  -- webhook_through_id: updates up to this number had a webhook to go to, whatever is set now.
  -- requeue_from, requeue_below: scheduled updates in this range are pending; their rows are put back step by step.
  -- skipped_count: updates that expired without ever having had a webhook to go to.
  -- unused_count: numbers that no update has, passed over after a loss of data.
  ALTER TABLE lanes ADD COLUMN webhook_version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lanes ADD COLUMN webhook_changed_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lanes ADD COLUMN earlier_attempted_at INTEGER;
  ALTER TABLE lanes ADD COLUMN earlier_delivered_at INTEGER;
  ALTER TABLE lanes ADD COLUMN webhook_through_id INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lanes ADD COLUMN requeue_from INTEGER;
  ALTER TABLE lanes ADD COLUMN requeue_below INTEGER;
  ALTER TABLE lanes ADD COLUMN skipped_count INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lanes ADD COLUMN unused_count INTEGER NOT NULL DEFAULT 0;

  -- last_failed_at: when the last attempt that failed ended. It stays after a success, as last_error does.
  ALTER TABLE updates ADD COLUMN last_failed_at INTEGER;
  UPDATE updates INDEXED BY updates_with_error SET last_failed_at = coalesce(
    (SELECT max(a.attempted_at) FROM failed_attempts a
      WHERE a.bot_key = updates.bot_key AND a.update_id = updates.update_id),
    last_attempted_at)
  WHERE last_error IS NOT NULL;
  DROP INDEX updates_with_error;
  CREATE INDEX updates_by_failure ON updates (bot_key, last_failed_at, update_id) WHERE last_failed_at IS NOT NULL;
  `,
  `
  -- With which keys secrets are sealed: the first eight characters are the key's id.
  CREATE INDEX bots_by_sealing_key ON bots (substr(webhook_secret, 1, 8)) WHERE webhook_secret IS NOT NULL;

  -- The key files of the data folder that this database has been used with.
  CREATE TABLE key_files (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
  `
  -- Named positions in a bot's log. slot: 1 to 16, so that a bot has no more of them. done: numbers above the position that are
  -- handled too, ascending, with commas in between.
  CREATE TABLE consumers (
    bot_key        INTEGER NOT NULL,
    slot           INTEGER NOT NULL,
    name           TEXT NOT NULL COLLATE NOCASE,
    position       INTEGER NOT NULL,
    done           TEXT NOT NULL DEFAULT '',
    created_at     INTEGER NOT NULL,
    last_polled_at INTEGER,
    PRIMARY KEY (bot_key, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX consumers_by_name ON consumers (bot_key, name);
  `,
  `
  -- updates.state: 4 skipped, passed over when a webhook was set and never sent.
  -- lanes.skip_from, skip_below: undelivered updates below skip_below are still to be skipped, of those never attempted the ones
  -- from skip_from on. next_fresh_id: every update below it has been attempted, or is skipped.
  ALTER TABLE lanes ADD COLUMN skip_from INTEGER;
  ALTER TABLE lanes ADD COLUMN skip_below INTEGER;
  CREATE INDEX updates_skipped ON updates (bot_key, update_id) WHERE state = 4;
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
  { does: "makes the table of consumers" },
  { does: "lets a webhook pass over updates, with an index of those", reads: "updates" },
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

/**
 * Brings the database to the newest schema.
 *
 * @throws Error when the database is of a newer service than this one, or half copied
 */
export function migrate(db: Database, unfinishedCopy: UnfinishedCopy = "refused"): void {
  const progress = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'copy_progress'").get();
  refuseUnfinishedCopy(progress !== undefined, unfinishedCopy);
  const { user_version: done } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  if (done > STEPS.length) {
    throw new Error(
      `the database has schema ${done}, this service knows up to ${STEPS.length}: start a newer Botyard on it`,
    );
  }
  for (const [step, sql] of [...STEPS.entries()].slice(done)) {
    db.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${step + 1}; COMMIT`);
  }
}
