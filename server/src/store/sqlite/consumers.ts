import { applyMove, type Consumer, type ConsumerPosition, lagOf } from "../../domain/consumer.js";
import { MAX_CONSUMERS_PER_BOT } from "../../domain/limits.js";
import { omitNulls } from "../omit-nulls.js";
import type { Database } from "./binding.js";
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

interface BotRow {
  botKey: number;
  head: number;
}

interface ConsumerRow extends Omit<Consumer, "done" | "lag" | "lastPolledAt"> {
  slot: number;
  done: string;
  lastPolledAt: number | null;
}

const CONSUMER = `slot, name, position, done, created_at AS createdAt, last_polled_at AS lastPolledAt`;

export function consumerVerbs(db: Database, readLog: LogReader): ConsumerVerbs {
  const selectBot = db.prepare(`
    SELECT bot_key AS botKey, l.last_update_id AS head FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?`);
  const selectConsumer = db.prepare(`SELECT ${CONSUMER} FROM consumers WHERE bot_key = ? AND name = ?`);
  const selectConsumers = db.prepare(`SELECT ${CONSUMER} FROM consumers WHERE bot_key = ? ORDER BY slot`);
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
          WHERE u.bot_key = l.bot_key AND u.due_at = 0 ORDER BY u.update_id LIMIT 1), l.next_fresh_id)) - 1) AS start
    FROM lanes l WHERE l.bot_key = ?`);
  const insert = db.prepare(`
    INSERT INTO consumers (bot_key, slot, name, position, done, created_at) VALUES (?, ?, ?, ?, ?, ?)`);
  const move = db.prepare("UPDATE consumers SET position = ?, done = ? WHERE bot_key = ? AND slot = ?");
  const remove = db.prepare("DELETE FROM consumers WHERE bot_key = ? AND name = ?");
  const notePoll = db.prepare(`
    UPDATE consumers SET last_polled_at = max(ifnull(last_polled_at, 0), ?1)
    WHERE bot_key = (SELECT bot_key FROM bots WHERE id = ?2) AND name = ?3`);

  const findBot = (botId: string) => selectBot.get(botId) as BotRow | undefined;
  const find = (botKey: number, name: string) => selectConsumer.get(botKey, name) as ConsumerRow | undefined;
  const list = (botKey: number) => selectConsumers.all(botKey) as ConsumerRow[];

  /** @returns false when the bot has as many as it may */
  const create = (
    botKey: number,
    name: string,
    { position, done }: ConsumerPosition,
    now: number,
  ): boolean => {
    const taken = new Set(list(botKey).map(({ slot }) => slot));
    let slot = 1;
    while (taken.has(slot)) slot += 1;
    if (slot > MAX_CONSUMERS_PER_BOT) return false;
    insert.run(botKey, slot, name, position, done.join(), now);
    return true;
  };

  return {
    findConsumer(botId, name) {
      const bot = findBot(botId);
      const row = bot && find(bot.botKey, name);
      return row && positionOf(row);
    },

    readConsumed(botId, name, limit, maxBytes) {
      const bot = findBot(botId);
      const row = bot && find(bot.botKey, name);
      if (!row) return undefined;
      return { ...positionOf(row), ...readLog(bot.botKey, row.position, limit, maxBytes) };
    },

    openConsumer(botId, name, now) {
      const bot = findBot(botId);
      if (!bot) return undefined;
      const row = find(bot.botKey, name);
      if (row) return positionOf(row);
      const { start } = selectStart.get(bot.botKey) as { start: number };
      const position = { position: start, done: [] };
      return create(bot.botKey, name, position, now) ? position : "too many";
    },

    moveConsumer(botId, name, to, now) {
      const bot = findBot(botId);
      if (!bot) return undefined;
      const { botKey, head } = bot;
      const row = find(botKey, name);
      const reached = applyMove(row && positionOf(row), to, head);
      if ("refused" in reached) return reached;
      if (row) move.run(reached.position, reached.done.join(), botKey, row.slot);
      else if (!create(botKey, name, reached, now)) return { refused: "too many consumers" };
      return consumerOf(row ?? { name, createdAt: now, lastPolledAt: null }, reached, head);
    },

    listConsumers(botId) {
      const bot = findBot(botId);
      if (!bot) return [];
      return list(bot.botKey)
        .toSorted((a, b) => a.createdAt - b.createdAt || a.slot - b.slot)
        .map((row) => consumerOf(row, positionOf(row), bot.head));
    },

    deleteConsumer(botId, name) {
      const bot = findBot(botId);
      return bot !== undefined && remove.run(bot.botKey, name).changes === 1;
    },

    noteConsumerPolls(polls) {
      for (const { botId, name, at } of polls) notePoll.run(at, botId, name);
    },
  };
}

function consumerOf(
  { name, createdAt, lastPolledAt }: Pick<ConsumerRow, "name" | "createdAt" | "lastPolledAt">,
  position: ConsumerPosition,
  head: number,
): Consumer {
  return omitNulls<Consumer>({ name, ...position, lag: lagOf(position, head), createdAt, lastPolledAt });
}

function positionOf({ position, done }: Pick<ConsumerRow, "position" | "done">): ConsumerPosition {
  return { position, done: done === "" ? [] : done.split(",").map(Number) };
}
