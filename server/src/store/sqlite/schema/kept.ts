const BYTES = (row: "OLD" | "NEW") => `length(CAST(${row}.payload AS BLOB))`;
/** Adds to what the owner of a channel keeps. The owner has a row already: an event that is counted is never empty. */
const add = (channelKey: string, bytes: string) => `
    UPDATE owner_kept SET bytes = bytes + ${bytes} WHERE owner_user_id = (
      SELECT ifnull((SELECT owner_user_id FROM channels WHERE channel_key = k),
        (SELECT owner_user_id FROM removed_channels WHERE channel_key = k)) FROM (SELECT ${channelKey} AS k));`;
const CHANNEL_OF = (row: "OLD" | "NEW") =>
  `(SELECT channel_key FROM events WHERE event_key = ${row}.event_key)`;
const IS_COUNTED = (row: "OLD" | "NEW") => `${row}.event_key <= (SELECT event_key FROM kept_count)`;

/**
 * What owners keep: the bytes of the events in their channels, as they are stored now, and of the newest revisions of posts. Events are counted
 * by the upkeep, in the order of their keys; the triggers note what becomes of those that are counted.
 */
export const KEPT = `
    CREATE TABLE owner_kept (owner_user_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX owner_kept_empty ON owner_kept (owner_user_id) WHERE bytes = 0;
    -- Up to which event they are counted. No row before that has begun.
    CREATE TABLE kept_count (id INTEGER PRIMARY KEY CHECK (id = 1), event_key INTEGER NOT NULL) STRICT;
    CREATE TRIGGER kept_event_changed AFTER UPDATE OF payload, channel_key ON events WHEN ${IS_COUNTED("OLD")} BEGIN
      ${add("OLD.channel_key", `CASE WHEN NEW.channel_key = OLD.channel_key THEN ${BYTES("NEW")} ELSE 0 END - ${BYTES("OLD")}`)}
    END;
    CREATE TRIGGER kept_event_removed AFTER DELETE ON events WHEN ${IS_COUNTED("OLD")} BEGIN
      ${add("OLD.channel_key", `-${BYTES("OLD")}`)}
    END;
    CREATE TRIGGER kept_revision_made AFTER INSERT ON edited_posts WHEN ${IS_COUNTED("NEW")} BEGIN
      ${add(CHANNEL_OF("NEW"), BYTES("NEW"))}
    END;
    CREATE TRIGGER kept_revision_changed AFTER UPDATE OF payload ON edited_posts WHEN ${IS_COUNTED("NEW")} BEGIN
      ${add(CHANNEL_OF("NEW"), `${BYTES("NEW")} - ${BYTES("OLD")}`)}
    END;
    CREATE TRIGGER kept_revision_removed AFTER DELETE ON edited_posts WHEN ${IS_COUNTED("OLD")} BEGIN
      ${add(CHANNEL_OF("OLD"), `-${BYTES("OLD")}`)}
    END;
`;
