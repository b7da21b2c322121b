import { FIRST_FEED_KEY } from "../../feed-store.js";
import type { SchemaStep } from "./schema-step.js";

/** The steps after the first ones, up to the one that made entries and deliveries. They are released, and never edited. */
export const EARLIER_STEPS: readonly SchemaStep[] = [
  {
    change: `
      -- webhook_version: rises whenever the webhook gets another URL or is removed, last at webhook_changed_at. What was
      -- attempted and delivered until then is kept in the earlier_ columns; last_ speaks of the webhook that is set.
      -- webhook_through_id: updates up to this number had a webhook to go to, whatever is set now.
      -- requeue_from, requeue_below: scheduled updates in this range are pending; their rows are put back step by step.
      -- skipped_count: updates that expired without ever having had a webhook to go to.
      -- unused_count: numbers that no update has, passed over after a loss of data.
      ALTER TABLE lanes
        ADD COLUMN webhook_version bigint NOT NULL DEFAULT 0,
        ADD COLUMN webhook_changed_at bigint NOT NULL DEFAULT 0,
        ADD COLUMN earlier_attempted_at bigint,
        ADD COLUMN earlier_delivered_at bigint,
        ADD COLUMN webhook_through_id bigint NOT NULL DEFAULT 0,
        ADD COLUMN requeue_from bigint,
        ADD COLUMN requeue_below bigint,
        ADD COLUMN skipped_count bigint NOT NULL DEFAULT 0,
        ADD COLUMN unused_count bigint NOT NULL DEFAULT 0;`,
  },
  {
    change: `
      -- last_failed_at: when the last attempt that failed ended. It stays after a success, as last_error does.
      ALTER TABLE updates ADD COLUMN last_failed_at bigint;`,
  },
  {
    // Failures without this time. The release before uses updates_with_error; the release after this one removes both
    // indexes.
    createIndex: "updates_to_stamp",
    on: "updates (bot_key, update_id) WHERE last_error IS NOT NULL AND last_failed_at IS NULL",
  },
  {
    createIndex: "updates_by_failure",
    on: "updates (bot_key, last_failed_at, update_id) WHERE last_failed_at IS NOT NULL",
  },
  {
    // The time of the last failed attempt that is kept.
    backfill: `
      WITH unstamped AS (
        SELECT bot_key, update_id FROM updates WHERE last_error IS NOT NULL AND last_failed_at IS NULL
        ORDER BY bot_key, update_id LIMIT 1000 FOR UPDATE SKIP LOCKED)
      UPDATE updates u SET last_failed_at = coalesce(
        (SELECT max(a.attempted_at) FROM failed_attempts a WHERE a.bot_key = u.bot_key AND a.update_id = u.update_id),
        u.last_attempted_at, 0)
      FROM unstamped n WHERE u.bot_key = n.bot_key AND u.update_id = n.update_id`,
  },
  {
    // Finds the keys that sealed secrets: the first eight characters of a secret are its key's id.
    createIndex: "bots_by_sealing_key",
    on: "bots (left(webhook_secret, 8)) WHERE webhook_secret IS NOT NULL",
  },
  {
    change: `
      -- The key files of a data folder that this database has been used with.
      CREATE TABLE key_files (name text PRIMARY KEY);`,
  },
  {
    change: `
      -- posts: every event that logs point at. Posts were the first kind and gave it its name, which the release before uses.
      -- event_type: null for a post.
      -- channel_key: for a post its channel, which lists it. For another event of a channel, and for a post that was deleted,
      -- the same negated: a list of its own in posts_by_channel. 0: of no channel, or of one that is gone.
      -- author_key: the bot that published the post; null for an owner, and for posts made before.
      -- subject_key: the post that was edited; negated, the bot that a custom event is for.
      ALTER TABLE posts
        ADD COLUMN event_type text,
        ADD COLUMN author_key bigint,
        ADD COLUMN subject_key bigint;`,
  },
  {
    createIndex: "posts_by_subject",
    on: "posts (subject_key, post_key) WHERE subject_key IS NOT NULL",
  },
  {
    change: `
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

      -- What bots with a subscription hear beside posts, in each channel. A row without its attachment counts for nothing: the
      -- release before detaches without removing it.
      CREATE TABLE event_listeners (
        channel_key bigint NOT NULL,
        pattern     text NOT NULL,
        bot_key     bigint NOT NULL,
        PRIMARY KEY (channel_key, pattern, bot_key)
      );
      CREATE INDEX event_listeners_by_bot ON event_listeners (bot_key, channel_key);

      -- Deleted posts whose edits, and deleted channels whose posts, are still being erased, step by step.
      CREATE TABLE erased_posts (post_key bigint PRIMARY KEY);
      CREATE TABLE removed_channels (channel_key bigint PRIMARY KEY);`,
  },
  {
    change: `
      -- subscription: JSON. What each attachment keeps of it is described in domain/events/subscription.ts.
      ALTER TABLE bots ADD COLUMN subscription text;`,
  },
  {
    change: `
      ALTER TABLE attachments
        ADD COLUMN post_filter integer NOT NULL DEFAULT 0,
        ADD COLUMN hears_custom boolean NOT NULL DEFAULT true;`,
  },
  { createIndex: "attachments_by_filter", on: "attachments (channel_key, post_filter, bot_key)" },
  {
    createIndex: "attachments_hearing_custom",
    on: "attachments (channel_key, bot_key) WHERE hears_custom",
  },
  {
    change: `
      -- Named positions in a bot's log. slot: 1 to 16, so that a bot has no more of them. done: numbers above the position that
      -- are handled too, ascending. No index has a column that a move changes.
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
      CREATE UNIQUE INDEX consumers_by_name ON consumers (bot_key, lower(name));`,
  },
  {
    change: `
      -- skip_from, skip_below: undelivered updates below skip_below are still to be skipped, of those never attempted the ones
      -- from skip_from on. next_fresh_id: every update below it has been attempted, or is skipped.
      ALTER TABLE lanes
        ADD COLUMN skip_from bigint,
        ADD COLUMN skip_below bigint;`,
  },
  {
    change: `
      -- is_skipped: passed over when a webhook was set, and never sent. Such an update is not failing and has no due_at.
      ALTER TABLE updates ADD COLUMN is_skipped boolean NOT NULL DEFAULT false;`,
  },
  { createIndex: "updates_skipped", on: "updates (bot_key, update_id) WHERE is_skipped" },
  {
    change: `
      -- How far the removal of events has got. kind 'events': of what no channel lists; 'posts': of what channels list, never
      -- ahead of the other. No log points at an event up to post_key, nor will.
      CREATE TABLE sweeps (kind text PRIMARY KEY, post_key bigint NOT NULL) WITH (fillfactor = 50);

      -- Keys between which the order of logs is known: see sweep-marks.ts.
      CREATE TABLE sweep_marks (
        head         bigint PRIMARY KEY,
        made_at      bigint NOT NULL,
        writers      text[] NOT NULL,
        settled_head bigint
      );`,
  },
  {
    change: `
      -- metadata: JSON, as the owner gave it.
      ALTER TABLE bots ADD COLUMN metadata text;`,
  },
  {
    change: `
      ALTER TABLE channels ADD COLUMN metadata text, ADD COLUMN external_id text;`,
  },
  {
    createIndex: "channels_by_external_id",
    on: "channels (owner_user_id, external_id) WHERE external_id IS NOT NULL",
    isUnique: true,
  },
  {
    change: `
      -- The feed of the platform, once it has been switched on: at most one row. partitions: how many it has, 0 while it is off.
      -- Each has a lane, from first_key on, where bots have theirs, and an attachment in every channel that it hears.
      CREATE TABLE feed (
        id         integer PRIMARY KEY CHECK (id = 1),
        feed_id    text NOT NULL,
        first_key  bigint NOT NULL,
        partitions integer NOT NULL
      );`,
  },
  {
    change: `
      -- target_age_ms: how long the holder may use a target after it has begun to read it.
      ALTER TABLE lanes ADD COLUMN target_age_ms integer;`,
  },
  {
    change: `
      -- failures_in_row: since the last accepted attempt. last_failure_at: at the current webhook. told_failing: the feed was told that
      -- the webhook is failing, and not yet that it has recovered.
      ALTER TABLE lanes ADD COLUMN failures_in_row integer, ADD COLUMN last_failure_at bigint, ADD COLUMN told_failing boolean;`,
  },
  // owner_user_id: whose it was, so that each owner's remains are erased by themselves. Empty for the feed's logs, and
  // for what the release before deletes.
  { change: "ALTER TABLE removed_bots ADD COLUMN owner_user_id text NOT NULL DEFAULT '';" },
  { createIndex: "removed_bots_by_owner", on: "removed_bots (owner_user_id, bot_key)" },
  { change: "ALTER TABLE removed_channels ADD COLUMN owner_user_id text NOT NULL DEFAULT '';" },
  { createIndex: "removed_channels_by_owner", on: "removed_channels (owner_user_id, channel_key)" },
  { change: "ALTER TABLE erased_posts ADD COLUMN owner_user_id text NOT NULL DEFAULT '';" },
  { createIndex: "erased_posts_by_owner", on: "erased_posts (owner_user_id, post_key)" },
  {
    change: `
      -- owner_user_id: of an event that names its owner and belongs to no channel. Null for all others.
      ALTER TABLE posts ADD COLUMN owner_user_id text;`,
  },
  { createIndex: "posts_by_owner", on: "posts (owner_user_id, post_key) WHERE owner_user_id IS NOT NULL" },
  {
    createIndex: "posts_without_owner",
    on: `posts (post_key) WHERE subject_key <= -${FIRST_FEED_KEY} AND owner_user_id IS NULL`,
  },
  {
    backfill: `
      UPDATE posts SET owner_user_id = coalesce(payload::json ->> 'owner_user_id', '')
      WHERE post_key = ANY (ARRAY(
        SELECT post_key FROM posts WHERE subject_key <= -${FIRST_FEED_KEY} AND owner_user_id IS NULL
        ORDER BY post_key LIMIT 1000))`,
  },
  { dropIndex: "posts_without_owner" },
  {
    change: `
      -- hears_others: whether the bot may hear other events than posts by its subscription, which is looked at only then. What a
      -- bot hears was a row of event_listeners for each channel and kind, and 40,000 rows had to change for one call.
      ALTER TABLE attachments ADD COLUMN hears_others boolean NOT NULL DEFAULT true;`,
  },
  {
    createIndex: "attachments_hearing_others",
    on: "attachments (channel_key, bot_key) WHERE hears_others AND NOT hears_custom",
  },
  // acted_by: who did it, 1 the owner, 2 a bot, 3 the platform for the owner; which bot is in author_key. Null for what came
  // before, and for what the service tells of itself.
  { change: "ALTER TABLE posts ADD COLUMN acted_by smallint;" },
  {
    change: `
      -- Who does the upkeep of this database: one row.
      CREATE TABLE upkeep (
        id          integer PRIMARY KEY CHECK (id = 1),
        holder      text NOT NULL,
        lease_until bigint NOT NULL
      ) WITH (fillfactor = 50);`,
  },
];
