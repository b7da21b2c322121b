import type { CellList, Directory } from "../../cells/directory.js";
import type { FeedLayout } from "../../cells/feed/feed-layout.js";
import type { FeedBoundary, NotedMove } from "../../cells/moves/owner-moves.js";
import { StoreUnavailable } from "../../store.js";
import { type DatabaseOptions, openDatabase, type Statement, uuid } from "../connection/connection.js";
import {
  type CellRow,
  entryOf,
  MOVE_OWNER,
  noteMove,
  SELECT_CELLS,
  SELECT_DIRECTORY,
  SELECT_OWNER,
} from "./directory-rows.js";

/** Half of what was done is forgotten after an hour. $1: the time. */
const WORK_NOW = "work * power(0.5, greatest(0, $1::bigint - work_at) / 3600000.0)";
/** $1: the time, $2: the owner, $3: the names of cells that may get the owner. */
const ASSIGN_OWNER: Statement = {
  name: "assign-owner",
  text: `
    WITH least AS (
      SELECT name FROM directory_cells WHERE name = ANY ($3::text[]) AND NOT is_draining
      ORDER BY ${WORK_NOW}, number LIMIT 1 FOR UPDATE),
    assigned AS (
      INSERT INTO directory_owners (owner_user_id, cell) SELECT $2, name FROM least
      ON CONFLICT (owner_user_id) DO NOTHING RETURNING cell)
    UPDATE directory_cells c SET work = ${WORK_NOW} + 1, work_at = greatest(work_at, $1)
    FROM assigned WHERE c.name = assigned.cell RETURNING c.name AS cell`,
};
const NOTE_OWNER: Statement = {
  name: "note-owner",
  text: "INSERT INTO directory_owners (owner_user_id, cell) VALUES ($1, $2) ON CONFLICT (owner_user_id) DO NOTHING",
};
const SELECT_TOKEN: Statement = {
  name: "select-bot-of-token",
  text: `
    SELECT b.bot_id AS "botId", b.owner_user_id AS "ownerUserId"
    FROM directory_tokens t JOIN directory_bots b USING (bot_id) WHERE t.token_hash = $1`,
};
const RESERVE_BOT: Statement = {
  name: "reserve-bot",
  text: `
    WITH bot AS (
      INSERT INTO directory_bots (bot_id, username, owner_user_id, made_at) VALUES ($1, lower($2), $3, $5)
      ON CONFLICT DO NOTHING RETURNING bot_id)
    INSERT INTO directory_tokens (token_hash, bot_id) SELECT $4, bot_id FROM bot RETURNING bot_id`,
};
const SELECT_USERNAME: Statement = {
  name: "select-bot-of-username",
  text: `
    SELECT bot_id AS "botId", owner_user_id AS "ownerUserId", made_at AS "madeAt"
    FROM directory_bots WHERE username = lower($1)`,
};
const FORGET_BOT: Statement = {
  name: "forget-bot",
  text: `
    WITH token AS (DELETE FROM directory_tokens WHERE bot_id = $1)
    DELETE FROM directory_bots WHERE bot_id = $1`,
};
const ADD_TOKEN: Statement = {
  name: "add-token",
  text: "INSERT INTO directory_tokens (bot_id, token_hash) VALUES ($1, $2) ON CONFLICT DO NOTHING",
};
const KEEP_TOKEN: Statement = {
  name: "keep-token",
  text: "DELETE FROM directory_tokens WHERE bot_id = $1 AND token_hash <> $2",
};
/** In the order of the names, in which two instances do not wait for each other. $2: names, $3: writes of each. */
const ADD_WORK: Statement = {
  name: "add-work",
  text: `
    WITH locked AS (
      SELECT c.name, added.writes FROM directory_cells c JOIN unnest($2::text[], $3::bigint[]) AS added (name, writes) USING (name)
      ORDER BY c.name FOR UPDATE OF c)
    UPDATE directory_cells c SET work = ${WORK_NOW} + locked.writes, work_at = greatest(work_at, $1)
    FROM locked WHERE c.name = locked.name`,
};

const SELECT_LAYOUT: Statement = { name: "select-feed-layout", text: "SELECT layout FROM directory_feed" };
/** $1: the layout that is replaced; null for none. */
const REPLACE_LAYOUT: Statement = {
  name: "replace-feed-layout",
  text: `
    INSERT INTO directory_feed AS f (id, layout) SELECT 1, $2
    WHERE $1::text IS NULL OR EXISTS (SELECT FROM directory_feed)
    ON CONFLICT (id) DO UPDATE SET layout = excluded.layout WHERE f.layout = $1`,
};
const LAST_MOVE: Statement = {
  name: "last-feed-move",
  text: "SELECT position AS last FROM directory_feed_moves ORDER BY position DESC LIMIT 1",
};
const SELECT_MOVES: Statement = {
  name: "select-feed-moves",
  text: `SELECT position, move_id AS "moveId", move FROM directory_feed_moves ORDER BY position`,
};
const FORGET_MOVES: Statement = {
  name: "forget-feed-moves",
  text: "DELETE FROM directory_feed_moves WHERE move_id = ANY ($1::uuid[])",
};

