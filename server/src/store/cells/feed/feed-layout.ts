import { createHash } from "node:crypto";
import type { FeedState } from "../../store.js";

/** The feed of a cell within the feed of all cells. */
export interface FeedPart {
  /** The cell's. */
  cell: number;
  /** The id that the feed has in its cell. */
  feedId: string;
  partitions: number;
}

/**
 * The feed of all cells: its partitions are those of its parts, one part after the other, so a position keeps its place when a cell
 * is added. A part stays when its cell is removed.
 */
export interface FeedLayout {
  /**
   * The id for readers: at first that of the first cell, so that cursors from before there were cells stay valid. Another one once the
   * feed of any cell was switched off and on again, or its database was replaced.
   */
  feedId: string;
  /** By number of their cells. */
  parts: readonly FeedPart[];
}

/**
 * The layout after cells have answered. Cells behind the last part are appended in order of their numbers, and only up to the first without
 * an answer: otherwise its partitions would be put before others later.
 *
 * @param cells the numbers of all cells, ascending
 * @param states of the cells that have answered and whose feed is on
 * @returns the same object when nothing has changed; undefined while there is no part
 */
export function layoutAfter(
  layout: FeedLayout | undefined,
  cells: readonly number[],
  states: ReadonlyMap<number, Pick<FeedState, "feedId" | "heads">>,
): FeedLayout | undefined {
  const known = layout?.parts ?? [];
  const replaced: string[] = [];
  const parts = known.map((part) => {
    const state = states.get(part.cell);
    if (!state || state.feedId === part.feedId) return part;
    replaced.push(state.feedId);
    return partOf(part.cell, state);
  });
  const last = known.at(-1)?.cell ?? -1;
  for (const cell of cells.filter((number) => number > last)) {
    const state = states.get(cell);
    if (!state) break;
    parts.push(partOf(cell, state));
  }
  const [first] = parts;
  if (!first || (replaced.length === 0 && parts.length === known.length)) return layout;
  const feedId = layout?.feedId ?? first.feedId;
  return { feedId: replaced.length === 0 ? feedId : idAfter(feedId, replaced), parts };
}

/** The part of a list with a number for each partition; shorter, or empty, where the list ends before. */
export function partOfList(layout: FeedLayout, cell: number, list: readonly number[]): readonly number[] {
  let begin = 0;
  for (const part of layout.parts) {
    if (part.cell === cell) return list.slice(begin, begin + part.partitions);
    begin += part.partitions;
  }
  return [];
}

export function partitionsOf(layout: FeedLayout): number {
  return layout.parts.reduce((sum, { partitions }) => sum + partitions, 0);
}

function partOf(cell: number, { feedId, heads }: Pick<FeedState, "feedId" | "heads">): FeedPart {
  return { cell, feedId, partitions: heads.length };
}

/** The same on all instances that see the same change. */
function idAfter(feedId: string, replaced: readonly string[]): string {
  return createHash("sha256")
    .update([feedId, ...replaced].join())
    .digest("hex")
    .slice(0, 16);
}
