import {
  type ConsumerMove,
  type FeedMove,
  isRefusal,
  type LogExtent,
  type MoveRefusal,
} from "../../../domain/events/consumer.js";
import { applyMoves, type ConsumerRow } from "../../shared/rows/consumer-rows.js";
import { DEFERRED, type InBatches } from "../connection/batcher.js";
import { type Database, integers, type Statement } from "../connection/connection.js";

/** Moves that share statements at most, and so an fsync. */
const MOVES_PER_BATCH = 200;

/**
 * Stores changes of consumers that are still where they were read, each in all of its logs or in none; returns which.
 * $1: for each row the change that it belongs to, $2: the log's key, $3: the consumer, $4 and $5: position and `done` as
 * they were read, $6 and $7: the new ones.
 *
 * Rows are locked in the order of their keys before any is changed; then the newest version of each is compared.
 */
const MOVE: Statement = {
  name: "move-consumers",
  text: `
    WITH asked AS MATERIALIZED (
      SELECT change, bot_key, name, position, done::bigint[] AS done, new_position, new_done::bigint[] AS new_done,
        count(*) OVER (PARTITION BY change) AS logs
      FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[])
        AS r (change, bot_key, name, position, done, new_position, new_done)),
    locked AS (
      SELECT a.change, a.logs, c.bot_key, c.slot, a.new_position, a.new_done,
        c.position = a.position AND c.done = a.done AS is_current
      FROM asked a JOIN consumers c ON c.bot_key = a.bot_key AND lower(c.name) = a.name
      ORDER BY c.bot_key, c.slot FOR UPDATE OF c),
    checked AS (
      SELECT *, count(*) FILTER (WHERE is_current) OVER (PARTITION BY change) = logs AS is_whole FROM locked),
    changed AS (
      UPDATE consumers c SET position = k.new_position, done = k.new_done FROM checked k
      WHERE k.is_whole AND c.bot_key = k.bot_key AND c.slot = k.slot
        AND (c.position <> k.new_position OR c.done <> k.new_done))
    SELECT DISTINCT change FROM checked WHERE is_whole`,
};

/** A consumer by its name in a log. */
export interface Asked {
  log: string;
  name: string;
}

/** A log, or a partition of the feed, and its row of a consumer, whose columns are null when there is none. */
export type LogRow = Pick<ConsumerRow, keyof LogExtent | "feedId"> & { botKey: number } & (
    | Omit<ConsumerRow, keyof LogExtent | "feedId">
    | { name: null }
  );
type OwnRow = Extract<LogRow, ConsumerRow>;

/** @returns for each consumer its logs; none without such a log */
export type ReadRows = (asked: readonly Asked[]) => Promise<LogRow[][]>;

interface Move extends Asked {
  to: ConsumerMove | FeedMove;
  now: number;
}

interface Moved {
  /** The consumer after the move; undefined without such a log, and when it is not where the move says. */
  moved: ConsumerRow[] | MoveRefusal | undefined;
  /** Whether it is still to be created there. */
  isNew: boolean;
}

/** What the moves of one consumer lead to, one after the other. */
interface Change {
  results: [Move, Moved][];
  /** What is to be stored; nothing for a consumer that does not move. */
  rows: { from: OwnRow; to: ConsumerRow }[];
}

/**
 * Reads where consumers are, decides where they go, and stores that where they are still there: a move whose consumer
 * another instance has moved meanwhile is decided again.
 */
export function consumerMover(
  db: Database,
  inBatches: InBatches,
  readRows: ReadRows,
): (move: Move) => Promise<Moved> {
  /** @returns the changes that are stored */
  const store = async (changes: readonly Change[]): Promise<Change[]> => {
    const rows = changes.flatMap(({ rows }, change) => rows.map((row) => ({ change, ...row })));
    const stored =
      rows.length === 0
        ? []
        : await db.query<{ change: number }>(MOVE, [
            integers(rows.map(({ change }) => change)),
            integers(rows.map(({ from }) => from.botKey)),
            rows.map(({ from }) => from.name.toLowerCase()),
            integers(rows.map(({ from }) => from.position)),
            rows.map(({ from }) => integers(from.done)),
            integers(rows.map(({ to }) => to.position)),
            rows.map(({ to }) => integers(to.done)),
          ]);
    const all = new Set(stored.map(({ change }) => change));
    return changes.filter((change, index) => change.rows.length === 0 || all.has(index));
  };

  return inBatches({
    maxItems: MOVES_PER_BATCH,
    async run(moves: readonly Move[]) {
      const groups = groupsOf(moves);
      const logs = await readRows(groups.map(([first]) => first as Move));
      const stored = await store(groups.map((group, index) => changeOf(group, logs[index] ?? [])));
      return new Map(stored.flatMap(({ results }) => results));
    },
    resultsOf: (results, moves) => moves.map((move) => results.get(move) ?? DEFERRED),
  });
}

/** The moves of each consumer. */
function groupsOf(moves: readonly Move[]): Move[][] {
  const groups = new Map<string, Move[]>();
  for (const move of moves) {
    const key = `${move.log} ${move.name.toLowerCase()}`;
    groups.set(key, [...(groups.get(key) ?? []), move]);
  }
  return [...groups.values()];
}

function changeOf(moves: readonly Move[], logs: readonly LogRow[]): Change {
  const from = logs.filter(isOwn);
  const isNew = from.length === 0;
  let reached: readonly ConsumerRow[] = from;
  const results = moves.map((move): [Move, Moved] => {
    const moved = logs.length === 0 ? undefined : applyMoves(logs, reached, move.to, move);
    if (moved && !isRefusal(moved) && !isNew) reached = moved;
    return [move, { moved, isNew }];
  });
  const rows = from.map((row, index) => ({ from: row, to: reached[index] as ConsumerRow }));
  return { results, rows: reached === from ? [] : rows };
}

export function isOwn(row: LogRow): row is OwnRow {
  return row.name !== null;
}
