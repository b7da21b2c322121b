import { ALERTS } from "./alerts.js";
import { MOVE_DELIVERIES } from "./deliveries.js";
import { DESTINATIONS } from "./first-schema.js";

/**
 * Calls the table of events by its name, with a column that says what the sign of `channel_key` said; and names what belongs to
 * destinations by them. Each destination gets an id, that of its bot, and its owner. Deliveries get the channel of what waits.
 */
export const NAME_EVENTS = `
  ALTER TABLE posts RENAME TO events;
  ALTER TABLE events RENAME COLUMN post_key TO event_key;
  ALTER TABLE events ADD COLUMN is_listed INTEGER NOT NULL DEFAULT 1;
  UPDATE events SET is_listed = 0, channel_key = -channel_key WHERE channel_key <= 0;
  DROP INDEX posts_by_channel;
  DROP INDEX posts_by_subject;
  DROP INDEX posts_by_owner;
  CREATE UNIQUE INDEX events_by_channel ON events (channel_key, is_listed, id);
  CREATE INDEX events_by_subject ON events (subject_key, event_key) WHERE subject_key IS NOT NULL;
  CREATE INDEX events_by_owner ON events (owner_user_id, event_key) WHERE owner_user_id IS NOT NULL;
  ALTER TABLE edited_posts RENAME COLUMN post_key TO event_key;
  ALTER TABLE erased_posts RENAME COLUMN post_key TO event_key;
  ALTER TABLE sweeps RENAME COLUMN post_key TO event_key;

  ALTER TABLE failed_attempts RENAME COLUMN bot_key TO destination_key;
  ALTER TABLE failed_attempts RENAME COLUMN update_id TO number;
  ALTER TABLE timeline RENAME COLUMN bot_key TO destination_key;

  DROP INDEX destinations_by_name;
  DROP INDEX destinations_by_sealing_key;
  ALTER TABLE destinations RENAME TO old_destinations;
  ${DESTINATIONS}
  INSERT INTO destinations SELECT d.*, b.id, b.owner_user_id, 0 FROM old_destinations d JOIN bots b ON b.bot_key = d.log_key;
  DROP TABLE old_destinations;
  ${MOVE_DELIVERIES}
  ${ALERTS}
`;
