import { isDuplicate } from "../connection/errors.js";
import { learnCopies, MAKE_CHANNEL_KEYS } from "./channel-keys.js";
import { areUncarried, learnEventKeys, MAKE_EVENT_KEYS, sharedAmong } from "./event-keys.js";
import {
  CARRIED_WITHIN_MS,
  type IntroduceGuests,
  learnBotKeys,
  MAKE_BOT_KEYS,
  notCarried,
  within,
} from "./guests.js";
import { bringEvents } from "./others-events.js";
import { outboxTo } from "./outbox.js";
import { EVENTS, OWNER_TABLES, type OwnerTable, tableOf } from "./owner-tables.js";
import { type Statements, statementsOf } from "./row-statements.js";
import type { CellSession } from "./session.js";

/** Rows as JSON texts, which only the servers read: so no value changes on its way, and no column is named here. */
export type RowTexts = readonly string[];

const SELECT_COLUMNS = `
  SELECT attrelid::regclass::name AS "table", array_agg(attname::text ORDER BY attnum) AS columns
  FROM pg_attribute WHERE attrelid = ANY ($1::regclass[]) AND attnum > 0 AND NOT attisdropped GROUP BY attrelid`;

export interface TableRows {
  /** The rows of these keys as they are now, and the keys that have none. */
  read(table: OwnerTable, keys: string): Promise<{ rows: RowTexts; gone: RowTexts }>;
  /** @param isPaused whether nobody else changes anything of the owner, and everything is carried: in the last step */
  write(table: OwnerTable, rows: RowTexts, isPaused: boolean): Promise<void>;
  remove(table: OwnerTable, keys: RowTexts): Promise<void>;
  /**
   * Writes rows that name events of channels of others that had not come to the cell. They are written by the way as they come.
   *
   * @returns whether none is left
   */
  writeWaiting(isPaused: boolean): Promise<boolean>;
  /** The keys of these events. */
  awaitedEvents(): readonly number[];
  /** What the rows of copies, and of bots that were guests, will be in the cell, as JSON. */
  held(table: OwnerTable, rows: RowTexts): Promise<string | null>;
}

const EDITED_POSTS = tableOf("edited_posts");

/** A row as it was read, and which version of it. */
interface Version {
  row: string | null;
  key: string;
  version: string | null;
}

function addTo(waiting: Map<OwnerTable, Set<string>>, table: OwnerTable, keys: Iterable<string>): void {
  waiting.set(table, new Set([...(waiting.get(table) ?? []), ...keys]));
}

const toJson = (texts: RowTexts): string => `[${texts.join()}]`;

