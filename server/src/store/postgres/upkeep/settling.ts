import type { Database, Statement } from "../connection/connection.js";
import { WRITERS_OF_EVENTS } from "./sweep-marks.js";

const SELECT_WRITERS: Statement = {
  name: "select-writers-of-events",
  text: `SELECT coalesce(json_agg(w.virtualtransaction), '[]') AS writers FROM (${WRITERS_OF_EVENTS}) w`,
};
const SELECT_STILL_WRITING: Statement = {
  name: "select-still-writing",
  text: `SELECT FROM (${WRITERS_OF_EVENTS}) w WHERE w.virtualtransaction = ANY ($1::text[]) LIMIT 1`,
};

/** A key of events, and whether all transactions have ended that were writing events when it was read. */
export interface Settling {
  head: number;
  incarnation: number;
  hasSettled(): Promise<boolean>;
}

/** To be called once the key is read: whoever wrote an event up to it is among the writers, or has ended. */
export async function settlingSince(
  db: Database,
  { head, incarnation }: Pick<Settling, "head" | "incarnation">,
): Promise<Settling> {
  const [row] = await db.query<{ writers: string[] }>(SELECT_WRITERS);
  const hasSettled = async () => (await db.query(SELECT_STILL_WRITING, [row?.writers ?? []])).length === 0;
  return { head, incarnation, hasSettled };
}
