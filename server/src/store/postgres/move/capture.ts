import pg from "pg";
import { inTransaction } from "../connection/client.js";
import { CLOCK_NOW } from "../connection/database-clock.js";
import { isTimeout, OWNER_MOVED } from "../connection/errors.js";
import { OWNER_TABLES, type OwnerTable } from "./owner-tables.js";
import { changeTable, IS_EXEMPT, LAST_LOCK_TIMEOUT_MS } from "./session.js";

/**
 * Every write to rows of the owner takes this lock, shared with other writers, until it commits. The move takes it alone before it reads the last
 * changes, and keeps it until the owner has left: whoever wrote before has committed and noted it, and whoever comes after finds that the
 * owner is gone. So no writer needs to know that there is a move. What a bot of theirs that stays as a guest is told by then is told to the guest, and
 * carried to the bot.
 */
export const GATE = "hashtextextended('moves out of ' || coalesce(current_schema(), 'public'), 0)";

/** Rows of the owner that were changed since the move began; lost in a crash of the server, as the move is. */
const MAKE_CHANGES = `
  DROP TABLE IF EXISTS move_changes;
  CREATE UNLOGGED TABLE move_changes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    key        jsonb NOT NULL
  )`;

const KINDS = { INSERT: "NEW", UPDATE: "OLD", DELETE: "OLD" } as const;
const triggerOf = (kind: string) => `move_of_owner_${kind.toLowerCase()}`;

/** Keys never change, so the key of a row is that of the row before. */
function note({ name, key, isOf, isRefused }: OwnerTable, owner: string): string {
  const keys = Object.keys(key).map((column) => `'${column}', r.${column}`);
  const isPaused = `EXISTS (SELECT FROM owner_moves WHERE owner_user_id = ${owner} AND state = 2 AND paused_until > ${CLOCK_NOW})`;
  const refuse = `RAISE EXCEPTION 'the owner has moved to another cell' USING ERRCODE = '${OWNER_MOVED}';`;
  return `
  CREATE OR REPLACE FUNCTION move_of_owner_${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $move$
  BEGIN
    IF ${IS_EXEMPT} THEN RETURN NULL; END IF;
    INSERT INTO move_changes (table_name, key)
    SELECT '${name}', jsonb_build_object(${keys.join(", ")}) FROM changed r WHERE ${isOf(owner)};
    IF NOT FOUND THEN RETURN NULL; END IF;
    PERFORM pg_advisory_xact_lock_shared(${GATE});
    IF EXISTS (SELECT FROM owner_moves WHERE owner_user_id = ${owner} AND state = 3) AND EXISTS (SELECT FROM changed r WHERE ${isOf(owner)}) THEN
      ${refuse}
    END IF;
    ${
      isRefused
        ? `IF ${isPaused} AND EXISTS (SELECT FROM changed r WHERE ${isOf(owner)} AND ${isRefused(owner)}) THEN
      ${refuse}
    END IF;`
        : ""
    }
    RETURN NULL;
  END $move$;
  ${Object.entries(KINDS)
    .map(
      ([kind, rows]) => `
  DROP TRIGGER IF EXISTS ${triggerOf(kind)} ON ${name};
  CREATE TRIGGER ${triggerOf(kind)} AFTER ${kind} ON ${name} REFERENCING ${rows} TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION move_of_owner_${name}();`,
    )
    .join("")}`;
}

/**
 * Notes from now on what changes of the owner. Making a trigger waits for all who write to the table, so what is not noted is there for whoever
 * reads afterwards.
 */
export async function beginCapture(client: pg.Client, ownerUserId: string): Promise<void> {
  await endCapture(client);
  await client.query(MAKE_CHANGES);
  for (const table of OWNER_TABLES) await changeTable(client, note(table, pg.escapeLiteral(ownerUserId)));
}

/** Waits until all who write something of the owner by now have committed. @returns whether they have, in a short time */
export async function haveWritersEnded(client: pg.Client): Promise<boolean> {
  try {
    await inTransaction(client, () =>
      client.query(`SET LOCAL lock_timeout = ${LAST_LOCK_TIMEOUT_MS}; SELECT pg_advisory_xact_lock(${GATE})`),
    );
    return true;
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return false;
  }
}

/** Removes what notes changes, also what a move that was killed has left. */
export async function endCapture(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT substr(proname, ${"move_of_owner_".length + 1}) AS name FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, 'move_of_owner_')`);
  for (const { name } of rows)
    await changeTable(client, `DROP FUNCTION IF EXISTS move_of_owner_${name}() CASCADE`);
  await changeTable(client, "DROP TABLE IF EXISTS move_changes");
}

/** The table is made first, and removed last. */
export async function hasCapture(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('move_changes') IS NOT NULL AS \"hasCapture\"");
  return rows[0].hasCapture;
}

/** $1: how many. The keys of rows that have changed, as JSON, by table; each change is taken once. */
const TAKE = `
  WITH taken AS (
    DELETE FROM move_changes WHERE id = ANY (ARRAY(SELECT id FROM move_changes ORDER BY id LIMIT $1))
    RETURNING table_name, key)
  SELECT table_name AS "table", jsonb_agg(DISTINCT key)::text AS keys, count(*) AS count FROM taken GROUP BY table_name`;

export interface Changes {
  count: number;
  /** By table. */
  keys: ReadonlyMap<string, string>;
}

export async function takeChanges(client: pg.Client, limit: number): Promise<Changes> {
  const { rows } = await client.query<{ table: string; keys: string; count: number }>(TAKE, [limit]);
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    keys: new Map(rows.map(({ table, keys }) => [table, keys])),
  };
}
