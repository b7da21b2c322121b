import pg from "pg";
import { pino } from "pino";
import { administerCells } from "#botyard/administer-cells.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { openStores } from "#botyard/open-store.js";
import type { Cell } from "#botyard/store/cells/cell.js";
import { UNOBSERVED } from "#botyard/store/observer.js";
import type { ClaimedLanes, DueUpdates, Store } from "#botyard/store/store.js";

/** The names of the cells, by their numbers. */
export const CELLS = ["first", "b", "c", "d"] as const;
/** Of each. */
export const CELL_SCHEMAS = ["public", ...CELLS.slice(1)];

/** Divides an empty database into cells. */
export async function addCells(url: string, names: readonly string[] = CELLS): Promise<void> {
  const admin = await administerCells(databaseAt(url), () => {});
  for (const [number, name] of names.entries())
    await admin.add(name, undefined, number === 0 ? undefined : name, () => {});
  await admin.close();
}

/** The store of a database with cells, as a service opens it. */
export async function openCellsAt(url: string, connections = 20): Promise<OpenCells> {
  const config = { database: databaseAt(url, connections), dataDir: "" };
  return await openStores(
    config,
    pino({ level: "silent" }),
    () => UNOBSERVED,
    () => {},
  );
}

/** The rows of a statement in the schema `public`. */
export async function rowsOf<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(statement);
  await client.end();
  return rows;
}

/** Lets an owner live in a cell from the beginning. */
export async function placeOwner(url: string, ownerUserId: string, cell: string): Promise<void> {
  await rowsOf(
    url,
    `INSERT INTO directory_owners (owner_user_id, cell) VALUES ('${ownerUserId}', '${cell}')`,
  );
}

export function cellNamed({ cells }: Pick<OpenCells, "cells">, name: string): Cell {
  const cell = cells().find((one) => one.name === name);
  if (!cell) throw new Error(`the cell ${name} is not open`);
  return cell;
}

export function databaseAt(url: string, poolSize = 20) {
  return { url, name: "a database of a test", schema: undefined, poolSize };
}

/**
 * The store of all cells for tests that work as deliveries and upkeep do, which in a service call each cell by itself: here their verbs
 * concern the cells of what they name, or all of them.
 */
export function spanDeliveries({ store, cells }: OpenCells, url: string): Store {
  const claimedIn = new Map<string, Cell>();
  const cellOf = async (destinationId: string): Promise<Cell> => {
    const known = claimedIn.get(destinationId);
    if (known) return known;
    for (const cell of cells()) if ((await cell.store.findHolders([destinationId])).size > 0) return cell;
    // Tests record attempts of lanes that nobody has claimed.
    const found = CELL_SCHEMAS.map(
      (schema, number) =>
        `SELECT ${number} AS number FROM ${schema}.destinations WHERE id::text = '${destinationId}'`,
    );
    const [row] = await rowsOf<{ number: number }>(url, found.join(" UNION ALL "));
    return cells()[row?.number ?? 0] as Cell;
  };
  /** The cells in which a task has not come to its end, by the task. */
  const unfinished = new Map<string, readonly Cell[]>();
  const byCell = async <Item>(
    items: readonly Item[],
    idOf: (item: Item) => string,
  ): Promise<Map<Cell, Item[]>> => {
    const parts = new Map<Cell, Item[]>();
    for (const item of items) {
      const cell = await cellOf(idOf(item));
      parts.set(cell, [...(parts.get(cell) ?? []), item]);
    }
    return parts;
  };
  return {
    ...store,
    async claimLanes(claim) {
      const claimed: ClaimedLanes = { lanes: [], hasExcluded: false };
      for (const cell of cells()) {
        const found = await cell.store.claimLanes({ ...claim, limit: claim.limit - claimed.lanes.length });
        for (const lane of found.lanes) claimedIn.set(lane.destinationId, cell);
        claimed.lanes.push(...found.lanes);
        claimed.hasExcluded ||= found.hasExcluded;
        const times = [claimed.nextDueAt, found.nextDueAt].filter((at) => at !== undefined);
        if (times.length > 0) claimed.nextDueAt = Math.min(...times);
        if (claimed.lanes.length >= claim.limit) break;
      }
      return claimed;
    },
    async readDueUpdates(reads, now) {
      const found: DueUpdates[] = [];
      for (const [cell, part] of await byCell(reads, ({ destinationId }) => destinationId))
        found.push(...(await cell.store.readDueUpdates(part, now)));
      return reads.flatMap(
        ({ destinationId }) => found.find((due) => due.destinationId === destinationId) ?? [],
      );
    },
    async skipRemaining(ids) {
      for (const [cell, part] of await byCell(ids, (id) => id)) await cell.store.skipRemaining(part);
    },
    async recordAttempts(lanes) {
      for (const [cell, part] of await byCell(lanes, ({ destinationId }) => destinationId))
        await cell.store.recordAttempts(part);
    },
    async renewLeases(holder, ids, ...rest) {
      const lost: string[] = [];
      for (const [cell, part] of await byCell(ids, (id) => id))
        lost.push(...(await cell.store.renewLeases(holder, part, ...rest)));
      return lost;
    },
    async releaseLanes(holder, lanes, now) {
      for (const [cell, part] of await byCell(lanes, ({ destinationId }) => destinationId))
        await cell.store.releaseLanes(holder, part, now);
    },
    async holdUpkeep() {
      const held = await Promise.all(cells().map((cell) => cell.store.holdUpkeep()));
      return held.every(Boolean);
    },
    async runUpkeep(task, limit) {
      if ("ownerUserId" in task && task.ownerUserId !== undefined) return await store.runUpkeep(task, limit);
      const name = JSON.stringify(task);
      const asked = unfinished.get(name) ?? cells();
      const results = await Promise.all(asked.map((cell) => cell.store.runUpkeep(task, limit)));
      const left = asked.filter((_, index) => results[index] !== "done");
      if (left.length > 0) unfinished.set(name, left);
      else unfinished.delete(name);
      return (["more", "elsewhere"] as const).find((result) => results.includes(result)) ?? "done";
    },
  };
}

/** The cell of an owner, by the directory; undefined of one who is in none yet. */
export async function cellOf(url: string, owner: string): Promise<string | undefined> {
  const query = `SELECT cell FROM directory_owners WHERE owner_user_id = '${owner}'`;
  return (await rowsOf<{ cell: string }>(url, query))[0]?.cell;
}

/** The schema that has what is an owner's, of cells that {@link addCells} has made: the first one is in the schema of the directory. */
export async function schemaOfOwner(url: string, owner: string): Promise<string> {
  const cell = await cellOf(url, owner);
  return cell === undefined || cell === CELLS[0] ? "public" : cell;
}
