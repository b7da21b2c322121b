import type { OfflineStep } from "./schema-step.js";

/** The first steps of the schema, which ran while no instance served. They are released, and never edited. */
export const FIRST_STEPS: readonly OfflineStep[] = [
  `
  CREATE TABLE bots (
    bot_key        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id             uuid NOT NULL UNIQUE,
    bot_user_id    uuid NOT NULL,
    owner_user_id  text NOT NULL,
    username       text NOT NULL,
    display_name   text NOT NULL,
    description    text NOT NULL,
    token_hash     text NOT NULL UNIQUE,
    webhook_url    text,
    webhook_secret text,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    disabled_at    bigint
  );
  CREATE UNIQUE INDEX bots_by_username ON bots (lower(username));
  CREATE INDEX bots_by_owner ON bots (owner_user_id, bot_key);

  CREATE TABLE channels (
    channel_key   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            uuid NOT NULL UNIQUE,
    slug          text NOT NULL UNIQUE,
    title         text NOT NULL,
    description   text NOT NULL,
    owner_user_id text NOT NULL,
    created_at    bigint NOT NULL
  );
  CREATE INDEX channels_by_owner ON channels (owner_user_id, channel_key);

  CREATE TABLE attachments (
    channel_key bigint NOT NULL,
    bot_key     bigint NOT NULL,
    role        text NOT NULL,
    attached_by text NOT NULL,
    PRIMARY KEY (channel_key, bot_key)
  );
  CREATE INDEX attachments_by_bot ON attachments (bot_key, channel_key);

  -- payload is the event that every attached bot's update carries; the post is read back from it.
  -- Ids are made in the order of time, so one index serves both the order of a channel's posts and the search for one.
  CREATE TABLE posts (
    post_key    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          uuid NOT NULL,
    channel_key bigint NOT NULL,
    created_at  bigint NOT NULL,
    payload     text NOT NULL
  );
  CREATE UNIQUE INDEX posts_by_channel ON posts (channel_key, id);

  -- The log. No index speaks of a column that changes when an update is accepted the first time (is_failing, due_at and
  -- last_error stay as they are), so that change stays on its page (a HOT update): an update's whole life is one insert
  -- and one such change.
  -- pending: not delivered, not failing · scheduled: failing with due_at · failed: failing without · delivered: delivered_at.
  -- due_at stands only on what has been attempted and is to be attempted again (0: at once).
  CREATE TABLE updates (
    bot_key           bigint NOT NULL,
    update_id         bigint NOT NULL,
    post_key          bigint NOT NULL,
    attempt_count     integer NOT NULL DEFAULT 0,
    failure_count     integer NOT NULL DEFAULT 0,
    is_failing        boolean NOT NULL DEFAULT false,
    due_at            bigint,
    last_attempted_at bigint,
    delivered_at      bigint,
    last_error        text,
    PRIMARY KEY (bot_key, update_id)
  ) WITH (fillfactor = 70);
  CREATE INDEX updates_due_again ON updates (bot_key, due_at, update_id) WHERE due_at IS NOT NULL;
  CREATE INDEX updates_failing ON updates (bot_key, update_id) WHERE is_failing;
  CREATE INDEX updates_with_error ON updates (bot_key, update_id) WHERE last_error IS NOT NULL;

  -- One row a bot: the head of its log, its counters and its lane. Locking it is locking the bot's log.
  -- is_open: a webhook is set and the bot is enabled. due_at: when there is something to send, null when there is not.
  -- next_fresh_id: every update below it has been attempted at least once. holder, lease_until: who sends, and until when.
  CREATE TABLE lanes (
    bot_key               bigint PRIMARY KEY,
    last_update_id        bigint NOT NULL DEFAULT 0,
    last_update_at        bigint,
    channel_count         integer NOT NULL DEFAULT 0,
    scheduled_count       bigint NOT NULL DEFAULT 0,
    delivered_count       bigint NOT NULL DEFAULT 0,
    failed_count          bigint NOT NULL DEFAULT 0,
    last_attempted_at     bigint,
    last_delivered_at     bigint,
    last_error            text NOT NULL DEFAULT '',
    is_open               boolean NOT NULL DEFAULT false,
    due_at                bigint,
    holder                text,
    lease_until           bigint,
    next_fresh_id         bigint NOT NULL DEFAULT 1,
    send_window           integer NOT NULL DEFAULT 0,
    failing_updates       integer NOT NULL DEFAULT 0,
    last_failed_update_id bigint NOT NULL DEFAULT 0,
    failed_probes         integer NOT NULL DEFAULT 0,
    resting_until         bigint NOT NULL DEFAULT 0,
    generation            bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL AND holder IS NULL;
  CREATE INDEX lanes_leased ON lanes (lease_until) WHERE holder IS NOT NULL;

  -- Bots that are gone and whose logs are still being removed, step by step.
  CREATE TABLE removed_bots (bot_key bigint PRIMARY KEY);

  -- Written by the readiness check, to know that writing works.
  CREATE TABLE pings (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL);
  `,
  `
  -- One for each state that is looked for: a list of few scheduled updates must not read many failed ones.
  DROP INDEX updates_failing;
  CREATE INDEX updates_scheduled ON updates (bot_key, update_id) WHERE is_failing AND due_at IS NOT NULL;
  CREATE INDEX updates_failed ON updates (bot_key, update_id) WHERE is_failing AND due_at IS NULL;
  `,
  `
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
  ALTER TABLE lanes ADD COLUMN failing_since bigint;
  `,
  `
  -- lanes.is_open: a webhook is set and not paused, and the bot is enabled.
  ALTER TABLE bots ADD COLUMN webhook_paused_at bigint;
  `,
  `
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
  `,
];
