import { type FeedState, StoreUnavailable } from "../../store.js";
import { type AskCells, unavailable } from "../ask-cells.js";
import type { Cell, Cells } from "../cell.js";
import type { FeedBoundary } from "../moves/owner-moves.js";
import { type FeedLayout, type FeedPart, layoutAfter, partitionsOf } from "./feed-layout.js";

/** What all instances know of the feed of all cells. */
export interface FeedDirectory {
  /** As it was stored last, or as this instance knows it while that cannot be read: the feed does not go on without it. */
  layout(): Promise<FeedLayout | undefined>;
  /** The same, read anew. */
  reloadLayout(): Promise<FeedLayout | undefined>;
  /**
   * Stores a layout in place of `from`, unless another instance has replaced that.
   *
   * @returns the one that is stored now
   */
  replaceLayout(from: FeedLayout | undefined, to: FeedLayout): Promise<FeedLayout | undefined>;
  /**
   * The moves that are decided, asked for anew; the same list while there is no other. Each has to be in it before its owner's first event is
   * in the new cell: a reader could otherwise get that event too early. It stays until the events before it have expired.
   */
  moves(): Promise<readonly FeedBoundary[]>;
}

export interface FeedContext {
  cells: Cells;
  ask: AskCells;
  directory: FeedDirectory;
}

/** What a cell's feed is, and what else was read of it. */
export interface FeedAnswer {
  /** Undefined while the feed is off there. */
  state: FeedState | undefined;
}

/** A part of the feed, and what its cell has answered. */
export interface AnsweredPart<Answer> {
  part: FeedPart;
  /** The number of its first partition among those of all cells. */
  first: number;
  /** Undefined when the cell was removed. */
  cell: Cell | undefined;
  /** Undefined when the cell is unavailable, was removed, or its feed is off. */
  answer: Answer | undefined;
}

/** The feed of all cells, as far as they answer. */
export interface Gathered<Answer> {
  layout: FeedLayout;
  parts: AnsweredPart<Answer>[];
  /** Names of the cells that are not in it now: they are unavailable, or their feed is not switched on yet. */
  away: string[];
}

/** Another instance may replace the layout at the same time. */
const MAX_TRIES = 3;

/**
 * Asks all cells about their feeds.
 *
 * @param partitions those that a reader has positions for: more than are known were added by another instance
 * @returns undefined while the feed is off in the first cell
 * @throws StoreUnavailable when no cell with a feed answers
 */
export async function gatherFeed<Answer extends FeedAnswer>(
  { cells: listCells, ask, directory }: FeedContext,
  call: (cell: Cell, layout: FeedLayout | undefined) => Promise<Answer>,
  partitions = 0,
): Promise<Gathered<Answer> | undefined> {
  let layout = await directory.layout();
  if (layout && partitions > partitionsOf(layout)) layout = await directory.reloadLayout();
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = layout;
    const cells = listCells();
    const asked = await ask(cells, (cell) => call(cell, known));
    const home = asked.answered.find(({ cell }) => cell === cells[0]);
    if (home && !home.value.state) return undefined;
    if (asked.answered.every(({ value }) => !value.state)) throw unavailable(asked);
    const answers = new Map<number, Answer>();
    const states = new Map<number, FeedState>();
    for (const { cell, value } of asked.answered) {
      if (!value.state) continue;
      answers.set(cell.number, value);
      states.set(cell.number, value.state);
    }
    const numbers = cells.map(({ number }) => number);
    const next = layoutAfter(known, numbers, states);
    // There never was a layout, and the first cell does not answer.
    if (!next) throw unavailable(asked);
    const isStored = next === known || isSame(await directory.replaceLayout(known, next), next);
    if (isStored) return gathered(next, cells, answers);
    layout = await directory.reloadLayout();
  }
  throw new StoreUnavailable("the cells of the feed change all the time");
}

/** A list with a number for each partition of all cells. */
export function acrossParts<Answer>(
  parts: readonly AnsweredPart<Answer>[],
  ofPart: (part: AnsweredPart<Answer>) => readonly number[],
): number[] {
  return parts.flatMap((part) => filled(part.part, ofPart(part)));
}

/** A position for each partition of a part; 0 where none is given. */
export function filled({ partitions }: FeedPart, positions: readonly number[]): number[] {
  return Array.from({ length: partitions }, (_, partition) => positions[partition] ?? 0);
}

function gathered<Answer>(
  layout: FeedLayout,
  cells: readonly Cell[],
  answers: ReadonlyMap<number, Answer>,
): Gathered<Answer> {
  let first = 0;
  const parts = layout.parts.map((part): AnsweredPart<Answer> => {
    const cell = cells.find(({ number }) => number === part.cell);
    const answered = { part, first, cell, answer: answers.get(part.cell) };
    first += part.partitions;
    return answered;
  });
  const present = new Set(parts.filter(({ answer }) => answer).map(({ part }) => part.cell));
  const away = cells.filter(({ number }) => !present.has(number)).map(({ name }) => name);
  return { layout, parts, away };
}

function isSame(one: FeedLayout | undefined, other: FeedLayout): boolean {
  const textOf = ({ feedId, parts }: FeedLayout) =>
    [feedId, ...parts.map((part) => `${part.cell} ${part.feedId} ${part.partitions}`)].join();
  return one !== undefined && textOf(one) === textOf(other);
}
