import { MAX_PAGE_BYTES } from "../../../domain/limits.js";
import type { FeedFrom, FeedRead, Store } from "../../store.js";
import { fromSome, shareOf } from "../ask-cells.js";
import type { Cell } from "../cell.js";
import { createBarrier, type FeedBoundary, type FeedMoment } from "../moves/owner-moves.js";
import { stepThroughCells } from "../spanning/cell-steps.js";
import { type FeedConsumers, readAtConsumer, spanningConsumers } from "./feed-consumers.js";
import { type FeedLayout, partOfList } from "./feed-layout.js";
import { type CellReading, collectEvents, takeInTurns } from "./feed-page.js";
import {
  type AnsweredPart,
  acrossParts,
  type FeedContext,
  filled,
  type Gathered,
  gatherFeed,
} from "./feed-parts.js";

export interface SpanningFeed extends Pick<Store, "switchFeed" | "hasFeed" | "attachFeed" | "readFeed"> {
  /** The consumers, as the verbs of the seam with the log `FEED`. */
  consumers: FeedConsumers;
  /** Switches the feed on in a cell that is not open yet, if it is on in the first one. */
  switchInNewCell(store: Store): Promise<void>;
}

type Answer = { state: FeedRead | undefined };
type ReadPart = AnsweredPart<Answer>;

/**
 * The feeds of all cells as one. Its partitions are those of all cells, so an owner's events are in one of them, in order, also when the
 * owner is moved: see `owner-moves.ts`.
 *
 * A cell that is unavailable is left out: the feed goes on with the others, and the reader's positions in that cell stay. `away` of what
 * is read names it.
 */
export function createSpanningFeed(context: FeedContext): SpanningFeed {
  const { cells, ask, directory } = context;
  /** As this instance has switched the feed. */
  let hasAudit: boolean | undefined;

  const readFeed = async (
    from: FeedFrom,
    limit: number,
    maxBytes = MAX_PAGE_BYTES,
  ): Promise<FeedRead | undefined> => {
    const given = "consumer" in from ? undefined : from;
    const share = shareOf(limit, cells().length);
    const shareOfBytes = Math.ceil(maxBytes / cells().length);
    const gathered = await gatherFeed<Answer>(
      context,
      async (cell, layout) => {
        if ("consumer" in from)
          return { state: await readAtConsumer(context, cell, from.consumer, share, shareOfBytes) };
        return { state: await cell.store.readFeed(ownPositions(cell, layout, from), share, shareOfBytes) };
      },
      given?.length,
    );
    if (!gathered) return undefined;
    // Asked for after what was read, which may be of owners who were moved before.
    const moves = await directory.moves();
    const page = await pageOf(gathered, given ?? [], moves, limit, maxBytes);
    const isCurrent = page.events.length === 0 || (await directory.moves()) === moves;
    return isCurrent ? page : await readFeed(from, limit, maxBytes);
  };

  /** A cursor from before there was a layout is of the feed that is now that of the first cell. */
  const ownPositions = (cell: Cell, layout: FeedLayout | undefined, from: readonly number[]) => {
    if (layout) return partOfList(layout, cell.number, from);
    return cell === cells()[0] ? from : [];
  };

  const pageOf = async (
    { layout, parts, away }: Gathered<Answer>,
    given: readonly number[],
    moves: readonly FeedBoundary[],
    limit: number,
    maxBytes: number,
  ): Promise<FeedRead> => {
    /** Of an unavailable cell those that the reader has given; a consumer's are unknown, and 0. */
    const positionsIn = ({ part, answer }: ReadPart) =>
      answer?.state?.positions ?? filled(part, partOfList(layout, part.cell, given));
    const byCell = new Map(parts.map((part) => [part.part.cell, part]));
    const reachedIn = ({ cell, feedId }: FeedMoment, partition: number): number => {
      const from = byCell.get(cell);
      // A cell that was added and has not answered yet.
      if (!from && cells().some(({ number }) => number === cell)) return 0;
      if (!from?.cell || from.part.feedId !== feedId) return Number.POSITIVE_INFINITY;
      const position = positionsIn(from)[partition] ?? 0;
      const state = from.answer?.state;
      if (!state) return position;
      const reached = Math.max(position, (state.tails[partition] ?? 1) - 1);
      return reached >= (state.heads[partition] ?? 0) ? Number.POSITIVE_INFINITY : reached;
    };
    const mayNotYet = createBarrier(moves, reachedIn);
    const readable = parts.flatMap((part) => {
      const { cell, answer } = part;
      return cell && answer?.state ? [{ part, cell, first: answer.state }] : [];
    });
    const readings = readable.map(
      ({ cell, first }): CellReading => ({
        first,
        hasToWait: (event) => mayNotYet(cell.number, first.feedId, event),
        async read(positions, ...bounds) {
          const { answered } = await ask([cell], () => cell.store.readFeed(positions, ...bounds));
          return answered[0]?.value;
        },
      }),
    );
    const collected = await collectEvents(readings, limit, maxBytes);
    const headsOf = new Map(readable.map(({ part }, index) => [part, collected[index]?.heads]));
    const events = readable.map(({ part }, index) =>
      (collected[index]?.events ?? []).map((event) => ({
        ...event,
        partition: part.first + event.partition,
      })),
    );
    return {
      feedId: layout.feedId,
      positions: acrossParts(parts, positionsIn),
      // A cell that is unavailable has no more to read, and nothing expired.
      heads: acrossParts(parts, (part) => headsOf.get(part) ?? positionsIn(part)),
      tails: acrossParts(
        parts,
        (part) => part.answer?.state?.tails ?? positionsIn(part).map((position) => position + 1),
      ),
      events: takeInTurns(events, limit, maxBytes),
      ...(parts.some(({ answer }) => answer?.state?.isSetBack) && { isSetBack: true }),
      ...(away.length > 0 && { away }),
    };
  };

  return {
    readFeed,
    consumers: spanningConsumers(context),

    /**
     * The first cell decides. A cell that is unavailable is switched when channels are attached, and one that is added has to be before it
     * gets owners. One that still had its feed while the feed was off loses that.
     */
    async switchFeed(isOn, isAudited) {
      hasAudit = isAudited;
      const [home, ...others] = cells();
      if (!home) return;
      const wasOn = await home.store.hasFeed();
      await home.store.switchFeed(isOn, isAudited);
      await ask(others, async ({ store }) => {
        if (isOn && !wasOn) await store.switchFeed(false);
        await store.switchFeed(isOn, isAudited);
      });
    },

    async switchInNewCell(store) {
      const [home] = cells();
      if (home && (await home.store.hasFeed().catch(() => false))) await store.switchFeed(true, hasAudit);
    },

    /** As the first cell says that is available. */
    async hasFeed() {
      return fromSome(await ask(cells(), ({ store }) => store.hasFeed()))[0] as boolean;
    },

    /** Begins to switch the feed on in cells where it is not. Waits for a cell that is unavailable. */
    async attachFeed(from, limit) {
      const [home] = cells();
      if (!(await home?.store.hasFeed())) return undefined;
      const step = async ({ store }: Cell, key: number) => {
        if (key === 0 && !(await store.hasFeed())) await store.switchFeed(true, hasAudit);
        return { next: await store.attachFeed(key, limit) };
      };
      return (await stepThroughCells(cells(), from, step))?.next;
    },
  };
}
