import { type ConsumerPosition, isRefusal, type LogExtent } from "../../../domain/events/consumer.js";
import { MAX_CONSUMERS_PER_LOG } from "../../../domain/limits.js";
import type { ConsumerStore } from "../../parts/consumer-store.js";
import { FEED } from "../../parts/feed-store.js";
import { applyMoves, type ConsumerRow, consumerIn, positionIn } from "../../shared/rows/consumer-rows.js";
import type { Database } from "../binding.js";
import { FIRST_WAITING } from "../delivery/waiting.js";
import type { Verbs } from "../verbs.js";
import type { LogReader } from "./updates.js";

type ConsumerVerbs = Pick<Verbs, keyof ConsumerStore>;

/** A log, or a partition of the feed, and its row of a consumer, whose columns are null when there is none. */
type LogRow = Pick<ConsumerRow, keyof LogExtent | "feedId"> & { key: number } & (
    | (Omit<ConsumerRow, keyof LogExtent | "feedId" | "done"> & { slot: number; done: string })
    | { slot: null }
  );
type OwnRow = ConsumerRow & { key: number; slot: number };

/** A consumer of the feed is a row of `consumers` in each partition, with the same slot. */
export function consumerVerbs(db: Database, readLog: LogReader): ConsumerVerbs {
  const columns = `l.bot_key AS key, l.last_update_id AS head, l.gap_from AS gapFrom, l.gap_through AS gapThrough, c.slot, c.name, c.position, c.done,
    c.created_at AS createdAt, c.last_polled_at AS lastPolledAt`;
  const selectOfBot = db.prepare(`
    SELECT ${columns}, NULL AS feedId
    FROM bots b JOIN lanes l USING (bot_key) LEFT JOIN consumers c ON c.bot_key = l.bot_key AND c.name = ?1
    WHERE b.id = ?2`);
  const selectOfFeed = db.prepare(`
    SELECT ${columns}, f.feed_id AS feedId
    FROM feed f JOIN lanes l ON l.bot_key BETWEEN f.first_key AND f.first_key + f.partitions - 1
    LEFT JOIN consumers c ON c.bot_key = l.bot_key AND c.name = ?1
    WHERE f.id = 1 ORDER BY l.bot_key`);
  const selectAll = db.prepare(`
    SELECT ${columns}, ? AS feedId FROM consumers c JOIN lanes l USING (bot_key)
    WHERE c.bot_key BETWEEN ? AND ? ORDER BY c.bot_key, c.slot`);
  const selectSlots = db.prepare("SELECT slot FROM consumers WHERE bot_key = ?");
  /**
   * After everything that the webhook was sent and need not send again: what neither waits nor is above `next_fresh_number` is
   * delivered or will not be sent. Expiry moves `next_fresh_number` too.
   */
  const selectUnhandled = db.prepare(`
    SELECT max(
      ifnull((SELECT max(c.position) FROM consumers c WHERE c.bot_key = l.bot_key), 0),
      min(dest.next_fresh_number, ifnull(${FIRST_WAITING}, dest.next_fresh_number)) - 1) AS position
    FROM lanes l JOIN destinations dest ON dest.destination_key = l.bot_key WHERE l.bot_key = ?`);
  const selectOldest = db.prepare(`
    SELECT ifnull(
      (SELECT e.number - 1 FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1),
      l.last_update_id) AS position
    FROM lanes l WHERE l.bot_key = ?`);
  const insert = db.prepare(`
    INSERT INTO consumers (bot_key, slot, name, position, done, created_at) VALUES (?, ?, ?, ?, ?, ?)`);
  const move = db.prepare("UPDATE consumers SET position = ?, done = ? WHERE bot_key = ? AND slot = ?");
  const remove = db.prepare("DELETE FROM consumers WHERE bot_key = ? AND slot = ?");
  const notePoll = db.prepare(`
    UPDATE consumers SET last_polled_at = max(ifnull(last_polled_at, 0), ?) WHERE bot_key = ? AND slot = ?`);
  const selectOtherReader = db.prepare(
    "SELECT reader FROM consumers WHERE bot_key = ? AND slot = ? AND reader <> ? AND reader_until > ?",
  );
  const hold = db.prepare("UPDATE consumers SET reader = ?, reader_until = ? WHERE bot_key = ? AND slot = ?");

  /** @returns none without such a log */
  const rowsIn = (log: string, name: string) =>
    (log === FEED ? selectOfFeed.all(name) : selectOfBot.all(name, log)) as LogRow[];

  /** @returns none without such a consumer */
  const find = (log: string, name: string): OwnRow[] => ownRows(rowsIn(log, name));

  /** @returns false when the log has as many as it may */
  const create = (
    logs: readonly LogRow[],
    name: string,
    positions: readonly ConsumerPosition[],
    now: number,
  ): boolean => {
    const taken = new Set((selectSlots.all(logs[0]?.key ?? 0) as { slot: number }[]).map(({ slot }) => slot));
    let slot = 1;
    while (taken.has(slot)) slot += 1;
    if (slot > MAX_CONSUMERS_PER_LOG) return false;
    for (const [index, { key }] of logs.entries()) {
      const { position, done } = positions[index] as ConsumerPosition;
      insert.run(key, slot, name, position, done.join(), now);
    }
    return true;
  };

  return {
    findConsumer(log, name) {
      const rows = find(log, name);
      return rows.length > 0 ? positionIn<string>(rows) : undefined;
    },

    readConsumed(botId, name, limit, maxBytes) {
      const [row] = find(botId, name);
      if (!row) return undefined;
      const { key, position, done } = row;
      return { position, done, ...readLog(key, position, limit, maxBytes) };
    },

    openConsumer(log, name, now) {
      const logs = rowsIn(log, name);
      const [first] = logs;
      if (!first) return undefined;
      const rows = ownRows(logs);
      if (rows.length > 0) return positionIn<string>(rows);
      const selectStart = first.feedId === null ? selectUnhandled : selectOldest;
      const positions = logs.map(({ key, feedId }) => {
        const { position } = selectStart.get(key) as { position: number };
        return { position, done: [], feedId };
      });
      return create(logs, name, positions, now) ? positionIn<string>(positions) : "too many";
    },

    moveConsumer(log, name, to, now) {
      const logs = rowsIn(log, name);
      if (logs.length === 0) return undefined;
      const rows = ownRows(logs);
      const moved = applyMoves(logs, rows, to, { name, now });
      if (!moved || isRefusal(moved)) return moved;
      if (rows.length === 0 && !create(logs, name, moved, now)) return { refused: "too many consumers" };
      for (const [index, { key, slot }] of rows.entries()) {
        const { position, done } = moved[index] as ConsumerPosition;
        move.run(position, done.join(), key, slot);
      }
      return consumerIn<string>(moved);
    },

    listConsumers(log) {
      const logs = rowsIn(log, "");
      const [first, last] = [logs[0], logs.at(-1)];
      if (!first || !last) return [];
      const bySlot = new Map<number, OwnRow[]>();
      for (const row of ownRows(selectAll.all(first.feedId, first.key, last.key) as LogRow[]))
        bySlot.set(row.slot, [...(bySlot.get(row.slot) ?? []), row]);
      return [...bySlot.values()]
        .map((rows) => consumerIn<string>(rows))
        .toSorted((a, b) => a.createdAt - b.createdAt);
    },

    deleteConsumer(log, name) {
      const rows = find(log, name);
      for (const { key, slot } of rows) remove.run(key, slot);
      return rows.length > 0;
    },

    noteConsumerPolls(polls) {
      for (const { botId, name, at } of polls)
        for (const { key, slot } of find(botId, name)) notePoll.run(at, key, slot);
    },

    holdConsumer(botId, name, reader, until, now) {
      const [row] = find(botId, name);
      if (!row) return undefined;
      const { key, slot } = row;
      const other = selectOtherReader.get(key, slot, reader, now) as { reader: string } | undefined;
      if (!other) hold.run(reader, until, key, slot);
      return other?.reader;
    },
  };
}

/** @returns none when the consumer does not exist */
function ownRows(rows: readonly LogRow[]): OwnRow[] {
  const own: OwnRow[] = [];
  for (const row of rows) {
    // Copying the row would take as long as reading it.
    const done = row.slot === null || row.done === "" ? [] : row.done.split(",").map(Number);
    if (row.slot !== null) own.push(Object.assign(row, { done }));
  }
  return own;
}
