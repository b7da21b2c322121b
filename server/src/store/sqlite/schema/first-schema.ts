import { ALERTS } from "./alerts.js";
import { DELIVERIES } from "./deliveries.js";

/** Where the entries of logs are sent. */
export const DESTINATIONS = `
  -- Where the entries of a log are sent, and how far that has come. The first destination of a log, 'default', has the key of its log, so
  -- that what was delivered before destinations had keys need not move, and the id of its bot. Keys of further ones come from the sequence
  -- of bots, of which logs have theirs. owner_user_id: of the log.
  -- url: null while no webhook is set. secret: sealed; the first eight characters are the id of the key that sealed it.
  -- settings: how it is called, as far as that differs from the defaults: JSON of domain/delivery/webhook-settings.ts.
  -- paused_at: null while not paused. pause_reason: who or what has paused it; null also when an earlier version has.
  -- version: rises whenever it gets another URL or is removed, last at changed_at.
  -- through_number: updates up to this one had a webhook to go to, whatever is set now.
  -- next_fresh_number: every update below it has been attempted, or is skipped. round: rises by two whenever the webhook is set or
  -- removed, so that what is replayed has a number of its own. skip_through: waiting updates up to this number, of rounds before
  -- skip_round - 1, are still to be skipped. is_releasing: the order is no longer that of channels, and held updates are still to be released.
  -- skipped_count: updates that were skipped, or expired without ever having had a webhook to go to.
  -- What was attempted and delivered until changed_at is kept in the earlier_ columns; last_ speaks of the webhook that is set.
  -- failing_since, failures_in_row: since the last accepted attempt. last_failure_at: at the current webhook. told_failing: the feed
  -- was told that the webhook is failing, and not yet that it has recovered.
  -- window to resting_until are the state of domain/delivery/lane-health.ts. generation: rises when that starts over.
  CREATE TABLE destinations (
    destination_key       INTEGER PRIMARY KEY,
    log_key               INTEGER NOT NULL,
    name                  TEXT NOT NULL COLLATE NOCASE DEFAULT 'default',
    url                   TEXT,
    secret                TEXT,
    paused_at             INTEGER,
    version               INTEGER NOT NULL DEFAULT 0,
    changed_at            INTEGER NOT NULL DEFAULT 0,
    through_number        INTEGER NOT NULL DEFAULT 0,
    next_fresh_number     INTEGER NOT NULL DEFAULT 1,
    round                 INTEGER NOT NULL DEFAULT 2,
    skip_through          INTEGER,
    skip_round            INTEGER,
    scheduled_count       INTEGER NOT NULL DEFAULT 0,
    delivered_count       INTEGER NOT NULL DEFAULT 0,
    failed_count          INTEGER NOT NULL DEFAULT 0,
    skipped_count         INTEGER NOT NULL DEFAULT 0,
    last_attempted_at     INTEGER,
    last_delivered_at     INTEGER,
    last_error            TEXT NOT NULL DEFAULT '',
    earlier_attempted_at  INTEGER,
    earlier_delivered_at  INTEGER,
    failing_since         INTEGER,
    failures_in_row       INTEGER,
    last_failure_at       INTEGER,
    told_failing          INTEGER,
    window                INTEGER NOT NULL DEFAULT 0,
    failing_updates       INTEGER NOT NULL DEFAULT 0,
    last_failed_update_id INTEGER NOT NULL DEFAULT 0,
    failed_probes         INTEGER NOT NULL DEFAULT 0,
    resting_until         INTEGER NOT NULL DEFAULT 0,
    generation            INTEGER NOT NULL DEFAULT 0,
    settings              TEXT,
    pause_reason          TEXT,
    id                    TEXT NOT NULL UNIQUE,
    owner_user_id         TEXT NOT NULL,
    is_releasing          INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX destinations_by_name ON destinations (log_key, name);
  CREATE INDEX destinations_further ON destinations (log_key) WHERE destination_key <> log_key;
  CREATE INDEX destinations_by_sealing_key ON destinations (substr(secret, 1, 8)) WHERE secret IS NOT NULL;
`;

