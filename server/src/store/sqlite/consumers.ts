import { type ConsumerPosition, isRefusal } from "../../domain/consumer.js";
import { MAX_CONSUMERS_PER_LOG } from "../../domain/limits.js";
import { applyMoves, type ConsumerRow, consumerIn, positionIn } from "../consumer-rows.js";
import type { Database } from "./binding.js";
import { type LogKeys, logFinder } from "./logs.js";
import { DUE_DESPITE_SKIP } from "./skipping.js";
import type { LogReader } from "./updates.js";
import type { Verbs } from "./verbs.js";

type ConsumerVerbs = Pick<
  Verbs,
  | "findConsumer"
  | "readConsumed"
  | "openConsumer"
  | "moveConsumer"
  | "listConsumers"
  | "deleteConsumer"
  | "noteConsumerPolls"
>;

/** A log, and its row of the consumer; the columns of that are null when there is none. */
type LogRow = Pick<ConsumerRow, "head" | "feedId"> &
  (({ slot: number; done: string } & Omit<ConsumerRow, "head" | "feedId" | "done">) | { slot: null });

/** A consumer of the feed is a row of `consumers` in each partition, with the same slot. */
export function consumerVerbs(db: Database, readLog: LogReader): ConsumerVerbs {
  const findLog = logFinder(db);
  const columns = `l.last_update_id AS head, c.slot, c.name, c.position, c.done, c.created_at AS createdAt,
    c.last_polled_at AS lastPolledAt`;
  const selectRows = db.prepare(`
    SELECT ${columns} FROM lanes l LEFT JOIN consumers c ON c.bot_key = l.bot_key AND c.name = ?
    WHERE l.bot_key BETWEEN ? AND ? ORDER BY l.bot_key`);
  const selectAll = db.prepare(`
    SELECT ${columns} FROM consumers c JOIN lanes l USING (bot_key)
    WHERE c.bot_key BETWEEN ? AND ? ORDER BY c.bot_key, c.slot`);
  const selectSlots = db.prepare("SELECT slot FROM consumers WHERE bot_key = ?");
  /**
   * After everything that the webhook was sent and need not send again. The lowest scheduled or requeued update is the
   * first entry of an index; all other updates below `next_fresh_id` are delivered or will not be sent. Expiry moves
   * `next_fresh_id` too.
   */
  const selectStart = db.prepare(`
    SELECT max(
      ifnull((SELECT max(c.position) FROM consumers c WHERE c.bot_key = l.bot_key), 0),
      min(l.next_fresh_id,
        ifnull((SELECT u.update_id FROM updates u INDEXED BY updates_scheduled
          WHERE u.bot_key = l.bot_key AND u.state = 1 ORDER BY u.update_id LIMIT 1), l.next_fresh_id),
        ifnull((SELECT u.update_id FROM updates u INDEXED BY updates_due_again
          WHERE u.bot_key = l.bot_key AND u.due_at = ${DUE_DESPITE_SKIP} ORDER BY u.update_id LIMIT 1), l.next_fresh_id),
        ifnull((SELECT u.update_id FROM updates u INDEXED BY updates_due_again
          WHERE u.bot_key = l.bot_key AND u.due_at = 0 ORDER BY u.update_id LIMIT 1), l.next_fresh_id)) - 1) AS position
    FROM lanes l WHERE l.bot_key BETWEEN ? AND ?`);
  const selectOldest = db.prepare(`
    SELECT ifnull(
      (SELECT u.update_id - 1 FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1),
      l.last_update_id) AS position
    FROM lanes l WHERE l.bot_key BETWEEN ? AND ? ORDER BY l.bot_key`);
  const insert = db.prepare(`
    INSERT INTO consumers (bot_key, slot, name, position, done, created_at) VALUES (?, ?, ?, ?, ?, ?)`);
  const move = db.prepare("UPDATE consumers SET position = ?, done = ? WHERE bot_key = ? AND slot = ?");
  const remove = db.prepare("DELETE FROM consumers WHERE bot_key BETWEEN ? AND ? AND name = ?");
  const notePoll = db.prepare(`
    UPDATE consumers SET last_polled_at = max(ifnull(last_polled_at, 0), ?)
    WHERE bot_key BETWEEN ? AND ? AND name = ?`);

  const rowsIn = ({ firstKey, lastKey, feedId }: LogKeys, name: string): LogRow[] =>
    (selectRows.all(name, firstKey, lastKey) as LogRow[]).map((row) => ({ ...row, feedId }));

  const find = (log: string, name: string): { keys: LogKeys; rows: ConsumerRow[] } | undefined => {
    const keys = findLog(log);
    const rows = keys && consumerRows(rowsIn(keys, name));
    return rows && rows.length > 0 ? { keys, rows } : undefined;
  };

  /** @returns false when the log has as many as it may */
  const create = (
    { firstKey }: LogKeys,
    name: string,
    positions: readonly ConsumerPosition[],
    now: number,
  ): boolean => {
    const taken = new Set((selectSlots.all(firstKey) as { slot: number }[]).map(({ slot }) => slot));
    let slot = 1;
    while (taken.has(slot)) slot += 1;
    if (slot > MAX_CONSUMERS_PER_LOG) return false;
    for (const [partition, { position, done }] of positions.entries())
      insert.run(firstKey + partition, slot, name, position, done.join(), now);
    return true;
  };

  return {
    findConsumer(log, name) {
      const found = find(log, name);
      return found && positionIn<string>(found.rows);
    },

    readConsumed(botId, name, limit, maxBytes) {
      const found = find(botId, name);
      if (!found) return undefined;
      const from = positionIn<string>(found.rows);
      return { ...from, ...readLog(found.keys.firstKey, from.position, limit, maxBytes) };
    },

    openConsumer(log, name, now) {
      const keys = findLog(log);
      if (!keys) return undefined;
      const rows = consumerRows(rowsIn(keys, name));
      if (rows.length > 0) return positionIn<string>(rows);
      const selectStarts = keys.feedId === null ? selectStart : selectOldest;
      const starts = selectStarts.all(keys.firstKey, keys.lastKey) as { position: number }[];
      const positions = starts.map(({ position }) => ({ position, done: [], feedId: keys.feedId }));
      return create(keys, name, positions, now) ? positionIn<string>(positions) : "too many";
    },

    moveConsumer(log, name, to, now) {
      const keys = findLog(log);
      if (!keys) return undefined;
      const logs = rowsIn(keys, name);
      const rows = consumerRows(logs);
      const moved = applyMoves(logs, rows, to, { name, now });
      if (isRefusal(moved)) return moved;
      if (rows.length === 0 && !create(keys, name, moved, now)) return { refused: "too many consumers" };
      for (const [partition, { slot }] of rows.entries()) {
        const { position, done } = moved[partition] as ConsumerPosition;
        move.run(position, done.join(), keys.firstKey + partition, slot);
      }
      return consumerIn<string>(moved);
    },

    listConsumers(log) {
      const keys = findLog(log);
      if (!keys) return [];
      const { firstKey, lastKey, feedId } = keys;
      const rows = (selectAll.all(firstKey, lastKey) as LogRow[]).map((row) => ({ ...row, feedId }));
      const bySlot = new Map<number | null, LogRow[]>();
      for (const row of rows) bySlot.set(row.slot, [...(bySlot.get(row.slot) ?? []), row]);
      return [...bySlot.values()]
        .map((own) => consumerIn<string>(consumerRows(own)))
        .toSorted((a, b) => a.createdAt - b.createdAt);
    },

    deleteConsumer(log, name) {
      const keys = findLog(log);
      return keys !== undefined && Number(remove.run(keys.firstKey, keys.lastKey, name).changes) > 0;
    },

    noteConsumerPolls(polls) {
      for (const { botId, name, at } of polls) {
        const keys = findLog(botId);
        if (keys) notePoll.run(at, keys.firstKey, keys.lastKey, name);
      }
    },
  };
}

/** @returns none when the consumer does not exist */
function consumerRows(rows: readonly LogRow[]): (ConsumerRow & { slot: number })[] {
  return rows.flatMap((row) =>
    row.slot === null ? [] : [{ ...row, done: row.done === "" ? [] : row.done.split(",").map(Number) }],
  );
}
