import { isRefusal, type MoveRefusal } from "../../../domain/events/consumer.js";
import type { FeedCursor } from "../../../domain/events/feed.js";
import {
  type Audited,
  type ConsumerIn,
  FEED,
  type FeedRead,
  type FeedState,
  type MoveIn,
  type Store,
} from "../../store.js";
import { fromAll, fromSome, unavailable } from "../ask-cells.js";
import type { Cell } from "../cell.js";
import { applyFeedMove, type PartOfMove } from "./feed-moves.js";
import { type AnsweredPart, acrossParts, type FeedContext, gatherFeed } from "./feed-parts.js";

type FeedConsumer = ConsumerIn<typeof FEED>;

/**
 * The consumers of the feed of all cells: the verbs of the seam with the log `FEED`. A consumer is in the feed of each cell, with its
 * position there. Whether there is one, the first cell says, or while that is unavailable the others; so one is created and deleted in the
 * first cell before the others, and where it is missing it is created when it is read, at the beginning.
 *
 * The positions in a cell that is unavailable are not known, and 0 in what is returned. Such a position moves nothing, unless the move rewinds.
 */
export interface FeedConsumers extends Pick<Store, "noteConsumerPolls"> {
  find(name: string): Promise<FeedCursor | undefined>;
  /** @throws StoreUnavailable for a new one also when only the first cell is unavailable */
  open(name: string, now: number): Promise<FeedCursor | "too many" | undefined>;
  /**
   * It is refused in all cells or in none. A cell that is unavailable is left out: what was read of it before may be read again. If one becomes so
   * meanwhile, the others may have moved.
   */
  move(name: string, to: MoveIn<typeof FEED>, now: number): Promise<FeedConsumer | MoveRefusal | undefined>;
  list(): Promise<FeedConsumer[]>;
  /** @throws StoreUnavailable when any cell is unavailable: the consumer would go on there */
  delete(name: string, by?: Audited): Promise<boolean>;
}

export function spanningConsumers(context: FeedContext): FeedConsumers {
  const { cells, ask } = context;
  const homeOf = () => cells()[0] as Cell;
  const othersOf = () => cells().slice(1);

  const find = async (name: string): Promise<FeedCursor | undefined> => {
    const gathered = await gatherFeed(context, async (cell) => ({
      state: await readAtConsumer(context, cell, name, 0, 0),
    }));
    return (
      gathered && {
        feedId: gathered.layout.feedId,
        positions: acrossParts(gathered.parts, ({ answer }) => answer?.state?.positions ?? []),
      }
    );
  };

  /** Where a new one is. */
  const beginning = async (): Promise<FeedCursor | undefined> => {
    const gathered = await gatherFeed(context, async ({ store }) => ({ state: await store.readFeed([], 0) }));
    return (
      gathered && {
        feedId: gathered.layout.feedId,
        positions: acrossParts(gathered.parts, ({ answer }) => (answer?.state ? startOf(answer.state) : [])),
      }
    );
  };

  /** Creates it in the other cells. One that is older there was left when it was deleted. */
  const openInOthers = async (name: string, now: number): Promise<void> => {
    const createdAt = (await homeOf().store.listConsumers(FEED)).find(isNamed(name))?.createdAt ?? now;
    await ask(othersOf(), async ({ store }) => {
      const left = (await store.listConsumers(FEED)).find(isNamed(name));
      if (left && left.createdAt < createdAt) await store.deleteConsumer(FEED, name);
      await store.openConsumer(FEED, name, now);
    });
  };

  const list = async (): Promise<FeedConsumer[]> => {
    const gathered = await gatherFeed(context, async ({ store }) => {
      const [state, consumers] = await Promise.all([store.readFeed([], 0), store.listConsumers(FEED)]);
      return { state, consumers };
    });
    if (!gathered) return [];
    const { layout, parts } = gathered;
    const decisive = parts.find(({ answer }) => answer)?.answer;
    return (decisive?.consumers ?? []).map(({ name, createdAt }) => {
      const found = parts.map((part) => ownIn(part, name));
      const lastPolledAt = Math.max(...found.map((own) => own.lastPolledAt ?? 0));
      return {
        name,
        createdAt,
        feedId: layout.feedId,
        positions: acrossParts(parts, (part) => ownIn(part, name).positions),
        lag: found.reduce((sum, own) => sum + own.lag, 0),
        ...(lastPolledAt > 0 && { lastPolledAt }),
      };
    });
  };

  /** @param moves one for each cell that moves it */
  const moveIn = async (name: string, moves: readonly PartOfMove[], now: number) => {
    const byCell = new Map(moves.map((move) => [move.cell, move.to]));
    const asked = await ask([...byCell.keys()], (cell) =>
      cell.store.moveConsumer(FEED, name, byCell.get(cell) as MoveIn<typeof FEED>, now),
    );
    const results = moves.length === 0 ? [] : fromSome(asked);
    const refusal = results.find((one) => one !== undefined && isRefusal(one));
    return { isThere: !results.includes(undefined), refusal };
  };

  return {
    find,
    list,

    async open(name, now) {
      const found = await find(name);
      if (found) return found;
      const opened = await homeOf().store.openConsumer(FEED, name, now);
      if (opened === undefined || opened === "too many") return opened;
      await openInOthers(name, now);
      // It may have been deleted since.
      return (await find(name)) ?? (await beginning());
    },

    async move(name, to, now) {
      const gathered = await gatherFeed(
        context,
        async ({ store }) => {
          const [state, own] = await Promise.all([store.readFeed([], 0), store.findConsumer(FEED, name)]);
          return { state, positions: own?.positions };
        },
        to.positions.length,
      );
      if (!gathered) return undefined;
      const home = homeOf();
      const moves = applyFeedMove(gathered, home, to);
      if (moves === undefined || "refused" in moves) return moves;
      if (moves.isNew) {
        if (gathered.away.includes(home.name)) throw unavailable({ away: [home] });
        const made = await moveIn(name, moves.parts.slice(0, 1), now);
        if (!made.isThere || made.refusal) return made.refusal;
        await openInOthers(name, now);
      }
      const moved = await moveIn(name, moves.isNew ? moves.parts.slice(1) : moves.parts, now);
      if (!moved.isThere || moved.refusal) return moved.refusal;
      return (await list()).find(isNamed(name));
    },

    async delete(name, by) {
      fromAll(await ask(cells(), ({ store }) => store.hasFeed()));
      const isDeleted = await homeOf().store.deleteConsumer(FEED, name, by);
      const areDeleted = fromAll(await ask(othersOf(), ({ store }) => store.deleteConsumer(FEED, name)));
      return isDeleted || areDeleted.includes(true);
    },

    /** In the first cell that is available: the time of a consumer's last poll is the latest of all. */
    async noteConsumerPolls(polls) {
      const own = polls.filter(({ botId }) => botId === FEED);
      if (own.length === 0) return;
      for (const cell of cells()) {
        const { answered } = await ask([cell], ({ store }) => store.noteConsumerPolls(own));
        if (answered.length > 0) return;
      }
      throw unavailable({ away: [...cells()] });
    },
  };
}

