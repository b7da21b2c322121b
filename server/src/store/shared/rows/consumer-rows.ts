import {
  applyMove,
  type Consumer,
  type ConsumerMove,
  type ConsumerPosition,
  type FeedMove,
  isRefusal,
  type LogExtent,
  lagOf,
  type MoveRefusal,
} from "../../../domain/events/consumer.js";
import type { ConsumerIn, PositionIn } from "../../parts/consumer-store.js";
import { omitNulls } from "../omit-nulls.js";

/** A consumer in one log: its only one, that of a bot, or that of one partition of the feed. */
export interface ConsumerRow extends ConsumerPosition, LogExtent {
  name: string;
  createdAt: number;
  lastPolledAt: number | null;
  /** Null in the log of a bot. */
  feedId: string | null;
}

/** @param rows one, or one for each partition of the feed, in their order */
export function positionIn<Log>(
  rows: readonly Pick<ConsumerRow, "position" | "done" | "feedId">[],
): PositionIn<Log> {
  const [{ position, done, feedId }] = rows as [ConsumerRow];
  const found = feedId === null ? { position, done } : { feedId, positions: rows.map((row) => row.position) };
  return found as PositionIn<Log>;
}

/** @param rows as for {@link positionIn} */
export function consumerIn<Log>(rows: readonly ConsumerRow[]): ConsumerIn<Log> {
  const [{ name, createdAt }] = rows as [ConsumerRow];
  const lag = rows.reduce((sum, row) => sum + lagOf(row, row), 0);
  const lastPolledAt = Math.max(...rows.map((row) => row.lastPolledAt ?? 0)) || null;
  const about = omitNulls<Omit<Consumer, keyof ConsumerPosition>>({ name, lag, createdAt, lastPolledAt });
  return { ...about, ...positionIn<Log>(rows) } as ConsumerIn<Log>;
}

/**
 * A consumer after a move; in the feed, every partition must accept it.
 *
 * @param logs one, or one for each partition of the feed
 * @param rows where the consumer is in them; none when it is to be created
 * @returns undefined when it is not where the move says
 */
export function applyMoves(
  logs: readonly Pick<ConsumerRow, keyof LogExtent | "feedId">[],
  rows: readonly ConsumerRow[],
  to: ConsumerMove | FeedMove,
  { name, now }: { name: string; now: number },
): ConsumerRow[] | MoveRefusal | undefined {
  const isOfFeed = "positions" in to;
  const moves = isOfFeed ? to.positions.map((position) => ({ position, done: [], rewind: to.rewind })) : [to];
  if (isOfFeed && (to.feedId !== logs[0]?.feedId || moves.length !== logs.length))
    return { refused: "another feed" };
  if (isOfFeed && to.from?.some((position, index) => position !== rows[index]?.position)) return undefined;
  const reached = moves.map((move, index) => applyMove(rows[index], move, logs[index]?.head ?? 0));
  const refusals = reached.filter(isRefusal);
  const refusal = refusals.find(({ refused }) => refused === "beyond the log") ?? refusals[0];
  if (refusal) return refusal;
  return logs.map(({ head, gapFrom, gapThrough, feedId }, index) => ({
    name: rows[index]?.name ?? name,
    createdAt: rows[index]?.createdAt ?? now,
    lastPolledAt: rows[index]?.lastPolledAt ?? null,
    head,
    gapFrom,
    gapThrough,
    feedId,
    ...(reached[index] as ConsumerPosition),
  }));
}
