const ownerOf = (channelKey: string) => `coalesce(
          (SELECT c.owner_user_id FROM channels c WHERE c.channel_key = ${channelKey}),
          (SELECT c.owner_user_id FROM removed_channels c WHERE c.channel_key = ${channelKey}))`;
/** @param changes SQL of rows with `event_key`, `channel_key` and the `bytes` that it has more, or less */
const note = (changes: string) => `
        INSERT INTO kept_changes (owner_user_id, event_key, bytes)
        SELECT owner_user_id, event_key, sum(bytes) FROM (
          SELECT ${ownerOf("d.channel_key")} AS owner_user_id,
            CASE WHEN d.event_key > counted THEN d.event_key ELSE 0 END AS event_key, d.bytes
          FROM (${changes}) d) owned
        WHERE owner_user_id IS NOT NULL GROUP BY 1, 2 HAVING sum(bytes) <> 0;`;

/**
 * What owners keep: the bytes of the events in their channels, as they are stored now, and of the newest revisions of posts. Events are counted
 * by the upkeep, in the order of their keys; the triggers note what becomes of them. They write rows that nobody waits for: two edits of one
 * owner would wait for each other at the owner's row.
 */
export const KEPT = `
      CREATE TABLE owner_kept (owner_user_id text PRIMARY KEY, bytes bigint NOT NULL) WITH (fillfactor = 50);
      CREATE INDEX owner_kept_empty ON owner_kept (owner_user_id) WHERE bytes = 0;
      -- Up to which event they are counted. No row before that has begun.
      CREATE TABLE kept_count (id integer PRIMARY KEY CHECK (id = 1), event_key bigint NOT NULL);
      -- Changes that are not in owner_kept yet. event_key: of an event that was not counted when it was changed; the count of it may have
      -- seen the change, or not. 0 of those that were counted.
      CREATE TABLE kept_changes (owner_user_id text NOT NULL, event_key bigint NOT NULL, bytes bigint NOT NULL);
      CREATE INDEX kept_changes_by_event ON kept_changes (event_key);
      CREATE FUNCTION note_kept_events() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      DECLARE counted bigint := (SELECT event_key FROM kept_count);
      BEGIN
        IF counted IS NULL THEN RETURN NULL; END IF;
        IF TG_OP = 'DELETE' THEN ${note("SELECT event_key, channel_key, -octet_length(payload) AS bytes FROM was")}
        ELSE ${note(`
          SELECT event_key, was.channel_key, CASE WHEN became.channel_key = was.channel_key THEN octet_length(became.payload) ELSE 0 END
            - octet_length(was.payload) AS bytes
          FROM was JOIN became USING (event_key)`)}
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER kept_events_changed AFTER UPDATE ON events
        REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION note_kept_events();
      CREATE TRIGGER kept_events_removed AFTER DELETE ON events
        REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION note_kept_events();`;

export const KEPT_REVISIONS = `
      CREATE FUNCTION note_kept_revision() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      DECLARE counted bigint := (SELECT event_key FROM kept_count);
      BEGIN
        IF counted IS NULL THEN RETURN NULL; END IF;
        ${note(`
          SELECT e.event_key, e.channel_key, coalesce(octet_length(NEW.payload), 0) - coalesce(octet_length(OLD.payload), 0) AS bytes
          FROM events e WHERE e.event_key = coalesce(NEW.event_key, OLD.event_key)`)}
        RETURN NULL;
      END $$;
      CREATE TRIGGER kept_revision_changed AFTER INSERT OR UPDATE OR DELETE ON edited_posts
        FOR EACH ROW EXECUTE FUNCTION note_kept_revision();`;
