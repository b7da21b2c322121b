import { FIRST_FEED_KEY } from "../../parts/feed-store.js";

/** A log and its destinations. A database of an earlier schema gets these two tables as well. */
const LANES = `
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

  -- Where the entries of a log are sent, and how far that has come. The first destination of a log, 'default', has the key of its log, so
  -- that what was delivered before destinations had keys need not move. Keys of further ones come from the sequence of bots, of which
  -- logs have theirs.
  -- url: null while no webhook is set. secret: sealed; the first eight characters are the id of the key that sealed it.
  -- paused_at: null while not paused. version: rises whenever it gets another URL or is removed, last at changed_at.
  -- through_number: updates up to this one had a webhook to go to, whatever is set now.
  -- next_fresh_number: every update below it has been attempted, or is skipped. round: rises by two whenever the webhook is set or
  -- removed, so that what is replayed has a number of its own. skip_through: waiting updates up to this number, of rounds before
  -- skip_round - 1, are still to be skipped.
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
    generation            INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX destinations_by_name ON destinations (log_key, name);
  CREATE INDEX destinations_by_sealing_key ON destinations (substr(secret, 1, 8)) WHERE secret IS NOT NULL;
`;

/** Gives destinations a table. Every log of a bot has one, named `default`, whether or not a webhook is set. */
export const MOVE_DESTINATIONS = `
  DROP INDEX lanes_due;
  ALTER TABLE lanes RENAME TO wide_lanes;
  ${LANES}
  INSERT INTO lanes (bot_key, last_update_id, last_update_at, channel_count, unused_count, gap_from, gap_through, is_open, due_at,
    resting_until)
  SELECT bot_key, last_update_id, last_update_at, channel_count, unused_count, gap_from, gap_through, is_open, due_at, resting_until
  FROM wide_lanes;

  INSERT INTO destinations (destination_key, log_key, url, secret, paused_at, version, changed_at, through_number,
    next_fresh_number, round, skip_through, skip_round, scheduled_count, delivered_count, failed_count, skipped_count,
    last_attempted_at, last_delivered_at, last_error, earlier_attempted_at, earlier_delivered_at, failing_since, failures_in_row,
    last_failure_at, told_failing, window, failing_updates, last_failed_update_id, failed_probes, resting_until, generation)
  SELECT l.bot_key, l.bot_key, b.webhook_url, b.webhook_secret, b.webhook_paused_at, l.webhook_version, l.webhook_changed_at,
    l.webhook_through_id, l.next_fresh_number, l.round, l.skip_through, l.skip_round, l.scheduled_count, l.delivered_count,
    l.failed_count, l.skipped_count, l.last_attempted_at, l.last_delivered_at, l.last_error, l.earlier_attempted_at,
    l.earlier_delivered_at, l.failing_since, l.failures_in_row, l.last_failure_at, l.told_failing, l.window, l.failing_updates,
    l.last_failed_update_id, l.failed_probes, l.resting_until, l.generation
  FROM wide_lanes l LEFT JOIN bots b USING (bot_key) WHERE l.bot_key < ${FIRST_FEED_KEY};

  DROP TABLE wide_lanes;
  DROP INDEX bots_by_sealing_key;
  ALTER TABLE bots DROP COLUMN webhook_url;
  ALTER TABLE bots DROP COLUMN webhook_secret;
  ALTER TABLE bots DROP COLUMN webhook_paused_at;
`;
