/** The first steps of the schema, in the order in which they lead to it. They are released, and never edited. */
export const FIRST_STEPS: readonly string[] = [
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
  -- others are folded into it. answer_times: counts by the buckets of domain/delivery/answer-times.ts, the first ones.
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
];
