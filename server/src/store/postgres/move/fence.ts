import type pg from "pg";
import { isGuest, makerOf } from "../../shared/guests.js";
import { OWNER_MOVED } from "../connection/errors.js";
import { changeTable, IS_EXEMPT } from "./session.js";

const ROOTS = ["bots", "channels", "webhook_logs", "alerts", "audit"];

const BODY = `
  BEGIN
    IF ${IS_EXEMPT} THEN RETURN NEW; END IF;
    IF TG_TABLE_NAME = 'owners' THEN
      PERFORM FROM owner_moves WHERE owner_user_id = NEW.user_id AND state IN (3, 4);
    ELSIF TG_TABLE_NAME = 'owner_usage' THEN
      -- While an owner arrives, what is counted is replaced in the last step.
      PERFORM FROM owner_moves WHERE owner_user_id = NEW.owner_user_id AND state = 3;
      IF FOUND THEN RETURN NULL; END IF;
      RETURN NEW;
    ELSIF TG_TABLE_NAME = 'channels' AND ${isGuest("NEW.owner_user_id")} THEN
      -- The mover knows the copies that there are.
      PERFORM FROM owner_moves WHERE owner_user_id = ${makerOf("NEW.owner_user_id")} AND state = 4;
    ELSE
      PERFORM FROM owner_moves WHERE owner_user_id = NEW.owner_user_id AND state IN (3, 4);
    END IF;
    IF NOT FOUND THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'the owner has moved to another cell' USING ERRCODE = '${OWNER_MOVED}';
  END `;
/**
 * Keeps services that have not heard of a move from making anything for an owner who has left the cell, or has not arrived in it. What they would
 * change is gone there; what they make is refused. Counts of what the owner has used are left out instead: many owners are counted in one
 * statement. Each cell has it; it may be run again.
 */
const FENCE = `
  CREATE OR REPLACE FUNCTION refuse_moved_owner() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$${BODY}$$;
  ${[...ROOTS, "owners", "owner_usage"]
    .map(
      (table) => `
  CREATE OR REPLACE TRIGGER refuse_moved_owner BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_moved_owner();`,
    )
    .join("")}`;

const IS_FENCED = `
  SELECT count(*) AS count FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  JOIN pg_proc f ON f.oid = t.tgfoid AND f.prosrc = $1
  WHERE t.tgname = 'refuse_moved_owner' AND c.relnamespace = current_schema()::regnamespace`;

/** Makes the fence, unless it is there, or one of the release before. */
export async function makeFence(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ count: number }>(IS_FENCED, [BODY]);
  if (rows[0]?.count === ROOTS.length + 2) return;
  await changeTable(client, FENCE);
}
