import {
  applyMove,
  type Consumer,
  type ConsumerMove,
  type ConsumerPoll,
  type ConsumerPosition,
  lagOf,
  type MoveRefusal,
} from "../../domain/consumer.js";
import { MAX_CONSUMERS_PER_BOT, MAX_DONE_UPDATES } from "../../domain/limits.js";
import { omitNulls } from "../omit-nulls.js";
import type { Store } from "../store.js";
import { type InBatches, LOOK_UPS_PER_BATCH } from "./batcher.js";
import { type Database, integers, type Statement, type Step, uuid } from "./connection.js";
import { DUE_DESPITE_SKIP } from "./skipping.js";

type ConsumerVerbs = Pick<
  Store,
  "findConsumer" | "openConsumer" | "moveConsumer" | "listConsumers" | "deleteConsumer" | "noteConsumerPolls"
>;

/** Moves that share a statement at most, and so an fsync. */
const MOVES_PER_BATCH = 200;

const SELECT_POSITIONS: Statement = {
  name: "select-consumer-positions",
  text: `
    SELECT r.n AS ordinal, c.position, to_json(c.done) AS done
    FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS r (bot_id, name, n)
    JOIN bots b ON b.id = r.bot_id
    JOIN consumers c ON c.bot_key = b.bot_key AND lower(c.name) = r.name`,
};
const SELECT_CONSUMERS: Statement = {
  name: "select-consumers",
  text: `
    SELECT c.name, c.position, to_json(c.done) AS done, c.created_at AS "createdAt",
      c.last_polled_at AS "lastPolledAt", l.last_update_id AS head
    FROM bots b JOIN lanes l USING (bot_key) JOIN consumers c USING (bot_key)
    WHERE b.id = $1 ORDER BY c.created_at, c.slot`,
};
/**
 * Moves consumers, each at most once. This is {@link applyMove} in SQL: computed here, it would take a second statement
 * while the rows are locked.
 *
 * Rows are locked in the order of their keys before any is changed; then the newest version of each is read.
 */
const MOVE: Statement = {
  name: "move-consumers",
  text: `
    WITH move AS MATERIALIZED (
      SELECT r.n, b.bot_key, r.name, r.position, r.rewind, r.done::bigint[] AS done, l.last_update_id AS head
      FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::boolean[], $5::text[])
        WITH ORDINALITY AS r (bot_id, name, position, rewind, done, n)
      JOIN bots b ON b.id = r.bot_id JOIN lanes l USING (bot_key)),
    locked AS (
      SELECT m.n, CASE WHEN m.rewind OR cardinality(m.done) = 0 THEN m.position
          ELSE greatest(m.position, c.position) END AS asked, m.rewind, m.done AS added, m.head, c.*
      FROM move m JOIN consumers c ON c.bot_key = m.bot_key AND lower(c.name) = m.name
      ORDER BY c.bot_key, c.slot FOR UPDATE OF c),
    reached AS (
      SELECT k.*, to_be.position AS new_position, to_be.done AS new_done,
        CASE WHEN greatest(k.asked, to_be.highest) > k.head THEN 'beyond the log'
          WHEN k.asked < k.position AND NOT k.rewind THEN 'backwards'
          WHEN cardinality(to_be.done) > ${MAX_DONE_UPDATES} THEN 'too many done' END AS refused
      FROM locked k CROSS JOIN LATERAL (
        SELECT coalesce(max(number) FILTER (WHERE number = k.asked + rank), k.asked) AS position,
          coalesce(array_agg(number ORDER BY number) FILTER (WHERE number > k.asked + rank), '{}') AS done,
          max(number) AS highest
        FROM (
          SELECT number, row_number() OVER (ORDER BY number) AS rank FROM (
            SELECT unnest(k.added) AS number
            UNION SELECT unnest(CASE WHEN NOT k.rewind THEN k.done END)) either
          WHERE number > k.asked) ranked) to_be),
    changed AS (
      UPDATE consumers c SET position = r.new_position, done = r.new_done
      FROM reached r WHERE r.refused IS NULL AND c.bot_key = r.bot_key AND c.slot = r.slot)
    SELECT n AS ordinal, refused, head, name, created_at AS "createdAt", last_polled_at AS "lastPolledAt",
      CASE WHEN refused IS NULL THEN new_position ELSE position END AS position, to_json(new_done) AS done
    FROM reached`,
};
/**
 * A bot's consumers are created one after the other, so that the check of their number is right and a bot that is being
 * deleted gets none.
 */
