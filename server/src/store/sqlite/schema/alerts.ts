/** A database of an earlier schema gets these tables as well. */
export const ALERTS = `
  -- What happened to webhooks and waits to be appended to the logs of those of their owner who hear of it: see upkeep/alerts.ts.
  CREATE TABLE alerts (
    alert_key     INTEGER PRIMARY KEY,
    owner_user_id TEXT NOT NULL,
    event_type    TEXT NOT NULL,
    payload       TEXT NOT NULL,
    created_at    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX alerts_by_owner ON alerts (owner_user_id);

  -- The log of an owner's alerts, once a webhook was set for them. It has a lane and a destination like a bot's.
  CREATE TABLE alert_logs (
    owner_user_id TEXT PRIMARY KEY NOT NULL,
    log_key       INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
