import type { FeedMove, MoveRefusal } from "../../../domain/events/consumer.js";
import type { FeedRead } from "../../store.js";
import type { Cell } from "../cell.js";
import { type FeedLayout, partitionsOf, partOfList } from "./feed-layout.js";
import { type AnsweredPart, filled, type Gathered } from "./feed-parts.js";

/** Where a consumer is in the feed of a cell. */
export interface PlaceInFeed {
  state: FeedRead | undefined;
  /** Undefined when it is not there yet. */
  positions: readonly number[] | undefined;
}

/** What a move of a consumer is in one cell. */
export interface PartOfMove {
  cell: Cell;
  to: FeedMove;
}

export interface PartsOfMove {
  /** Whether there is no such consumer yet. The first part is then that of the first cell. */
  isNew: boolean;
  /** Only cells in which something is said. */
  parts: PartOfMove[];
}

/**
 * Divides a move of a consumer among the cells, or refuses all of it.
 *
 * Nothing is said of a cell where all numbers are 0: the cursor is from before there was the cell, or from when it was unavailable. Only a
 * move that rewinds begins there again.
 *
 * @param home the first cell, which says whether there is such a consumer
 * @returns undefined when it is not where the move says
 */
export function applyFeedMove(
  { layout, parts }: Gathered<PlaceInFeed>,
  home: Cell,
  to: FeedMove,
): PartsOfMove | MoveRefusal | undefined {
  if (to.feedId !== layout.feedId || to.positions.length > partitionsOf(layout))
    return { refused: "another feed" };
  const answered = parts.flatMap((part) => placeIn(part, layout, to));
  const isNew = answered[0]?.at === undefined;
  const said = answered.filter(({ cell, to: own, isMoved }) => {
    const isSaid = to.rewind || own.positions.some((position) => position > 0);
    return isMoved && (isSaid || (isNew && cell === home));
  });
  // Also where the move itself changes nothing.
  const isElsewhere = answered.some(({ at, to: { from: start } }) =>
    start?.some((position, partition) => position !== at?.[partition]),
  );
  if (to.from && (isNew || isElsewhere)) return undefined;
  for (const { to: own, heads } of said) {
    const beyond = own.positions.findIndex((position, partition) => position > (heads[partition] ?? 0));
    if (beyond >= 0) return { refused: "beyond the log", head: heads[beyond] ?? 0 };
  }
  if (!to.rewind && !isNew) {
    for (const { to: own, at = [] } of said) {
      const back = own.positions.findIndex((position, partition) => position < (at[partition] ?? 0));
      if (back >= 0) return { refused: "backwards", position: at[back] ?? 0 };
    }
  }
  // Where it is new it was created at the oldest that is kept, which may be behind where it is to be.
  const partOf = ({ cell, to: own }: (typeof said)[number]) => ({
    cell,
    to: isNew && cell !== home ? { ...own, rewind: true } : own,
  });
  return { isNew, parts: said.map(partOf) };
}

/** @returns none for a cell that has not answered */
function placeIn(
  { part, cell, answer }: AnsweredPart<PlaceInFeed>,
  layout: FeedLayout,
  { positions, from, rewind }: FeedMove,
) {
  if (!cell || !answer?.state) return [];
  const own = (list: readonly number[]) => filled(part, partOfList(layout, part.cell, list));
  const to: FeedMove = { feedId: part.feedId, positions: own(positions), rewind };
  const start = from && own(from);
  const isMoved = to.positions.some((position, partition) => position !== start?.[partition]);
  // Where all numbers are 0 the cell may have been unavailable when the position was read. But it must be somewhere still.
  if (start) {
    const isSaid = start.some((position) => position > 0);
    to.from = isSaid ? start : answer.positions;
  }
  return [{ cell, to, at: answer.positions, heads: answer.state.heads, isMoved }];
}
