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

  -- The log of an owner's alerts, once a webhook was set for them. It has a lane and a destination like a bot's.
  CREATE TABLE alert_logs (
    owner_user_id text PRIMARY KEY,
    log_key       bigint NOT NULL
  );
`;
