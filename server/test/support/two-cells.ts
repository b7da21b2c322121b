import pg from "pg";
import type { GuestsOfMove } from "#botyard/store/postgres/move/move-owner.js";
import { OWNER_TABLES } from "#botyard/store/postgres/move/owner-tables.js";
import type { CellAddress } from "#botyard/store/postgres/move/session.js";
import { openPostgresStore } from "#botyard/store/postgres/open.js";
import type { Store } from "#botyard/store/store.js";
import { createPostgresDatabase } from "./engines.js";

/** Where no bot is in channels of other cells. */
export const NO_GUESTS: GuestsOfMove = {
  async introduce() {},
  async comeHome() {},
  async hear() {},
  settle: async () => true,
};

export interface TestCell {
  address: CellAddress;
  /** A session in the cell's schema. */
  client: pg.Client;
  store: Store;
  /** Opens the store once more, as another service does. */
  open(): Promise<Store>;
}

export interface TwoCells {
  one: TestCell;
  two: TestCell;
  close(): Promise<void>;
}

const KEYS_PER_CELL = 2 ** 46;
const SEQUENCES = [
  "bots_bot_key_seq",
  "channels_channel_key_seq",
  "events_event_key_seq",
  "alerts_alert_key_seq",
];

/** Two cells as schemas of one database. */
export async function openTwoCells(): Promise<TwoCells> {
  const { url, drop } = await createPostgresDatabase();
  const cells: TestCell[] = [];
  for (const [number, name] of ["one", "two"].entries()) {
    const address = { name, url, schema: name };
    const open = () =>
      openPostgresStore({
        ...address,
        poolSize: 5,
        onConnectionError(error) {
          console.error(error);
        },
      });
    const store = await open();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SET search_path = ${name}`);
    for (const sequence of number === 0 ? [] : SEQUENCES)
      await client.query(`ALTER SEQUENCE ${sequence} RESTART WITH ${number * KEYS_PER_CELL}`);
    cells.push({ address, client, store, open });
  }
  const [one, two] = cells as [TestCell, TestCell];
  return {
    one,
    two,
    async close() {
      for (const { store, client } of cells) {
        await store.close();
        await client.end();
      }
      await drop();
    },
  };
}

/** What says of a lane who holds it, and in which database: that differs. When it is due is found out by its next holder. */
const OF_CELL = ["holder", "lease_until", "target_age_ms", "incarnation", "due_at"];

const selectsOfOwner = OWNER_TABLES.map(({ name, rowsOf }) => {
  const idOf = (key: string) =>
    `jsonb_build_object('${key}', coalesce((SELECT e.id::text FROM events e WHERE e.event_key = r.${key}), r.${key}::text))`;
  const replaced = {
    events: `|| ${idOf("event_key")} || jsonb_build_object('subject_key', CASE WHEN r.subject_key > 0
      THEN (SELECT e.id::text FROM events e WHERE e.event_key = r.subject_key) ELSE r.subject_key::text END)`,
    edited_posts: `|| ${idOf("event_key")}`,
    entries: `|| ${idOf("event_key")}`,
    failed_attempts: `|| ${idOf("event_key")}`,
    lanes: OF_CELL.map((column) => `- '${column}'`).join(" "),
  }[name];
  return `SELECT '${name}' AS name, (to_jsonb(r) ${replaced ?? ""})::text AS row FROM (${rowsOf("$1::text")}) r`;
});

/**
 * All rows of an owner, by table, with the ids of events in place of their keys, which differ. One statement that is planned once for a
 * session: moves are compared hundreds of times.
 */
export async function rowsOfOwner({ client }: TestCell, owner: string): Promise<Record<string, string[]>> {
  const { rows } = await client.query<{ name: string; row: string }>({
    name: "rows-of-owner",
    text: `${selectsOfOwner.join(" UNION ALL ")} ORDER BY 1, 2`,
    values: [owner],
  });
  const all: Record<string, string[]> = Object.fromEntries(OWNER_TABLES.map(({ name }) => [name, []]));
  for (const { name, row } of rows) all[name]?.push(row);
  return all;
}

/** How many rows there are of each table, without what is counted of the cell's own. */
export async function countTables(
  { client }: TestCell,
  tables: readonly string[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await client.query(`SELECT count(*)::integer AS count FROM ${table}`);
    counts[table] = rows[0].count;
  }
  return counts;
}