/** Its own connections beside those of the cells: a cell that is slow must not keep others from being found. */
export function openDirectory(options: DatabaseOptions): Directory {
  const database = openDatabase(options);
  const { query } = database;
  let layout: FeedLayout | undefined;
  let moves: { last: number | null; list: readonly NotedMove[] } = { last: null, list: [] };
  let readingMoves = Promise.resolve();

  /** While the directory is away nobody is moved. */
  const lastKnown = (error: unknown): { last: number }[] => {
    if (!(error instanceof StoreUnavailable)) throw error;
    return moves.last === null ? [] : [{ last: moves.last }];
  };

  const readLayout = async (): Promise<FeedLayout | undefined> => {
    const [row] = await query<{ layout: string }>(SELECT_LAYOUT);
    layout = row && (JSON.parse(row.layout) as FeedLayout);
    return layout;
  };

  const readMoves = async (): Promise<void> => {
    const rows = await query<{ position: number; moveId: string; move: string }>(SELECT_MOVES);
    const list = rows.map(({ moveId, move }) => ({ ...(JSON.parse(move) as FeedBoundary), moveId }));
    moves = { last: rows.at(-1)?.position ?? null, list };
  };
  /** One after the other, so that what was read later is not replaced. */
  const knowMoves = (last: number | null): Promise<void> => {
    if (last === moves.last) return Promise.resolve();
    const reading = readingMoves.then(() => (last === moves.last ? undefined : readMoves()));
    readingMoves = reading.catch(() => {});
    return reading;
  };

  const findOwner = async (ownerUserId: string): Promise<string | undefined> => {
    const [row] = await query<{ cell: string; lastMove: number | null }>(SELECT_OWNER, [ownerUserId]);
    if (row) await knowMoves(row.lastMove);
    return row?.cell;
  };

  return {
    async listCells() {
      const [head] = await query<Pick<CellList, "directoryId" | "version">>(SELECT_DIRECTORY);
      if (!head) return undefined;
      const rows = await query<CellRow>(SELECT_CELLS);
      return rows.length === 0 ? undefined : { ...head, cells: rows.map(entryOf) };
    },
    findOwner,
    async assignOwner(ownerUserId, served, now) {
      const [assigned] = await query<{ cell: string }>(ASSIGN_OWNER, [now, ownerUserId, [...served]]);
      // Otherwise another instance has assigned the owner in this moment.
      return assigned?.cell ?? (await findOwner(ownerUserId));
    },
    async noteOwner(ownerUserId, cell) {
      await query(NOTE_OWNER, [ownerUserId, cell]);
      return await findOwner(ownerUserId);
    },
    async findToken(tokenHash) {
      const [bot] = await query<{ botId: string; ownerUserId: string }>(SELECT_TOKEN, [tokenHash]);
      return bot;
    },
    async reserveBot({ botId, username, ownerUserId, tokenHash }, now) {
      const values = [botId, username, ownerUserId, tokenHash, now];
      if ((await query(RESERVE_BOT, values)).length > 0) return undefined;
      const [holder] = await query<{ botId: string; ownerUserId: string; madeAt: number }>(SELECT_USERNAME, [
        username,
      ]);
      // It was given back in this moment: for the caller it is taken still.
      return holder ?? { botId, ownerUserId, madeAt: now };
    },
    async forgetBot(botId) {
      await query(FORGET_BOT, [uuid(botId)]);
    },
    async addToken(botId, tokenHash) {
      await query(ADD_TOKEN, [uuid(botId), tokenHash]);
    },
    async keepToken(botId, tokenHash) {
      await query(KEEP_TOKEN, [uuid(botId), tokenHash]);
    },
    async moveOwner(ownerUserId, from, to) {
      await query(MOVE_OWNER, [ownerUserId, from, to]);
    },
    async addWork(work, now) {
      await query(ADD_WORK, [now, [...work.keys()], [...work.values()]]);
    },
    async layout() {
      layout ??= await readLayout();
      return layout;
    },
    reloadLayout: readLayout,
    async replaceLayout(from, to) {
      await query(REPLACE_LAYOUT, [from === undefined ? null : JSON.stringify(from), JSON.stringify(to)]);
      return await readLayout();
    },
    async moves() {
      const [found] = await query<{ last: number }>(LAST_MOVE).catch(lastKnown);
      await knowMoves(found?.last ?? null);
      return moves.list;
    },
    knownMoves: () => moves.list,
    async noteMove(moveId, move) {
      const { statement, values } = noteMove(moveId, move);
      await query(statement, values);
    },
    async forgetMoves(moveIds) {
      await query(FORGET_MOVES, [[...moveIds]]);
    },
    close: database.close,
  };
}