/** @param copies the ids of the owner's channels of which the cell that they come to has copies */
export async function tableRows(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  introduce: IntroduceGuests,
  copies: readonly string[],
): Promise<TableRows> {
  const learnBots = learnBotKeys(from, to, ownerUserId, introduce);
  for (const make of [MAKE_CHANNEL_KEYS, MAKE_EVENT_KEYS, MAKE_BOT_KEYS]) await to.client.query(make);
  const hasCopies = copies.length > 0;
  if (hasCopies) await learnCopies(from, to, ownerUserId, copies);
  const { id: outboxId } = await outboxTo(to);
  const { rows } = await to.client.query<{ table: string; columns: string[] }>(SELECT_COLUMNS, [
    `{${OWNER_TABLES.map(({ name }) => name).join()}}`,
  ]);
  const columns = new Map(rows.map(({ table, columns }) => [table, columns]));
  const statements = new Map(
    OWNER_TABLES.map((table) => [
      table.name,
      statementsOf(table, columns.get(table.name) ?? [], ownerUserId),
    ]),
  );
  const of = ({ name }: OwnerTable) => statements.get(name) as Statements;

  const readVersions = async (table: OwnerTable, keys: string): Promise<Version[]> =>
    (await from.client.query<Version>(of(table).read, [keys])).rows;
  const read: TableRows["read"] = async (table, keys) => {
    const found = await readVersions(table, keys);
    return {
      rows: found.flatMap(({ row }) => row ?? []),
      gone: found.flatMap(({ row, key }) => (row === null ? key : [])),
    };
  };
  const readEvents = async (keys: string): Promise<string> => toJson((await read(EVENTS, keys)).rows);

  /** The keys of rows, as JSON. */
  const waiting = new Map<OwnerTable, Set<string>>();
  const awaited = new Set<number>();

  /** What rows name besides. */
  const learn = async (table: OwnerTable, texts: RowTexts, isPaused: boolean): Promise<void> => {
    const json = toJson(texts);
    if (of(table).unknownBots) {
      const { rows: bots } = await to.client.query<{ keys: string[] | null }>(of(table).unknownBots, [json]);
      if (bots[0]?.keys) await learnBots(bots[0].keys);
    }
    if (table === EVENTS || !of(table).unknown) return;
    // An event that was stored a moment ago, whose change is not taken yet.
    const unknown = async () =>
      (await to.client.query<{ keys: string | null }>(of(table).unknown, [json])).rows[0]?.keys;
    const keys = await unknown();
    if (keys) await write(EVENTS, (await read(EVENTS, keys)).rows, isPaused);
    const others = keys && (await unknown());
    if (!others) return;
    const toCome = await bringEvents(from, to, ownerUserId, others, isPaused);
    if (toCome.length === 0) return;
    const { rows: naming } = await to.client.query<{ key: string }>(of(table).naming, [json, toCome]);
    addTo(
      waiting,
      table,
      naming.map(({ key }) => key),
    );
    for (const key of toCome) awaited.add(key);
  };

  const writeNow = async (table: OwnerTable, texts: RowTexts): Promise<void> => {
    if (texts.length === 0) return;
    const json = toJson(texts);
    if (table === EVENTS) await learnEventKeys(to, json, hasCopies ? readEvents : undefined);
    await to.client.query(of(table).write, [json]);
  };

  /**
   * Writes what a copy may be told of at the same time, which hears of it by what is carried: only what is carried already, or never is. What has
   * changed meanwhile may be there as it is now, and is not written as it was.
   */
  const writeCarried = async (table: OwnerTable, keys: string): Promise<void> => {
    const isWritten = async (): Promise<boolean> => {
      const before = await readVersions(table, keys);
      if (await areUncarried(from, keys, outboxId)) return false;
      await to.client.query("BEGIN");
      let isSame = false;
      try {
        const found = before.flatMap(({ row }) => row ?? []);
        await writeNow(table, found);
        const versions = new Map(before.map(({ key, version }) => [key, version]));
        const after = await readVersions(table, keys);
        isSame = after.every(({ key, version }) => versions.get(key) === version);
      } catch (error) {
        // It was carried there in this moment.
        if (!isDuplicate(error)) throw error;
      } finally {
        await to.client.query(isSame ? "COMMIT" : "ROLLBACK");
      }
      return isSame;
    };
    if (!(await within(CARRIED_WITHIN_MS, isWritten))) throw notCarried();
  };

  const write: TableRows["write"] = async (table, texts, isPaused) => {
    if (texts.length === 0) return;
    await learn(table, texts, isPaused);
    const isCarried = hasCopies && !isPaused && (table === EVENTS || table === EDITED_POSTS);
    if (!isCarried) return await writeNow(table, texts);
    const shared = await sharedAmong(to, toJson(texts));
    await writeNow(
      table,
      texts.filter((_, place) => !shared.has(place)),
    );
    if (shared.size > 0) await writeCarried(table, toJson([...shared.values()]));
  };

  return {
    read,
    write,
    async remove(table, keys) {
      if (keys.length > 0) await to.client.query(of(table).remove, [toJson(keys)]);
    },
    async writeWaiting(isPaused) {
      const tables = [...waiting];
      waiting.clear();
      awaited.clear();
      try {
        for (const [table, keys] of tables)
          await write(table, (await read(table, toJson([...keys]))).rows, isPaused);
        return waiting.size === 0;
      } finally {
        // What is written in the last step may be taken back.
        if (isPaused) for (const [table, keys] of tables) addTo(waiting, table, keys);
      }
    },
    awaitedEvents: () => [...awaited],
    async held(table, texts) {
      await learn(table, texts, true);
      const found = await to.client.query<{ held: string | null }>(of(table).held, [toJson(texts)]);
      return found.rows[0]?.held ?? null;
    },
  };
}
