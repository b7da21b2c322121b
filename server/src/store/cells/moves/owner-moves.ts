import { partitionOf } from "../../../domain/events/feed.js";
import type { FeedEvent, FeedState } from "../../store.js";
import type { Cell } from "../cell.js";

/** The feed of a cell at the moment at which a move was decided. */
export interface FeedMoment extends Pick<FeedState, "feedId" | "heads"> {
  /** The number of the cell. */
  cell: number;
}

/** An owner who was moved: `from` is after their last event in the cell that they left, `to` before their first in the other. */
export interface FeedBoundary {
  ownerUserId: string;
  from: FeedMoment;
  to: FeedMoment;
}

/** A move as the directory has it. */
export interface NotedMove extends FeedBoundary {
  moveId: string;
}

/** A move, with the partitions that have the owner's events. */
interface Passage {
  from: FeedMoment;
  fromPartition: number;
  fromHead: number;
  to: FeedMoment;
  toHead: number;
}

interface MoveIndex {
  /** By cell and owner. */
  byOwner: Map<string, Passage[]>;
  /** By cell and partition. */
  byPartition: Map<string, Passage[]>;
  /** The numbers of the cells that an owner has left. */
  left: Map<string, number[]>;
}

/**
 * How far a reader has come in a partition of this feed, before the page that it gets: the last number that it has got, or that has
 * expired. Infinitely far at the end of the log, and when there is no such feed any more.
 */
export type ReachedIn = (feed: FeedMoment, partition: number) => number;

/** Hashing an owner's id takes a microsecond, so the index is made once for each list of moves. */
const indices = new WeakMap<readonly FeedBoundary[], MoveIndex>();

/**
 * Which events a reader does not get yet: those of an owner who was moved, until the reader has got the owner's events in the cell before.
 * An event without an owner may be one of theirs, if it is in the same partition.
 *
 * Cells never wait for each other in a circle: what waits was appended after a move, and what it waits for before it.
 *
 * It costs a look-up for each event, and for one without an owner a comparison with each move to its partition. A move may be forgotten when
 * the events before it have expired.
 *
 * @param moves all whose owners may have events in their new cells
 * @returns whether an event of this cell's feed has to wait
 */
export function createBarrier(
  moves: readonly FeedBoundary[],
  reachedIn: ReachedIn,
): (cell: number, feedId: string, event: Pick<FeedEvent, "ownerUserId" | "partition" | "number">) => boolean {
  if (moves.length === 0) return () => false;
  const { byOwner, byPartition } = indexOf(moves);
  return (cell, feedId, { ownerUserId, partition, number }) => {
    const passages =
      ownerUserId === undefined
        ? byPartition.get(`${cell} ${partition}`)
        : byOwner.get(`${cell} ${ownerUserId}`);
    const isAfter = ({ to, toHead }: Passage) => number > toHead || feedId !== to.feedId;
    const hasArrived = ({ from, fromPartition, fromHead }: Passage) =>
      reachedIn(from, fromPartition) >= fromHead;
    return passages?.some((passage) => isAfter(passage) && !hasArrived(passage)) ?? false;
  };
}

/** The numbers of the cells that an owner has left and whose feeds may still have what they did there. */
export function cellsLeftBy(ownerUserId: string, moves: readonly FeedBoundary[]): readonly number[] {
  return moves.length === 0 ? [] : (indexOf(moves).left.get(ownerUserId) ?? []);
}

function indexOf(moves: readonly FeedBoundary[]): MoveIndex {
  const known = indices.get(moves);
  if (known) return known;
  const index: MoveIndex = { byOwner: new Map(), byPartition: new Map(), left: new Map() };
  for (const { ownerUserId, from, to } of moves) {
    const fromPartition = partitionOf(ownerUserId, from.heads.length);
    const toPartition = partitionOf(ownerUserId, to.heads.length);
    const [fromHead = 0, toHead = 0] = [from.heads[fromPartition], to.heads[toPartition]];
    const passage = { from, fromPartition, fromHead, to, toHead };
    add(index.byOwner, `${to.cell} ${ownerUserId}`, passage);
    add(index.byPartition, `${to.cell} ${toPartition}`, passage);
    add(index.left, ownerUserId, from.cell);
  }
  indices.set(moves, index);
  return index;
}

function add<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const others = lists.get(key);
  if (others) others.push(value);
  else lists.set(key, [value]);
}

/**
 * Which moves may be forgotten: what their owners did before has expired, or that feed or its cell is gone. A cell that does not answer keeps its own.
 *
 * @param cells those that can be asked
 * @param numbers of all cells
 */
export async function findPassed(
  moves: readonly NotedMove[],
  cells: readonly Cell[],
  numbers: readonly number[],
): Promise<string[]> {
  if (moves.length === 0) return [];
  const feeds = new Map<number, { state: FeedState | undefined }>();
  await Promise.all(
    cells.map(async ({ number, store }) => {
      const state = store.readFeed([], 0);
      await state.then((one) => feeds.set(number, { state: one })).catch(() => {});
    }),
  );
  const hasPassed = ({ ownerUserId, from }: NotedMove): boolean => {
    const feed = feeds.get(from.cell);
    if (!feed) return !numbers.includes(from.cell);
    if (feed.state?.feedId !== from.feedId) return true;
    const partition = partitionOf(ownerUserId, from.heads.length);
    return (feed.state.tails[partition] ?? 0) > (from.heads[partition] ?? 0);
  };
  return moves.filter(hasPassed).map(({ moveId }) => moveId);
}
