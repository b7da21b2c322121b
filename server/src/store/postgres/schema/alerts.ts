/** A database of an earlier schema gets these tables as well. */
export const ALERTS = `
  -- What happened to webhooks and waits to be appended to the logs of those of their owner who hear of it: see upkeep/alerts.ts.
  CREATE TABLE alerts (
    alert_key     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_user_id text NOT NULL,
    event_type    text NOT NULL,
    payload       text NOT NULL,
    created_at    bigint NOT NULL
  );
  CREATE INDEX alerts_by_owner ON alerts (owner_user_id);

  -- Logs that are no bot's, once a webhook was set for them, each with a lane and a destination like a bot's. kind: 'alerts' of an owner; 'feed',
  -- of which only where and how it is sent is kept here, with an empty owner.
  CREATE TABLE webhook_logs (
    owner_user_id text NOT NULL,
    kind          text NOT NULL,
    log_key       bigint NOT NULL,
    PRIMARY KEY (owner_user_id, kind)
  );
`;
