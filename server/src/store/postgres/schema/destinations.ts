import { FIRST_FEED_KEY } from "../../parts/feed-store.js";

/** A database of an earlier schema gets this table as well. */
export const DESTINATIONS = `
  -- Where the entries of a log are sent, and how far that has come. The first destination of a log, 'default', has the key of its log, so
  -- that what was delivered before destinations had keys need not move. Keys of further ones come from the identity of bots, of which
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
    generation            bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE UNIQUE INDEX destinations_by_name ON destinations (log_key, lower(name));
  CREATE INDEX destinations_by_sealing_key ON destinations (left(secret, 8)) WHERE secret IS NOT NULL;
`;

/**
 * Gives destinations a table. Every log of a bot has one, named `default`, whether or not a webhook is set. An offline step: a
 * service of the version before would go on setting webhooks where nobody reads.
 */
export const MOVE_DESTINATIONS = `
  ${DESTINATIONS}
  INSERT INTO destinations (destination_key, log_key, url, secret, paused_at, version, changed_at, through_number,
    next_fresh_number, round, skip_through, skip_round, scheduled_count, delivered_count, failed_count, skipped_count,
    last_attempted_at, last_delivered_at, last_error, earlier_attempted_at, earlier_delivered_at, failing_since, failures_in_row,
    last_failure_at, told_failing, send_window, failing_updates, last_failed_update_id, failed_probes, resting_until, generation)
  SELECT l.bot_key, l.bot_key, b.webhook_url, b.webhook_secret, b.webhook_paused_at, l.webhook_version, l.webhook_changed_at,
    l.webhook_through_id, l.next_fresh_number, l.round, l.skip_through, l.skip_round, l.scheduled_count, l.delivered_count,
    l.failed_count, l.skipped_count, l.last_attempted_at, l.last_delivered_at, l.last_error, l.earlier_attempted_at,
    l.earlier_delivered_at, l.failing_since, l.failures_in_row, l.last_failure_at, l.told_failing, l.send_window, l.failing_updates,
    l.last_failed_update_id, l.failed_probes, l.resting_until, l.generation
  FROM lanes l LEFT JOIN bots b USING (bot_key) WHERE l.bot_key < ${FIRST_FEED_KEY};

  DROP INDEX bots_by_sealing_key;
  ALTER TABLE bots DROP COLUMN webhook_url, DROP COLUMN webhook_secret, DROP COLUMN webhook_paused_at;
  ALTER TABLE lanes
    DROP COLUMN webhook_version, DROP COLUMN webhook_changed_at, DROP COLUMN webhook_through_id,
    DROP COLUMN next_fresh_number, DROP COLUMN round, DROP COLUMN skip_through, DROP COLUMN skip_round,
    DROP COLUMN scheduled_count, DROP COLUMN delivered_count, DROP COLUMN failed_count, DROP COLUMN skipped_count,
    DROP COLUMN last_attempted_at, DROP COLUMN last_delivered_at, DROP COLUMN last_error,
    DROP COLUMN earlier_attempted_at, DROP COLUMN earlier_delivered_at,
    DROP COLUMN failing_since, DROP COLUMN failures_in_row, DROP COLUMN last_failure_at, DROP COLUMN told_failing,
    DROP COLUMN send_window, DROP COLUMN failing_updates, DROP COLUMN last_failed_update_id, DROP COLUMN failed_probes,
    DROP COLUMN generation;
`;
