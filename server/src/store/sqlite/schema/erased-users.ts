export const ERASED_USERS = `
  -- Users of a product who are to be erased from all events. position: the last event that was looked at for them; null while they wait
  -- for the walk under way to end. ended_at: when their walk has ended.
  CREATE TABLE erased_users (
    user_id  TEXT PRIMARY KEY,
    position INTEGER,
    ended_at INTEGER
  ) STRICT;
  CREATE INDEX erased_users_walking ON erased_users (position) WHERE position IS NOT NULL AND ended_at IS NULL;
  CREATE INDEX erased_users_waiting ON erased_users (user_id) WHERE position IS NULL AND ended_at IS NULL;
  CREATE INDEX erased_users_ended ON erased_users (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX channels_by_direct_user ON channels (direct_user_id) WHERE direct_user_id IS NOT NULL;
`;
