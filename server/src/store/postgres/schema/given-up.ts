/** A database of an earlier schema gets this table as well. */
export const GIVEN_UP = `
  -- Updates that the program of a bot failed to handle and tries no more. handed_in_at: since then it is asked to handle it again.
  CREATE TABLE given_up (
    bot_key      bigint NOT NULL,
    update_id    bigint NOT NULL,
    consumer     text NOT NULL,
    error        text NOT NULL,
    given_up_at  bigint NOT NULL,
    handed_in_at bigint,
    PRIMARY KEY (bot_key, update_id, consumer)
  );
`;
