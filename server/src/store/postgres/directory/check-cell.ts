import type pg from "pg";
import type { CellEntry } from "../../cells/directory.js";
import { isGuest } from "../../shared/guests.js";
import { MOVE_OWNER } from "./directory-rows.js";
import { pagesOf } from "./pages.js";

/** What was found in a cell, and what of it the directory had otherwise. */
export interface CellCheck {
  owners: number;
  bots: number;
  /** Entries of the directory that were added, corrected or removed. */
  mended: number;
  /** What has to be decided by somebody, in one line each. */
  problems: string[];
}

export interface CheckOptions {
  directory: pg.Client;
  /** The cell's own schema. */
  client: pg.Client;
  entry: CellEntry;
  /** Whether another cell has anything of the owner. */
  isIn(cell: string, ownerUserId: string): Promise<boolean>;
  /** Whether another cell has the bot. */
  hasBot(ownerUserId: string, botId: string): Promise<boolean>;
  onProgress(found: { owners: number; bots: number }): void;
}

/** Bots that are made in this moment are in the directory before they are in their cell. */
const BEING_MADE_MS = 60_000;

/** Everybody who has something in the cell and lives there. */
const OWNERS = `
  SELECT o.owner FROM (
    SELECT owner_user_id AS owner FROM bots UNION SELECT owner_user_id FROM channels UNION SELECT user_id FROM owners) o
  WHERE NOT ${isGuest("o.owner")} AND NOT EXISTS (SELECT FROM owner_moves m WHERE m.owner_user_id = o.owner AND m.state IN (3, 4))`;
const BOTS = `
  SELECT id, lower(username) AS username, owner_user_id AS owner, token_hash AS token, created_at AS "madeAt" FROM bots b
  WHERE NOT ${isGuest("b.owner_user_id")} AND NOT EXISTS (SELECT FROM owner_moves m WHERE m.owner_user_id = b.owner_user_id AND m.state IN (3, 4))`;
const ADD_OWNERS = `
  INSERT INTO directory_owners (owner_user_id, cell) SELECT unnest($1::text[]), $2 ON CONFLICT (owner_user_id) DO NOTHING`;
const OWNERS_ELSEWHERE = `
  SELECT owner_user_id AS owner, cell FROM directory_owners WHERE owner_user_id = ANY ($1::text[]) AND cell <> $2`;
const BOTS_UNLIKE = `
  SELECT b.id, b.username, b.owner, b.token, b."madeAt"
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS b (id, username, owner, token, "madeAt")
  LEFT JOIN directory_bots d ON d.bot_id = b.id LEFT JOIN directory_tokens t ON t.token_hash = b.token
  WHERE (d.username, d.owner_user_id, t.bot_id) IS DISTINCT FROM (b.username, b.owner, b.id)`;
const HOLDER_OF_USERNAME = `
  SELECT bot_id AS id, owner_user_id AS owner FROM directory_bots WHERE username = $1 AND bot_id <> $2`;
const PUT_BOT = `
  INSERT INTO directory_bots (bot_id, username, owner_user_id, made_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (bot_id) DO UPDATE SET username = excluded.username, owner_user_id = excluded.owner_user_id`;
const PUT_TOKEN = `
  INSERT INTO directory_tokens (token_hash, bot_id) VALUES ($1, $2)
  ON CONFLICT (token_hash) DO UPDATE SET bot_id = excluded.bot_id`;
const BOTS_OF_DIRECTORY = `
  SELECT b.bot_id AS id FROM directory_owners o JOIN directory_bots b USING (owner_user_id)
  WHERE o.cell = $1 AND b.made_at < $2`;
const BOTS_THERE = `SELECT id FROM bots WHERE id = ANY ($1::uuid[]) AND NOT ${isGuest("owner_user_id")}`;
const REMOVE_BOTS = `
  WITH token AS (DELETE FROM directory_tokens WHERE bot_id = ANY ($1::uuid[]))
  DELETE FROM directory_bots WHERE bot_id = ANY ($1::uuid[])`;

interface BotRow {
  id: string;
  username: string;
  owner: string;
  token: string;
  madeAt: string;
}

/** Compares the directory with a cell, beside all services, and corrects what a crash or an older backup of the directory has left. */
export async function checkCell(options: CheckOptions): Promise<CellCheck> {
  const { client, directory, entry, isIn, onProgress } = options;
  const found: CellCheck = { owners: 0, bots: 0, mended: 0, problems: [] };

  for await (const rows of pagesOf<{ owner: string }>(client, OWNERS)) {
    const owners = rows.map(({ owner }) => owner);
    found.owners += owners.length;
    found.mended += (await directory.query(ADD_OWNERS, [owners, entry.name])).rowCount ?? 0;
    const elsewhere = await directory.query<{ owner: string; cell: string }>(OWNERS_ELSEWHERE, [
      owners,
      entry.name,
    ]);
    for (const { owner, cell } of elsewhere.rows) {
      if (await isIn(cell, owner))
        found.problems.push(`the owner ${owner} has something in the cells ${cell} and ${entry.name}`);
      else found.mended += (await directory.query(MOVE_OWNER.text, [owner, cell, entry.name])).rowCount ?? 0;
    }
    onProgress(found);
  }

  for await (const rows of pagesOf<BotRow>(client, BOTS)) {
    found.bots += rows.length;
    const columns = (["id", "username", "owner", "token", "madeAt"] as const).map((name) =>
      rows.map((row) => row[name]),
    );
    const unlike = await directory.query<BotRow>(BOTS_UNLIKE, columns);
    for (const bot of unlike.rows) {
      const problem = await putBot(options, bot);
      if (problem === undefined) found.mended += 1;
      else found.problems.push(problem);
    }
    onProgress(found);
  }

  const before = Date.now() - BEING_MADE_MS;
  for await (const rows of pagesOf<{ id: string }>(directory, BOTS_OF_DIRECTORY, [entry.name, before])) {
    const { rows: there } = await client.query<{ id: string }>(BOTS_THERE, [rows.map(({ id }) => id)]);
    const known = new Set(there.map(({ id }) => id));
    const gone = rows.filter(({ id }) => !known.has(id)).map(({ id }) => id);
    if (gone.length > 0) found.mended += (await directory.query(REMOVE_BOTS, [gone])).rowCount ?? 0;
  }
  return found;
}

/** @returns what is wrong; undefined when the directory has the bot now */
async function putBot(
  { directory, entry, hasBot }: CheckOptions,
  { id, username, owner, token, madeAt }: BotRow,
): Promise<string | undefined> {
  const { rows } = await directory.query<{ id: string; owner: string }>(HOLDER_OF_USERNAME, [username, id]);
  const [holder] = rows;
  if (holder && (await hasBot(holder.owner, holder.id)))
    return `the username ${username} is that of the bot ${id} in the cell ${entry.name}, and of the bot ${holder.id} of ${holder.owner}`;
  if (holder) await directory.query(REMOVE_BOTS, [[holder.id]]);
  await directory.query(PUT_BOT, [id, username, owner, madeAt]);
  await directory.query(PUT_TOKEN, [token, id]);
  return undefined;
}
