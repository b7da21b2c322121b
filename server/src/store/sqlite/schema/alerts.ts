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

  -- Logs that are no bot's, once a webhook was set for them, each with a lane and a destination like a bot's. kind: 'alerts' of an owner; 'feed',
  -- of which only where and how it is sent is kept here, with an empty owner.
  CREATE TABLE webhook_logs (
    owner_user_id TEXT NOT NULL,
    kind          TEXT NOT NULL,
    log_key       INTEGER NOT NULL,
    PRIMARY KEY (owner_user_id, kind)
  ) STRICT, WITHOUT ROWID;
`;
