import { setTimeout as sleep } from "node:timers/promises";
import type { Store, UpkeepTask } from "#botyard/store/store.js";
import { CELL_SCHEMAS } from "./cells.js";
import { engine, onDatabase, type StoreHome } from "./engines.js";
import type { SqlConnection } from "./stored-rows.js";

const isMore = async (store: Store, task: UpkeepTask, limit: number): Promise<boolean> =>
  (await store.runUpkeep(task, limit)) === "more";

// One step each. They return whether there may be more; false also when another store holds the upkeep at that moment.

export const eraseRemains = (store: Store, limit: number) => isMore(store, { kind: "erase" }, limit);

/** Counts all that owners have used. */
export async function countUsage(store: Store, now: number): Promise<void> {
  await complete(store, { kind: "count", now }, 100);
}

export const expireUpdates = (store: Store, before: number, limit: number) =>
  isMore(store, { kind: "expire", before }, limit);

export const sweepEvents = (store: Store, before: number, postsBefore: number | undefined, limit: number) =>
  isMore(store, { kind: "sweep", before, postsBefore }, limit);

export const foldTimelines = (store: Store, now: number, limit: number) =>
  isMore(store, { kind: "fold", now }, limit);

export const forgetKeys = (store: Store, before: number, limit: number) =>
  isMore(store, { kind: "forgetKeys", before }, limit);

/** Does a task to its end, in turns with other stores that do so too. */
export async function complete(store: Store, task: UpkeepTask, limit: number): Promise<void> {
  for (;;) {
    const result = await store.runUpkeep(task, limit);
    if (result === "done") return;
    if (result === "elsewhere") await sleep(2);
  }
}

/** Erases all users of products who are to be erased. */
export const eraseUsers = (store: Store) => complete(store, { kind: "eraseUsers" }, 0);

/** Changes what is remembered of them, in all cells. */
export async function setErasedUsers(sql: SqlConnection, change: string): Promise<void> {
  for (const schema of engine.name === "cells" ? CELL_SCHEMAS.map((name) => `${name}.`) : [""])
    await sql.run(`UPDATE ${schema}erased_users SET ${change}`);
}

/** Lets the time pass after which those, whose erasure has ended, are looked for once more, and does that. */
export async function eraseUsersAgain(store: Store, sql: SqlConnection): Promise<void> {
  await setErasedUsers(sql, "again_at = 1 WHERE again_at > 0");
  await eraseUsers(store);
}

/**
 * Lets every lease of the upkeep run out at once, so that several stores do it at the same time: as when each is suspended
 * in a step, or is of a release that knew no lease.
 */
export async function endLeases(home: StoreHome): Promise<void> {
  const url = home.environment["DATABASE_URL"];
  if (url === undefined) return;
  await onDatabase(
    url,
    `CREATE FUNCTION end_lease() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.lease_until = 0; RETURN NEW; END';
    CREATE TRIGGER end_lease BEFORE INSERT OR UPDATE ON upkeep FOR EACH ROW EXECUTE FUNCTION end_lease()`,
  );
}
