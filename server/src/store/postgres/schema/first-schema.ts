import { DESTINATIONS } from "./destinations.js";

/** The log, and what came of sending it. A database of an earlier schema gets these two tables as well. */
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

  -- Every event that logs point at, named after the first kind.
  -- channel_key: for a post its channel, which lists it. For another event of a channel, and for a post that was deleted, the
  -- same negated: a list of its own in posts_by_channel. 0: of no channel, or of one that is gone.
  -- payload: the event that every update of it carries; a post is read back from it. event_type: null for a post.
  -- author_key: the bot that published the post or caused the event; null without one.
  -- subject_key: the post that was edited; negated, the bot or the partition of the feed that an event is for.
  -- owner_user_id: of an event that names its owner and belongs to no channel. Null for all others.
  -- acted_by: who did it, 1 the owner, 2 a bot, 3 the platform for the owner. Null if the service tells of itself, and for the
  -- oldest. cause: what the request that caused the event said of itself: see domain/events/cause.ts. Null when that was nothing.
  CREATE TABLE posts (
    post_key      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            uuid NOT NULL,
    channel_key   bigint NOT NULL,
    created_at    bigint NOT NULL,
    payload       text NOT NULL,
    event_type    text,
    author_key    bigint,
    subject_key   bigint,
    owner_user_id text,
    acted_by      smallint,
    cause         text
  );
  -- Ids are made in the order of time, so one index serves both the order of a channel's posts and the search for one.
  CREATE UNIQUE INDEX posts_by_channel ON posts (channel_key, id);
  CREATE INDEX posts_by_subject ON posts (subject_key, post_key) WHERE subject_key IS NOT NULL;
  CREATE INDEX posts_by_owner ON posts (owner_user_id, post_key) WHERE owner_user_id IS NOT NULL;

  -- The newest revision of each post that was edited, as the payload of a post. posts keeps the first one.
  CREATE TABLE edited_posts (
    post_key  bigint PRIMARY KEY,
    revision  integer NOT NULL,
    edited_at bigint NOT NULL,
    payload   text NOT NULL
  ) WITH (fillfactor = 50);

  -- target_key: the channel; for an event to one bot, the bot's key negated. author: 'bot' or 'owner' of
  -- a post, 'emitter' of an event, and which.
  CREATE TABLE idempotency_keys (
    target_key bigint NOT NULL,
    author     text NOT NULL,
    key        text NOT NULL,
    event_id   uuid NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (target_key, author, key)
  );
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

  ${LOG_TABLES}
  -- What came of the attempts that failed, the last ones of each update. An attempt that was accepted has no row here.
  CREATE TABLE failed_attempts (
    bot_key       bigint NOT NULL,
    update_id     bigint NOT NULL,
    attempt       integer NOT NULL,
    attempted_at  bigint NOT NULL,
    duration_ms   bigint NOT NULL,
    status        integer,
    error         text NOT NULL,
    response_body text NOT NULL,
    PRIMARY KEY (bot_key, update_id, attempt)
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

  ${DESTINATIONS}

  -- What the attempts of each bot came to, by the minute; a minute that is a whole hour's first becomes that hour when the
  -- others are folded into it. answer_times: counts by the buckets of domain/delivery/answer-times.ts, the first ones.
  CREATE TABLE timeline (
    bot_key      bigint NOT NULL,
    starts_at    bigint NOT NULL,
    delivered    integer NOT NULL,
    retried      integer NOT NULL,
    failed       integer NOT NULL,
    answer_times integer[] NOT NULL,
    oldest_ms    bigint NOT NULL,
    backlog      bigint NOT NULL,
    PRIMARY KEY (bot_key, starts_at)
  ) WITH (fillfactor = 70);
  CREATE INDEX timeline_minutes ON timeline (starts_at, bot_key) WHERE starts_at % 3600000 <> 0;
  CREATE INDEX timeline_hours ON timeline (starts_at, bot_key) WHERE starts_at % 3600000 = 0;

  -- Named positions in a log. slot: 1 to 16, so that a log has no more of them. done: numbers above the position that are
  -- handled too, ascending. No index has a column that a move changes.
  CREATE TABLE consumers (
    bot_key        bigint NOT NULL,
    slot           integer NOT NULL,
    name           text NOT NULL,
    position       bigint NOT NULL,
    done           bigint[] NOT NULL DEFAULT '{}',
    created_at     bigint NOT NULL,
    last_polled_at bigint,
    PRIMARY KEY (bot_key, slot)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE UNIQUE INDEX consumers_by_name ON consumers (bot_key, lower(name));

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
  CREATE TABLE erased_posts (post_key bigint PRIMARY KEY, owner_user_id text NOT NULL DEFAULT '');
  CREATE INDEX erased_posts_by_owner ON erased_posts (owner_user_id, post_key);

  -- How far the removal of events has got. kind 'events': of what no channel lists; 'posts': of what channels list, never
  -- ahead of the other. No log points at an event up to post_key, nor will.
  CREATE TABLE sweeps (kind text PRIMARY KEY, post_key bigint NOT NULL) WITH (fillfactor = 50);

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
  ${DELIVERIES_OFF}
  ${INCARNATION}
`;