/**
 * Reads what follows a consumer in one cell. Where the consumer is missing, because the feed began later there or the cell was unavailable, it
 * is created.
 *
 * @returns undefined while the feed is off there, and without such a consumer in the first cell
 */
export async function readAtConsumer(
  { cells, ask }: Pick<FeedContext, "cells" | "ask">,
  { number, store }: Cell,
  name: string,
  limit: number,
  maxBytes: number,
): Promise<FeedRead | undefined> {
  const read = await store.readFeed({ consumer: name }, limit, maxBytes);
  const home = cells()[0] as Cell;
  if (read || number === home.number || !(await store.hasFeed())) return read;
  const isThere = async (): Promise<boolean> =>
    fromAll(await ask([home], async () => (await home.store.findConsumer(FEED, name)) !== undefined))[0] ===
    true;
  if (!(await isThere())) return undefined;
  await store.openConsumer(FEED, name, Date.now());
  // It may have been deleted in the first cell, and here before this.
  if (!(await isThere())) {
    await store.deleteConsumer(FEED, name);
    return undefined;
  }
  return await store.readFeed({ consumer: name }, limit, maxBytes);
}

/** The positions of a reader who has read nothing of what is kept. */
const startOf = ({ tails }: FeedState): number[] => tails.map((tail) => tail - 1);

/** A consumer in a part of the feed; where it does not exist yet, as it will be created. */
function ownIn(
  { answer }: AnsweredPart<{ state: FeedRead | undefined; consumers: readonly FeedConsumer[] }>,
  name: string,
): Pick<FeedConsumer, "positions" | "lag" | "lastPolledAt"> {
  if (!answer?.state) return { positions: [], lag: 0 };
  const { heads } = answer.state;
  const positions = startOf(answer.state);
  const lag = heads.reduce((sum, head, partition) => sum + head - (positions[partition] ?? 0), 0);
  return answer.consumers.find(isNamed(name)) ?? { positions, lag };
}

const isNamed =
  (name: string) =>
  (consumer: FeedConsumer): boolean =>
    consumer.name.toLowerCase() === name.toLowerCase();