/** Makes all tables of a new database. All times are in milliseconds since the epoch. */
export const FIRST_SCHEMA = `
  -- subscription: JSON; null without one. metadata: JSON, as the owner gave it.
  CREATE TABLE bots (
    bot_key           INTEGER PRIMARY KEY AUTOINCREMENT,
    id                TEXT NOT NULL UNIQUE,
    bot_user_id       TEXT NOT NULL,
    owner_user_id     TEXT NOT NULL,
    username          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    display_name      TEXT NOT NULL,
    description       TEXT NOT NULL,
    token_hash        TEXT NOT NULL UNIQUE,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    disabled_at       INTEGER,
    subscription      TEXT,
    metadata          TEXT
  ) STRICT;
  CREATE INDEX bots_by_owner ON bots (owner_user_id, bot_key);

  -- metadata: JSON, as the owner gave it. external_id: the owner's own id of the channel.
  CREATE TABLE channels (
    channel_key   INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    slug          TEXT NOT NULL UNIQUE,
    title         TEXT NOT NULL,
    description   TEXT NOT NULL,
    owner_user_id TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    metadata      TEXT,
    external_id   TEXT
  ) STRICT;
  CREATE INDEX channels_by_owner ON channels (owner_user_id, channel_key);
  CREATE UNIQUE INDEX channels_by_external_id ON channels (owner_user_id, external_id) WHERE external_id IS NOT NULL;

  -- What a bot hears in a channel: post_filter, hears_custom and hears_others are derived from its subscription, as
  -- domain/events/subscription.ts describes. hears_others: whether it may hear other events than posts by its subscription, which is
  -- looked at only then: with a row for each kind, one call would change 40,000.
  CREATE TABLE attachments (
    channel_key  INTEGER NOT NULL,
    bot_key      INTEGER NOT NULL,
    role         TEXT NOT NULL,
    attached_by  TEXT NOT NULL,
    post_filter  INTEGER NOT NULL DEFAULT 0,
    hears_custom INTEGER NOT NULL DEFAULT 1,
    hears_others INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (channel_key, bot_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attachments_by_bot ON attachments (bot_key, channel_key);
  CREATE INDEX attachments_by_filter ON attachments (channel_key, post_filter, bot_key);
  CREATE INDEX attachments_hearing_custom ON attachments (channel_key, bot_key) WHERE hears_custom = 1;
  CREATE INDEX attachments_hearing_others ON attachments (channel_key, bot_key) WHERE hears_others = 1 AND hears_custom = 0;

  -- What happened, once each, whatever its kind; entries of logs point at it.
  -- channel_key: where it happened; 0 in no channel, or in one that is gone. is_listed: whether the channel lists it, which it does with posts
  -- until they are deleted.
  -- payload: the event that every update of it carries; a post is read back from it. event_type: null for a post.
  -- author_key: the bot that published the post or caused the event; null without one.
  -- subject_key: the post that was edited; negated, the bot or the partition of the feed that an event is for.
  -- owner_user_id: of an event that names its owner and belongs to no channel. Null for all others.
  -- acted_by: who did it, 1 the owner, 2 a bot, 3 the platform for the owner. Negated for a post that was imported.
  -- Null if the service tells of itself, and for the oldest.
  -- cause: what the request that caused the event said of itself: see domain/events/cause.ts. Null when that was nothing.
  CREATE TABLE events (
    event_key     INTEGER PRIMARY KEY,
    id            TEXT NOT NULL,
    channel_key   INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    payload       TEXT NOT NULL,
    event_type    TEXT,
    author_key    INTEGER,
    subject_key   INTEGER,
    owner_user_id TEXT,
    acted_by      INTEGER,
    cause         TEXT,
    is_listed     INTEGER NOT NULL DEFAULT 1
  ) STRICT;
  -- Ids are made in the order of time, so one index serves both the order of a channel's posts and the search for one.
  CREATE UNIQUE INDEX events_by_channel ON events (channel_key, is_listed, id);
  CREATE INDEX events_by_subject ON events (subject_key, event_key) WHERE subject_key IS NOT NULL;
  CREATE INDEX events_by_owner ON events (owner_user_id, event_key) WHERE owner_user_id IS NOT NULL;

  -- The newest revision of each post that was edited, as the payload of a post. events keeps the first one.
  CREATE TABLE edited_posts (
    event_key INTEGER PRIMARY KEY,
    revision  INTEGER NOT NULL,
    edited_at INTEGER NOT NULL,
    payload   TEXT NOT NULL
  ) STRICT;

  -- target_key: the channel; for an event to one bot, the bot's key negated. author: 'bot' or 'owner' of
  -- a post, 'emitter' of an event, and which.
  CREATE TABLE idempotency_keys (
    target_key INTEGER NOT NULL,
    author     TEXT NOT NULL,
    key        TEXT NOT NULL,
    event_id   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (target_key, author, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

  -- The log: which event has which number. Written once; only retention and erasure remove rows.
  -- log_key: the bot_key of a lane. event_key: the event_key of the event.
  CREATE TABLE entries (
    log_key   INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    event_key INTEGER NOT NULL,
    PRIMARY KEY (log_key, number)
  ) STRICT, WITHOUT ROWID;

  ${DELIVERIES}

  -- What came of the attempts that failed, the last ones of each update. An attempt that was accepted has no row here.
  CREATE TABLE failed_attempts (
    destination_key INTEGER NOT NULL,
    number          INTEGER NOT NULL,
    attempt         INTEGER NOT NULL,
    attempted_at    INTEGER NOT NULL,
    duration_ms     INTEGER NOT NULL,
    status          INTEGER,
    error           TEXT NOT NULL,
    response_body   TEXT NOT NULL,
    PRIMARY KEY (destination_key, number, attempt)
  ) STRICT, WITHOUT ROWID;

  -- One row a bot or partition of the feed: the head of its log, and what is claimed for a log with its destinations. Narrow, because
  -- every append rewrites it; nothing else is written by one.
  -- unused_count: numbers that no update has, skipped after a loss of data; the last ones are gap_from to gap_through.
  -- is_open: a webhook is set and not paused, and the bot is enabled. due_at: when there is something to send, null when there is not.
  -- resting_until: of the destination, as the last release left it: an append makes the lane due no earlier.
  CREATE TABLE lanes (
    bot_key        INTEGER PRIMARY KEY,
    last_update_id INTEGER NOT NULL DEFAULT 0,
    last_update_at INTEGER,
    channel_count  INTEGER NOT NULL DEFAULT 0,
    unused_count   INTEGER NOT NULL DEFAULT 0,
    gap_from       INTEGER,
    gap_through    INTEGER,
    is_open        INTEGER NOT NULL DEFAULT 0,
    due_at         INTEGER,
    resting_until  INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL;

  ${DESTINATIONS}

  -- What the attempts at each destination came to, by the minute; a minute that is a whole hour's first becomes that hour when the
  -- others are folded into it. answer_times: counts by the buckets of domain/delivery/answer-times.ts, the first ones.
  CREATE TABLE timeline (
    destination_key INTEGER NOT NULL,
    starts_at       INTEGER NOT NULL,
    delivered       INTEGER NOT NULL,
    retried         INTEGER NOT NULL,
    failed          INTEGER NOT NULL,
    answer_times    TEXT NOT NULL,
    oldest_ms       INTEGER NOT NULL,
    backlog         INTEGER NOT NULL,
    PRIMARY KEY (destination_key, starts_at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timeline_minutes ON timeline (starts_at, destination_key) WHERE starts_at % 3600000 <> 0;
  CREATE INDEX timeline_hours ON timeline (starts_at, destination_key) WHERE starts_at % 3600000 = 0;

  -- Named positions in a log. slot: 1 to 16, so that a log has no more of them. done: numbers above the position that are
  -- handled too, ascending, with commas in between. reader: what the process calls itself that reads for it, and until when it is taken
  -- to; null before one has said so.
  CREATE TABLE consumers (
    bot_key        INTEGER NOT NULL,
    slot           INTEGER NOT NULL,
    name           TEXT NOT NULL COLLATE NOCASE,
    position       INTEGER NOT NULL,
    done           TEXT NOT NULL DEFAULT '',
    created_at     INTEGER NOT NULL,
    last_polled_at INTEGER,
    reader         TEXT,
    reader_until   INTEGER,
    PRIMARY KEY (bot_key, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX consumers_by_name ON consumers (bot_key, name);

  -- Updates that the program of a bot failed to handle and tries no more. handed_in_at: since then it is asked to handle it again.
  CREATE TABLE given_up (
    bot_key      INTEGER NOT NULL,
    update_id    INTEGER NOT NULL,
    consumer     TEXT NOT NULL,
    error        TEXT NOT NULL,
    given_up_at  INTEGER NOT NULL,
    handed_in_at INTEGER,
    PRIMARY KEY (bot_key, update_id, consumer)
  ) STRICT, WITHOUT ROWID;

  ${ALERTS}
  -- The feed of the platform, once it has been switched on: at most one row. partitions: how many it has, 0 while it is off.
  -- Each has a lane, from first_key on, where bots have theirs, and an attachment in every channel that it hears.
  CREATE TABLE feed (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    feed_id    TEXT NOT NULL,
    first_key  INTEGER NOT NULL,
    partitions INTEGER NOT NULL
  ) STRICT;

  -- What is left of deleted bots (their logs), channels (their posts) and posts (their edits) until it is erased, step by step.
  -- owner_user_id: whose it was, so that each owner's remains are erased by themselves. Empty for the feed's logs.
  CREATE TABLE removed_bots (bot_key INTEGER PRIMARY KEY, owner_user_id TEXT NOT NULL DEFAULT '') STRICT;
  CREATE INDEX removed_bots_by_owner ON removed_bots (owner_user_id, bot_key);
  CREATE TABLE removed_channels (channel_key INTEGER PRIMARY KEY, owner_user_id TEXT NOT NULL DEFAULT '') STRICT;
  CREATE INDEX removed_channels_by_owner ON removed_channels (owner_user_id, channel_key);
  CREATE TABLE erased_posts (event_key INTEGER PRIMARY KEY, owner_user_id TEXT NOT NULL DEFAULT '') STRICT;
  CREATE INDEX erased_posts_by_owner ON erased_posts (owner_user_id, event_key);

  -- How far the removal of events has got. kind 'events': of what no channel lists; 'posts': of what channels list, never
  -- ahead of the other. No log points at an event up to event_key, nor will.
  CREATE TABLE sweeps (kind TEXT PRIMARY KEY, event_key INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- At most one row: while it is there, services that start on this database send nothing to webhooks.
  CREATE TABLE deliveries_off (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;

  -- The key files of the data folder that this database has been used with.
  CREATE TABLE key_files (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  -- Written by the readiness check, to know that writing works.
  CREATE TABLE pings (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
`;
