import { ALERTS } from "./alerts.js";
import { HOLD_DELIVERIES } from "./deliveries.js";

/**
 * Calls the table of events by its name, with a column that says what the sign of `channel_key` said; and names what belongs to
 * destinations by them. Each destination gets an id, that of its bot, and its owner. Offline: the version before reads other names.
 */
export const NAME_EVENTS = `
  ALTER TABLE posts RENAME TO events;
  ALTER TABLE events RENAME COLUMN post_key TO event_key;
  ALTER SEQUENCE posts_post_key_seq RENAME TO events_event_key_seq;
  ALTER TABLE events RENAME CONSTRAINT posts_pkey TO events_pkey;
  ALTER TABLE events ADD COLUMN is_listed boolean NOT NULL DEFAULT true;
  ALTER INDEX posts_by_subject RENAME TO events_by_subject;
  ALTER INDEX posts_by_owner RENAME TO events_by_owner;
  ALTER TABLE edited_posts RENAME COLUMN post_key TO event_key;
  ALTER TABLE erased_posts RENAME COLUMN post_key TO event_key;
  ALTER TABLE sweeps RENAME COLUMN post_key TO event_key;

  ALTER TABLE failed_attempts RENAME COLUMN bot_key TO destination_key;
  ALTER TABLE failed_attempts RENAME COLUMN update_id TO number;
  ALTER TABLE timeline RENAME COLUMN bot_key TO destination_key;

  ALTER TABLE destinations ADD COLUMN id uuid UNIQUE, ADD COLUMN owner_user_id text,
    ADD COLUMN is_releasing boolean NOT NULL DEFAULT false;
  UPDATE destinations d SET id = b.id, owner_user_id = b.owner_user_id FROM bots b WHERE b.bot_key = d.log_key;
  ALTER TABLE destinations ALTER COLUMN id SET NOT NULL, ALTER COLUMN owner_user_id SET NOT NULL;
  CREATE INDEX destinations_further ON destinations (log_key) WHERE destination_key <> log_key;
  ${ALERTS}
`;

/** In steps: an owner may have emitted millions of events. */
export const TURN_SIGNS = `
  UPDATE events SET is_listed = false, channel_key = -channel_key
  WHERE event_key IN (SELECT event_key FROM events WHERE channel_key < 0 ORDER BY channel_key LIMIT 1000 FOR UPDATE)`;

/** Last, since the index before it is what finds the signs to turn. */
export const LIST_EVENTS = `
  UPDATE events SET is_listed = false WHERE channel_key = 0;
  DROP INDEX posts_by_channel;
  CREATE UNIQUE INDEX events_by_channel ON events (channel_key, is_listed, id);
  ${HOLD_DELIVERIES}
`;