const LOCK_BOT: Statement = {
  name: "lock-bot-of-consumers",
  text: `
    SELECT l.last_update_id AS head FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = $1 FOR UPDATE OF b`,
};
/**
 * Unless $4 has a position, the consumer begins after everything that another consumer has handled and that the webhook
 * was sent and need not send again. The lowest scheduled or requeued update is the first entry of an index; all other
 * updates below next_fresh_id are delivered or will not be sent. Expiry moves next_fresh_id too.
 */
const INSERT: Statement = {
  name: "insert-consumer",
  text: `
    INSERT INTO consumers (bot_key, slot, name, position, done, created_at)
    SELECT b.bot_key, free.slot, $2::text, coalesce($4::bigint, greatest(
        (SELECT max(c.position) FROM consumers c WHERE c.bot_key = b.bot_key),
        least(l.next_fresh_id,
          (SELECT u.update_id FROM updates u
            WHERE u.bot_key = b.bot_key AND u.is_failing AND u.due_at IS NOT NULL ORDER BY u.update_id LIMIT 1),
          (SELECT u.update_id FROM updates u
            WHERE u.bot_key = b.bot_key AND u.due_at = ${DUE_DESPITE_SKIP} ORDER BY u.update_id LIMIT 1),
          (SELECT u.update_id FROM updates u
            WHERE u.bot_key = b.bot_key AND u.due_at = 0 ORDER BY u.update_id LIMIT 1)) - 1)),
      $5::text::bigint[], $3
    FROM bots b JOIN lanes l USING (bot_key) CROSS JOIN LATERAL (
      SELECT s.slot FROM generate_series(1, ${MAX_CONSUMERS_PER_BOT}) s (slot)
      WHERE NOT EXISTS (SELECT FROM consumers c WHERE c.bot_key = b.bot_key AND c.slot = s.slot)
      ORDER BY s.slot LIMIT 1) free
    WHERE b.id = $1
      AND NOT EXISTS (SELECT FROM consumers c WHERE c.bot_key = b.bot_key AND lower(c.name) = lower($2::text))
    RETURNING slot`,
};
const DELETE: Statement = {
  name: "delete-consumer",
  text: `
    DELETE FROM consumers WHERE bot_key = (SELECT bot_key FROM bots WHERE id = $1) AND lower(name) = $2
    RETURNING slot`,
};
/** Locks the rows in the order of their keys before it changes them, like every statement that changes several. */
const NOTE_POLLS: Statement = {
  name: "note-consumer-polls",
  text: `
    WITH poll AS MATERIALIZED (
      SELECT b.bot_key, r.name, r.at
      FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS r (bot_id, name, at) JOIN bots b ON b.id = r.bot_id),
    locked AS (
      SELECT c.bot_key, c.slot, p.at FROM poll p JOIN consumers c ON c.bot_key = p.bot_key AND lower(c.name) = p.name
      ORDER BY c.bot_key, c.slot FOR UPDATE OF c)
    UPDATE consumers c SET last_polled_at = greatest(c.last_polled_at, k.at)
    FROM locked k WHERE c.bot_key = k.bot_key AND c.slot = k.slot`,
};

interface Move extends ConsumerMove {
  botId: string;
  name: string;
}

interface MovedRow extends Omit<Consumer, "lag"> {
  ordinal: number;
  refused: MoveRefusal["refused"] | null;
  head: number;
}

