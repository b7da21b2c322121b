import { ALERTS } from "./alerts.js";
import { DELIVERIES } from "./deliveries.js";
import { EVENTS } from "./events.js";

/** Makes all tables of a new database. All times are in milliseconds since the epoch. */
export const FIRST_SCHEMA = `
  -- subscription: JSON; null without one. metadata: JSON, as the owner gave it.
  CREATE TABLE bots (
    bot_key           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                uuid NOT NULL UNIQUE,
    bot_user_id       uuid NOT NULL,
    owner_user_id     text NOT NULL,
    username          text NOT NULL,
    display_name      text NOT NULL,
    description       text NOT NULL,
    token_hash        text NOT NULL UNIQUE,
    created_at        bigint NOT NULL,
    updated_at        bigint NOT NULL,
    disabled_at       bigint,
    subscription      text,
    metadata          text
  );
  CREATE UNIQUE INDEX bots_by_username ON bots (lower(username));
  CREATE INDEX bots_by_owner ON bots (owner_user_id, bot_key);

  -- metadata: JSON, as the owner gave it. external_id: the owner's own id of the channel.
  CREATE TABLE channels (
    channel_key   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            uuid NOT NULL UNIQUE,
    slug          text NOT NULL UNIQUE,
    title         text NOT NULL,
    description   text NOT NULL,
    owner_user_id text NOT NULL,
    created_at    bigint NOT NULL,
    metadata      text,
    external_id   text
  );
  CREATE INDEX channels_by_owner ON channels (owner_user_id, channel_key);
  CREATE UNIQUE INDEX channels_by_external_id ON channels (owner_user_id, external_id) WHERE external_id IS NOT NULL;

  -- What a bot hears in a channel: post_filter, hears_custom and hears_others are derived from its subscription, as
  -- domain/events/subscription.ts describes. hears_others: whether it may hear other events than posts by its subscription,
  -- which is looked at only then: with a row for each kind, one call would change 40,000.
  CREATE TABLE attachments (
    channel_key  bigint NOT NULL,
    bot_key      bigint NOT NULL,
    role         text NOT NULL,
    attached_by  text NOT NULL,
    post_filter  integer NOT NULL DEFAULT 0,
    hears_custom boolean NOT NULL DEFAULT true,
    hears_others boolean NOT NULL DEFAULT true,
    PRIMARY KEY (channel_key, bot_key)
  );
  CREATE INDEX attachments_by_bot ON attachments (bot_key, channel_key);
  CREATE INDEX attachments_by_filter ON attachments (channel_key, post_filter, bot_key);
  CREATE INDEX attachments_hearing_custom ON attachments (channel_key, bot_key) WHERE hears_custom;
  CREATE INDEX attachments_hearing_others ON attachments (channel_key, bot_key) WHERE hears_others AND NOT hears_custom;

  ${EVENTS}

  -- The log: which event has which number. Written once; only retention and erasure remove rows.
  -- log_key: the bot_key of a lane. event_key: the event_key of the event.
  CREATE TABLE entries (
    log_key   bigint NOT NULL,
    number    bigint NOT NULL,
    event_key bigint NOT NULL,
    PRIMARY KEY (log_key, number)
  );

  ${DELIVERIES}

  -- What came of the attempts that failed, the last ones of each update. An attempt that was accepted has no row here.
  CREATE TABLE failed_attempts (
    destination_key bigint NOT NULL,
    number          bigint NOT NULL,
    attempt         integer NOT NULL,
    attempted_at    bigint NOT NULL,
    duration_ms     bigint NOT NULL,
    status          integer,
    error           text NOT NULL,
    response_body   text NOT NULL,
    PRIMARY KEY (destination_key, number, attempt)
  );

  -- One row a bot or partition of the feed: the head of its log, and what is claimed for a log with its destinations. Locking it is
  -- locking the log. An append writes nothing else but entries.
  -- unused_count: numbers that no update has, skipped after a loss of data; the last ones are gap_from to gap_through. incarnation: of the
  -- database when the log last grew.
  -- is_open: a webhook is set and not paused, and the bot is enabled. due_at: when there is something to send, null when there is
  -- not. holder, lease_until: who sends, and until when. target_age_ms: how long the holder may use a target after it has begun
  -- to read it. resting_until: of the destination, as the last release left it: an append makes the lane due no earlier.
  CREATE TABLE lanes (
    bot_key        bigint PRIMARY KEY,
    last_update_id bigint NOT NULL DEFAULT 0,
    last_update_at bigint,
    channel_count  integer NOT NULL DEFAULT 0,
    is_open        boolean NOT NULL DEFAULT false,
    due_at         bigint,
    holder         text,
    lease_until    bigint,
    resting_until  bigint NOT NULL DEFAULT 0,
    unused_count   bigint NOT NULL DEFAULT 0,
    target_age_ms  integer,
    incarnation    bigint NOT NULL DEFAULT 0,
    gap_from       bigint,
    gap_through    bigint
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL AND holder IS NULL;
  CREATE INDEX lanes_leased ON lanes (lease_until) WHERE holder IS NOT NULL;

  -- Where the entries of a log are sent, and how far that has come. The first destination of a log, 'default', has the key of its log, so
  -- that what was delivered before destinations had keys need not move, and the id of its bot. Keys of further ones come from the identity
  -- of bots, of which logs have theirs. owner_user_id: of the log.
  -- url: null while no webhook is set. secret: sealed; the first eight characters are the id of the key that sealed it.
  -- settings: how it is called, as far as that differs from the defaults: JSON of domain/delivery/webhook-settings.ts.
  -- paused_at: null while not paused. pause_reason: who or what has paused it; null also when an earlier version has.
  -- version: rises whenever it gets another URL or is removed, last at changed_at.
  -- through_number: updates up to this one had a webhook to go to, whatever is set now.
  -- next_fresh_number: every update below it has been attempted, or is skipped. round: rises by two whenever the webhook is set or
  -- removed, so that what is replayed has a number of its own. skip_through: waiting updates up to this number, of rounds before
  -- skip_round - 1, are still to be skipped. is_releasing: the order is no longer that of channels, and held updates are still to be
  -- released.
  -- skipped_count: updates that were skipped, or expired without ever having had a webhook to go to.
  -- What was attempted and delivered until changed_at is kept in the earlier_ columns; last_ speaks of the webhook that is set.
  -- failing_since, failures_in_row: since the last accepted attempt. last_failure_at: at the current webhook. told_failing: the feed
  -- was told that the webhook is failing, and not yet that it has recovered.
  -- send_window to resting_until are the state of domain/delivery/lane-health.ts. generation: rises when that starts over.
  CREATE TABLE destinations (
    destination_key       bigint PRIMARY KEY,
    log_key               bigint NOT NULL,
    name                  text NOT NULL DEFAULT 'default',
    url                   text,
    secret                text,
    paused_at             bigint,
    version               bigint NOT NULL DEFAULT 0,
    changed_at            bigint NOT NULL DEFAULT 0,
    through_number        bigint NOT NULL DEFAULT 0,
    next_fresh_number     bigint NOT NULL DEFAULT 1,
    round                 bigint NOT NULL DEFAULT 2,
    skip_through          bigint,
    skip_round            bigint,
    scheduled_count       bigint NOT NULL DEFAULT 0,
    delivered_count       bigint NOT NULL DEFAULT 0,
    failed_count          bigint NOT NULL DEFAULT 0,
    skipped_count         bigint NOT NULL DEFAULT 0,
    last_attempted_at     bigint,
    last_delivered_at     bigint,
    last_error            text NOT NULL DEFAULT '',
    earlier_attempted_at  bigint,
    earlier_delivered_at  bigint,
    failing_since         bigint,
    failures_in_row       integer,
    last_failure_at       bigint,
    told_failing          boolean,
    send_window           integer NOT NULL DEFAULT 0,
    failing_updates       integer NOT NULL DEFAULT 0,
    last_failed_update_id bigint NOT NULL DEFAULT 0,
    failed_probes         integer NOT NULL DEFAULT 0,
    resting_until         bigint NOT NULL DEFAULT 0,
    generation            bigint NOT NULL DEFAULT 0,
    settings              text,
    pause_reason          text,
    id                    uuid NOT NULL UNIQUE,
    owner_user_id         text NOT NULL,
    is_releasing          boolean NOT NULL DEFAULT false
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE UNIQUE INDEX destinations_by_name ON destinations (log_key, lower(name));
  CREATE INDEX destinations_further ON destinations (log_key) WHERE destination_key <> log_key;
  CREATE INDEX destinations_by_sealing_key ON destinations (left(secret, 8)) WHERE secret IS NOT NULL;

  -- What the attempts at each destination came to, by the minute; a minute that is a whole hour's first becomes that hour when the
  -- others are folded into it. answer_times: counts by the buckets of domain/delivery/answer-times.ts, the first ones.
  CREATE TABLE timeline (
    destination_key bigint NOT NULL,
    starts_at       bigint NOT NULL,
    delivered       integer NOT NULL,
    retried         integer NOT NULL,
    failed          integer NOT NULL,
    answer_times    integer[] NOT NULL,
    oldest_ms       bigint NOT NULL,
    backlog         bigint NOT NULL,
    PRIMARY KEY (destination_key, starts_at)
  ) WITH (fillfactor = 70);
  CREATE INDEX timeline_minutes ON timeline (starts_at, destination_key) WHERE starts_at % 3600000 <> 0;
  CREATE INDEX timeline_hours ON timeline (starts_at, destination_key) WHERE starts_at % 3600000 = 0;

  -- Named positions in a log. slot: 1 to 16, so that a log has no more of them. done: numbers above the position that are
  -- handled too, ascending. No index has a column that a move changes. reader: what the process calls itself that reads for it, and
  -- until when it is taken to; null before one has said so.
  CREATE TABLE consumers (
    bot_key        bigint NOT NULL,
    slot           integer NOT NULL,
    name           text NOT NULL,
    position       bigint NOT NULL,
    done           bigint[] NOT NULL DEFAULT '{}',
    created_at     bigint NOT NULL,
    last_polled_at bigint,
    reader         text,
    reader_until   bigint,
    PRIMARY KEY (bot_key, slot)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE UNIQUE INDEX consumers_by_name ON consumers (bot_key, lower(name));

  -- Updates that the program of a bot failed to handle and tries no more. handed_in_at: since then it is asked to handle it again.
  CREATE TABLE given_up (
    bot_key      bigint NOT NULL,
    update_id    bigint NOT NULL,
    consumer     text NOT NULL,
    error        text NOT NULL,
    given_up_at  bigint NOT NULL,
    handed_in_at bigint,
    PRIMARY KEY (bot_key, update_id, consumer)
  );

  ${ALERTS}
  -- The feed of the platform, once it has been switched on: at most one row. partitions: how many it has, 0 while it is off.
  -- Each has a lane, from first_key on, where bots have theirs, and an attachment in every channel that it hears.
  CREATE TABLE feed (
    id         integer PRIMARY KEY CHECK (id = 1),
    feed_id    text NOT NULL,
    first_key  bigint NOT NULL,
    partitions integer NOT NULL
  );

  -- What is left of deleted bots (their logs), channels (their posts) and posts (their edits) until it is erased, step by step.
  -- owner_user_id: whose it was, so that each owner's remains are erased by themselves. Empty for the feed's logs.
  CREATE TABLE removed_bots (bot_key bigint PRIMARY KEY, owner_user_id text NOT NULL DEFAULT '');
  CREATE INDEX removed_bots_by_owner ON removed_bots (owner_user_id, bot_key);
  CREATE TABLE removed_channels (channel_key bigint PRIMARY KEY, owner_user_id text NOT NULL DEFAULT '');
  CREATE INDEX removed_channels_by_owner ON removed_channels (owner_user_id, channel_key);
  CREATE TABLE erased_posts (event_key bigint PRIMARY KEY, owner_user_id text NOT NULL DEFAULT '');
  CREATE INDEX erased_posts_by_owner ON erased_posts (owner_user_id, event_key);

  -- How far the removal of events has got. kind 'events': of what no channel lists; 'posts': of what channels list, never
  -- ahead of the other. No log points at an event up to event_key, nor will.
  CREATE TABLE sweeps (kind text PRIMARY KEY, event_key bigint NOT NULL) WITH (fillfactor = 50);

  -- Keys between which the order of logs is known: see sweep-marks.ts.
  CREATE TABLE sweep_marks (
    head         bigint PRIMARY KEY,
    made_at      bigint NOT NULL,
    writers      text[] NOT NULL,
    settled_head bigint
  );

  -- Who does the upkeep of this database: one row.
  CREATE TABLE upkeep (
    id          integer PRIMARY KEY CHECK (id = 1),
    holder      text NOT NULL,
    lease_until bigint NOT NULL
  ) WITH (fillfactor = 50);

  -- The key files of a data folder that this database has been used with.
  CREATE TABLE key_files (name text PRIMARY KEY);

  -- Written by the readiness check, to know that writing works.
  CREATE TABLE pings (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL);

  -- At most one row: while it is there, services that start on this database send nothing to webhooks.
  CREATE TABLE deliveries_off (id integer PRIMARY KEY CHECK (id = 1));

  -- One row. first_timeline: when it was made. restores: how often the storage was found to be set back.
  CREATE TABLE incarnation (
    id             integer PRIMARY KEY CHECK (id = 1),
    first_timeline bigint NOT NULL,
    restores       bigint NOT NULL
  );
`;
