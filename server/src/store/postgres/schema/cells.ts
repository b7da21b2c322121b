/** The tables of a database that is a cell, or the directory of cells. Without cells they have no rows. */
export const CELLS = `
      -- Which cell this schema is: at most one row. number: the keys that the schema gives out begin at this times 2^46, so that no two cells
      -- give out the same.
      CREATE TABLE cell (
        id           integer PRIMARY KEY CHECK (id = 1),
        directory_id uuid NOT NULL,
        name         text NOT NULL,
        number       integer NOT NULL
      );
      -- Owners who move to another cell, or have come from one. state: 1 is copied and still served here; 2 is paused, until paused_until; 3 has
      -- left for other_cell, which is decided by this row; 4 arrives from other_cell and is not served here yet. move_id: of the move. feed_log: while
      -- this log of the feed has entries of an owner who has left; they have numbers up to feed_through, and what they point at stays.
      CREATE TABLE owner_moves (
        owner_user_id text PRIMARY KEY,
        move_id       uuid NOT NULL,
        state         smallint NOT NULL CHECK (state IN (1, 2, 3, 4)),
        other_cell    text NOT NULL,
        paused_until  bigint,
        changed_at    bigint NOT NULL,
        feed_log      bigint,
        feed_through  bigint
      );
      CREATE INDEX owner_moves_in_feed ON owner_moves (feed_log, feed_through) WHERE feed_log IS NOT NULL;
      -- What the feed says of the channels and bots of such an owner. A channel with an id is not erased yet.
      ALTER TABLE removed_channels ADD COLUMN id uuid, ADD COLUMN external_id text;
      CREATE TABLE moved_bots (bot_key bigint PRIMARY KEY, id uuid NOT NULL, owner_user_id text NOT NULL);
      CREATE INDEX moved_bots_by_owner ON moved_bots (owner_user_id);
      -- The directory: at most one row. version: rises with each change of its cells. next_number: of the next cell, also once others are removed.
      CREATE TABLE directory (
        id           integer PRIMARY KEY CHECK (id = 1),
        directory_id uuid NOT NULL,
        version      bigint NOT NULL,
        next_number  integer NOT NULL
      );
      -- url: null of the cell that is in the directory's own schema. work: writes of the last hours, each counted half after an hour, as of work_at.
      CREATE TABLE directory_cells (
        name        text PRIMARY KEY,
        number      integer NOT NULL UNIQUE,
        url         text,
        schema_name text,
        is_draining boolean NOT NULL DEFAULT false,
        work        double precision NOT NULL DEFAULT 0,
        work_at     bigint NOT NULL
      ) WITH (fillfactor = 50);
      -- The feed of all cells: at most one row, JSON of store/cells/feed/feed-layout.ts. And the owners who were moved while there was a feed: JSON
      -- of store/cells/moves/owner-moves.ts, for as long as feeds may have events of them from before.
      CREATE TABLE directory_feed (id integer PRIMARY KEY CHECK (id = 1), layout text NOT NULL);
      CREATE TABLE directory_feed_moves (
        move_id  uuid PRIMARY KEY,
        position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        move     text NOT NULL,
        moved_at bigint NOT NULL
      );
      CREATE TABLE directory_owners (owner_user_id text PRIMARY KEY, cell text NOT NULL);
      CREATE INDEX directory_owners_by_cell ON directory_owners (cell, owner_user_id);
      -- username: in lower case. made_at: before the bot is made in its cell, so that what a crash left can be told from what is under way.
      CREATE TABLE directory_bots (
        bot_id        uuid PRIMARY KEY,
        username      text NOT NULL UNIQUE,
        owner_user_id text NOT NULL,
        made_at       bigint NOT NULL
      );
      CREATE INDEX directory_bots_by_owner ON directory_bots (owner_user_id, bot_id);
      CREATE TABLE directory_tokens (token_hash text PRIMARY KEY, bot_id uuid NOT NULL);
      CREATE INDEX directory_tokens_by_bot ON directory_tokens (bot_id);`;

export const HOLD_ARRIVING = `
      -- Of an owner who arrives: rows of channels of which the cell has copies until then, by table, as JSON.
      ALTER TABLE owner_moves ADD COLUMN held text;`;
