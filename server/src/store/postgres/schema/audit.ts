/** A database of an earlier schema gets this table as well. */
export const AUDIT = `
  -- Who changed what, by which request. An id has the time of the change. owner_user_id: empty of what is the platform's own.
  CREATE TABLE audit (
    id            uuid PRIMARY KEY,
    owner_user_id text NOT NULL,
    actor_type    text NOT NULL,
    actor_id      text NOT NULL,
    token_id      text NOT NULL,
    operation     text NOT NULL,
    request_id    text NOT NULL,
    target_type   text NOT NULL,
    target_id     text NOT NULL,
    channel_id    uuid,
    target_name   text,
    changes       text NOT NULL
  );
  CREATE INDEX audit_by_owner ON audit (owner_user_id, id);
  CREATE INDEX audit_by_operation ON audit (operation, id);
  -- In one expression, so that no plan looks for an operation among all that its owner has.
  CREATE INDEX audit_by_owner_and_operation ON audit ((owner_user_id || ' ' || operation), id);
  CREATE INDEX audit_by_target ON audit (target_id, id);
  CREATE INDEX audit_by_channel ON audit (channel_id, id) WHERE channel_id IS NOT NULL;
`;
