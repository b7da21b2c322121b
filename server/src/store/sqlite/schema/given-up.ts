/** A database of an earlier schema gets this table as well. */
export const GIVEN_UP = `
  -- Updates that the program of a bot failed to handle and tries no more. handed_in_at: since then it is asked to handle it again.
  CREATE TABLE given_up (
    bot_key      INTEGER NOT NULL,
    update_id    INTEGER NOT NULL,
    consumer     TEXT NOT NULL,
    error        TEXT NOT NULL,
    given_up_at  INTEGER NOT NULL,
    handed_in_at INTEGER,
    PRIMARY KEY (bot_key, update_id, consumer)
  ) STRICT, WITHOUT ROWID;
`;
