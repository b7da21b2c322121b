import { FIRST_FEED_KEY } from "../../feed-store.js";

/** The steps after the first ones, up to the one that made entries and deliveries. They are released, and never edited. */
export const EARLIER_STEPS: readonly string[] = [
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
  -- posts: every event that logs point at. Posts were the first kind and gave it its name, which the release before uses.
  -- event_type: null for a post.
  -- channel_key: for a post its channel, which lists it. For another event of a channel, and for a post that was deleted, the
  -- same negated: a list of its own in posts_by_channel. 0: of no channel, or of one that is gone.
  -- author_key: the bot that published the post; null for an owner, and for posts made before.
  -- subject_key: the post that was edited; negated, the bot that a custom event is for.
  ALTER TABLE posts ADD COLUMN event_type TEXT;
  ALTER TABLE posts ADD COLUMN author_key INTEGER;
  ALTER TABLE posts ADD COLUMN subject_key INTEGER;
  CREATE INDEX posts_by_subject ON posts (subject_key, post_key) WHERE subject_key IS NOT NULL;

  -- The newest revision of each post that was edited, as the payload of a post. posts keeps the first one.
  CREATE TABLE edited_posts (
    post_key  INTEGER PRIMARY KEY,
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

  -- subscription: JSON. What each attachment keeps of it is described in domain/events/subscription.ts.
  ALTER TABLE bots ADD COLUMN subscription TEXT;
  ALTER TABLE attachments ADD COLUMN post_filter INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attachments ADD COLUMN hears_custom INTEGER NOT NULL DEFAULT 1;
  CREATE INDEX attachments_by_filter ON attachments (channel_key, post_filter, bot_key);
  CREATE INDEX attachments_hearing_custom ON attachments (channel_key, bot_key) WHERE hears_custom = 1;
  CREATE TABLE event_listeners (
    channel_key INTEGER NOT NULL,
    pattern     TEXT NOT NULL,
    bot_key     INTEGER NOT NULL,
    PRIMARY KEY (channel_key, pattern, bot_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX event_listeners_by_bot ON event_listeners (bot_key, channel_key);

  -- Deleted posts whose edits, and deleted channels whose posts, are still being erased, step by step.
  CREATE TABLE erased_posts (post_key INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE removed_channels (channel_key INTEGER PRIMARY KEY) STRICT;
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
  `
  -- How far the removal of events has got. kind 'events': of what no channel lists; 'posts': of what channels list, never
  -- ahead of the other. No log points at an event up to post_key, nor will.
  CREATE TABLE sweeps (kind TEXT PRIMARY KEY, post_key INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- metadata: JSON, as the owner gave it.
  ALTER TABLE bots ADD COLUMN metadata TEXT;
  ALTER TABLE channels ADD COLUMN metadata TEXT;
  ALTER TABLE channels ADD COLUMN external_id TEXT;
  CREATE UNIQUE INDEX channels_by_external_id ON channels (owner_user_id, external_id) WHERE external_id IS NOT NULL;
  `,
  `
  -- The feed of the platform, once it has been switched on: at most one row. partitions: how many it has, 0 while it is off.
  -- Each has a lane, from first_key on, where bots have theirs, and an attachment in every channel that it hears.
  CREATE TABLE feed (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    feed_id    TEXT NOT NULL,
    first_key  INTEGER NOT NULL,
    partitions INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- failures_in_row: since the last accepted attempt. last_failure_at: at the current webhook. told_failing: the feed was told that
  -- the webhook is failing, and not yet that it has recovered.
  ALTER TABLE lanes ADD COLUMN failures_in_row INTEGER;
  ALTER TABLE lanes ADD COLUMN last_failure_at INTEGER;
  ALTER TABLE lanes ADD COLUMN told_failing INTEGER;
  `,
  `
  -- owner_user_id: whose it was, so that each owner's remains are erased by themselves. Empty for the feed's logs, and
  -- for what the release before deleted.
  ALTER TABLE removed_bots ADD COLUMN owner_user_id TEXT NOT NULL DEFAULT '';
  CREATE INDEX removed_bots_by_owner ON removed_bots (owner_user_id, bot_key);
  ALTER TABLE removed_channels ADD COLUMN owner_user_id TEXT NOT NULL DEFAULT '';
  CREATE INDEX removed_channels_by_owner ON removed_channels (owner_user_id, channel_key);
  ALTER TABLE erased_posts ADD COLUMN owner_user_id TEXT NOT NULL DEFAULT '';
  CREATE INDEX erased_posts_by_owner ON erased_posts (owner_user_id, post_key);

  -- owner_user_id: of an event that names its owner and belongs to no channel. Null for all others.
  ALTER TABLE posts ADD COLUMN owner_user_id TEXT;
  UPDATE posts INDEXED BY posts_by_subject SET owner_user_id = ifnull(payload ->> '$.owner_user_id', '')
  WHERE subject_key <= -${FIRST_FEED_KEY};
  CREATE INDEX posts_by_owner ON posts (owner_user_id, post_key) WHERE owner_user_id IS NOT NULL;
  `,
  `
  -- hears_others: whether the bot may hear other events than posts by its subscription, which is looked at only then. What a bot
  -- hears was a row for each channel and kind, and 40,000 rows had to change for one call.
  ALTER TABLE attachments ADD COLUMN hears_others INTEGER NOT NULL DEFAULT 1;
  CREATE INDEX attachments_hearing_others ON attachments (channel_key, bot_key) WHERE hears_others = 1 AND hears_custom = 0;
  DROP TABLE event_listeners;
  `,
  `
  -- acted_by: who did it, 1 the owner, 2 a bot, 3 the platform for the owner; which bot is in author_key. Null for what came before, and for what the service tells
  -- of itself.
  ALTER TABLE posts ADD COLUMN acted_by INTEGER;
  `,
];