export function consumerVerbs(db: Database, inBatches: InBatches): ConsumerVerbs {
  const findConsumer = inBatches({
    maxItems: LOOK_UPS_PER_BATCH,
    run: (asked: readonly { botId: string; name: string }[]) =>
      db.query<ConsumerPosition & { ordinal: number }>(SELECT_POSITIONS, [
        asked.map(({ botId }) => uuid(botId)),
        asked.map(({ name }) => name.toLowerCase()),
      ]),
    resultsOf(rows, asked) {
      const found: (ConsumerPosition | undefined)[] = asked.map(() => undefined);
      for (const { ordinal, position, done } of rows) found[ordinal - 1] = { position, done };
      return found;
    },
  });

  /** Undefined when there is no such consumer. */
  const move = inBatches({
    maxItems: MOVES_PER_BATCH,
    async run(moves: readonly Move[]) {
      const groups = withoutRepeats(moves);
      const results = await db.transaction(groups.map(moveStep));
      const rows = new Map<Move, MovedRow>();
      for (const [index, group] of groups.entries())
        for (const row of results[index] as MovedRow[]) rows.set(group[row.ordinal - 1] as Move, row);
      return rows;
    },
    resultsOf: (rows, moves) => moves.map((one) => resultOf(rows.get(one))),
  });

  const readConsumers = async (botId: string): Promise<Consumer[]> => {
    const rows = await db.query<MovedRow>(SELECT_CONSUMERS, [uuid(botId)]);
    return rows.map(({ head, ...row }) => omitNulls<Consumer>({ ...row, lag: lagOf(row, head) }));
  };

  /**
   * @param at left out: where a new consumer begins by default
   * @returns whether it was created, false also when another call created it first; undefined without such a bot
   */
  const create = async (botId: string, name: string, now: number, at?: ConsumerPosition) => {
    const position = [at?.position ?? null, integers(at?.done ?? [])];
    const [bot, inserted] = await db.transaction([
      [LOCK_BOT, [uuid(botId)]],
      [INSERT, [uuid(botId), name, now, ...position]],
    ]);
    return bot?.length === 1 ? inserted?.length === 1 : undefined;
  };

  return {
    findConsumer: (botId, name) => findConsumer({ botId, name }),

    async openConsumer(botId, name, now) {
      const existing = await findConsumer({ botId, name });
      if (existing) return existing;
      if ((await create(botId, name, now)) === undefined) return undefined;
      return (await findConsumer({ botId, name })) ?? "too many";
    },

    async moveConsumer(botId, name, to, now) {
      const asked = { ...to, botId, name };
      const existing = await move(asked);
      if (existing) return existing;
      const [bot] = await db.query<{ head: number }>(LOCK_BOT, [uuid(botId)]);
      if (!bot) return undefined;
      const reached = applyMove(undefined, to, bot.head);
      if ("refused" in reached) return reached;
      const isCreated = await create(botId, name, now, reached);
      if (isCreated === undefined) return undefined;
      if (isCreated) return { name, ...reached, lag: lagOf(reached, bot.head), createdAt: now };
      // Another call has created it first, unless the bot has too many.
      return (await move(asked)) ?? { refused: "too many consumers" };
    },

    listConsumers: readConsumers,

    deleteConsumer: async (botId, name) =>
      (await db.query(DELETE, [uuid(botId), name.toLowerCase()])).length === 1,

    async noteConsumerPolls(polls) {
      const last = new Map<string, ConsumerPoll>(polls.map((poll) => [keyOf(poll), poll]));
      const noted = [...last.values()];
      await db.query(NOTE_POLLS, [
        noted.map(({ botId }) => uuid(botId)),
        noted.map(({ name }) => name.toLowerCase()),
        integers(noted.map(({ at }) => at)),
      ]);
    },
  };
}

function keyOf({ botId, name }: { botId: string; name: string }): string {
  return `${botId} ${name.toLowerCase()}`;
}

/** A statement sees every row as it was before, so a statement that moved a consumer twice would lose a move. */
function withoutRepeats(moves: readonly Move[]): Move[][] {
  const groups: Move[][] = [];
  const counts = new Map<string, number>();
  for (const move of moves) {
    const group = counts.get(keyOf(move)) ?? 0;
    counts.set(keyOf(move), group + 1);
    (groups[group] ??= []).push(move);
  }
  return groups;
}

function moveStep(moves: readonly Move[]): Step {
  return [
    MOVE,
    [
      moves.map(({ botId }) => uuid(botId)),
      moves.map(({ name }) => name.toLowerCase()),
      integers(moves.map(({ position }) => position)),
      moves.map(({ rewind }) => rewind),
      moves.map(({ done }) => integers(done)),
    ],
  ];
}

function resultOf(row: MovedRow | undefined): Consumer | MoveRefusal | undefined {
  if (!row) return undefined;
  const { ordinal: _, refused, head, ...consumer } = row;
  switch (refused) {
    case null:
      return omitNulls<Consumer>({ ...consumer, lag: lagOf(consumer, head) });
    case "backwards":
      return { refused, position: consumer.position };
    case "beyond the log":
      return { refused, head };
    default:
      return { refused };
  }
}
