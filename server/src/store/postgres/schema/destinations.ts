import { FIRST_FEED_KEY } from "../../feed-store.js";

/**
 * Gives destinations a table. Every log of a bot has one, named `default`, whether or not a webhook is set. An offline step: a
 * service of the version before would go on setting webhooks where nobody reads.
 */
export const DESTINATIONS = `
  -- Where the entries of a log are sent. The first destination of a log, 'default', has the key of its log, so that what was delivered
  -- before destinations had keys need not move. Keys of further ones come from the identity of bots, of which logs have theirs.
  -- url: null while no webhook is set. secret: sealed; the first eight characters are the id of the key that sealed it.
  -- paused_at: null while not paused. version: rises whenever it gets another URL or is removed, last at changed_at.
  -- through_number: updates up to this one had a webhook to go to, whatever is set now.
  CREATE TABLE destinations (
    destination_key bigint PRIMARY KEY,
    log_key         bigint NOT NULL,
    name            text NOT NULL DEFAULT 'default',
    url             text,
    secret          text,
    paused_at       bigint,
    version         bigint NOT NULL DEFAULT 0,
    changed_at      bigint NOT NULL DEFAULT 0,
    through_number  bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

  INSERT INTO destinations (destination_key, log_key, url, secret, paused_at, version, changed_at, through_number)
  SELECT l.bot_key, l.bot_key, b.webhook_url, b.webhook_secret, b.webhook_paused_at, l.webhook_version, l.webhook_changed_at,
    l.webhook_through_id
  FROM lanes l LEFT JOIN bots b USING (bot_key) WHERE l.bot_key < ${FIRST_FEED_KEY};

  CREATE UNIQUE INDEX destinations_by_name ON destinations (log_key, lower(name));
  CREATE INDEX destinations_by_sealing_key ON destinations (left(secret, 8)) WHERE secret IS NOT NULL;

  DROP INDEX bots_by_sealing_key;
  ALTER TABLE bots DROP COLUMN webhook_url, DROP COLUMN webhook_secret, DROP COLUMN webhook_paused_at;
  ALTER TABLE lanes DROP COLUMN webhook_version, DROP COLUMN webhook_changed_at, DROP COLUMN webhook_through_id;
  ANALYZE destinations;
`;
