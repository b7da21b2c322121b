/** What logs point at. */
export const EVENTS = `
  -- What happened, once each, whatever its kind; entries of logs point at it.
  -- channel_key: where it happened; 0 in no channel, or in one that is gone. is_listed: whether the channel lists it, which it does with posts
  -- until they are deleted.
  -- payload: the event that every update of it carries; a post is read back from it. event_type: null for a post.
  -- author_key: the bot that published the post or caused the event; null without one.
  -- subject_key: the post that was edited; negated, the bot or the partition of the feed that an event is for.
  -- owner_user_id: of an event that names its owner and belongs to no channel. Null for all others.
  -- acted_by: who did it, 1 the owner, 2 a bot, 3 the platform for the owner. Negated for a post that was
  -- imported. Null if the service tells of itself, and for the oldest. cause: what the request that caused the event said of
  -- itself: see domain/events/cause.ts. Null when that was nothing.
  CREATE TABLE events (
    event_key     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            uuid NOT NULL,
    channel_key   bigint NOT NULL,
    created_at    bigint NOT NULL,
    payload       text NOT NULL,
    event_type    text,
    author_key    bigint,
    subject_key   bigint,
    owner_user_id text,
    acted_by      smallint,
    cause         text,
    is_listed     boolean NOT NULL DEFAULT true
  );
  -- Ids are made in the order of time, so one index serves both the order of a channel's posts and the search for one.
  CREATE UNIQUE INDEX events_by_channel ON events (channel_key, is_listed, id);
  CREATE INDEX events_by_subject ON events (subject_key, event_key) WHERE subject_key IS NOT NULL;
  CREATE INDEX events_by_owner ON events (owner_user_id, event_key) WHERE owner_user_id IS NOT NULL;

  -- The newest revision of each post that was edited, as the payload of a post. events keeps the first one.
  CREATE TABLE edited_posts (
    event_key bigint PRIMARY KEY,
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
`;
