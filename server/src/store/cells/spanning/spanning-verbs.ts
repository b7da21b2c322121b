import type { LaneSurvey } from "../../../domain/delivery/lane-survey.js";
import { USER_ERASURE_KEPT_MS } from "../../parts/user-store.js";
import type { Listeners, Store } from "../../store.js";
import { type AskCells, fromAll, fromSome } from "../ask-cells.js";
import type { Cell, Cells } from "../cell.js";
import { stepThroughCells } from "./cell-steps.js";
import { compareTexts } from "./merged-list.js";
import { findAnywhere } from "./spanning-lists.js";

type SpanningVerb =
  | "findProfile"
  | "reviewBot"
  | "findHolders"
  | "countListeners"
  | "eraseUser"
  | "nextSealingKey"
  | "noteKeyFile"
  | "hasKeyFile"
  | "skipUpdateIds"
  | "surveyLanes"
  | "switchDeliveries"
  | "areDeliveriesOff"
  | "ping";

export interface SpanningVerbs extends Pick<Store, SpanningVerb> {
  /** The names of the cells that cannot be written to now. */
  findUnavailable(): Promise<string[]>;
}

/** Users that are being erased. The one of whom nobody has asked for longest is forgotten, and begins again. */
const MAX_ERASED_USERS = 10_000;

/** Verbs that concern all cells, or one of which it is not known which. Each says what a cell that is unavailable means for it. */
export function spanningVerbs(
  cells: Cells,
  ask: AskCells,
  /** Undefined when no cell has the channel, as far as is known. */
  cellOfChannel: (channelId: string) => Promise<Cell | undefined>,
): SpanningVerbs {
  /** The numbers of the cells in which an erasure has ended, by user: a cell that says so forgets it. */
  const endedIn = new Map<string, { askedAt: number; cells: Set<number> }>();

  const endedOf = (userId: string): Set<number> => {
    const known = endedIn.get(userId);
    const isCurrent = known && Date.now() - known.askedAt < USER_ERASURE_KEPT_MS;
    const ended = isCurrent ? known.cells : new Set<number>();
    endedIn.delete(userId);
    const [oldest] = endedIn.keys();
    if (endedIn.size >= MAX_ERASED_USERS && oldest !== undefined) endedIn.delete(oldest);
    endedIn.set(userId, { askedAt: Date.now(), cells: ended });
    return ended;
  };

  const ping = () => ask(cells(), ({ store }) => store.ping());

  return {
    /** Throws StoreUnavailable when the bot may be in a cell that is unavailable; so do the next two. */
    findProfile: (...parameters) => findAnywhere(cells, ask, (store) => store.findProfile(...parameters)),

    /** Only the cell that has the bot writes. */
    async reviewBot(botId, review) {
      const store = await findAnywhere(cells, ask, async (one) =>
        (await one.findHolders([botId])).size > 0 ? one : undefined,
      );
      return await store?.reviewBot(botId, review);
    },

    async findHolders(ids) {
      const asked = await ask(cells(), ({ store }) => store.findHolders(ids));
      const holders = new Map(asked.answered.flatMap(({ value }) => [...value]));
      if (ids.some((id) => !holders.has(id))) fromAll(asked);
      return holders;
    },

    /** Each channel is counted in its cell. Those of a cell that is unavailable are missing: nothing is posted there either. */
    async countListeners(channelIds) {
      const byCell = new Map<Cell, string[]>();
      const found = await Promise.all(channelIds.map(cellOfChannel));
      for (const [index, cell] of found.entries()) {
        const channelId = channelIds[index] as string;
        if (cell) byCell.set(cell, [...(byCell.get(cell) ?? []), channelId]);
      }
      const { answered } = await ask([...byCell.keys()], (cell) =>
        cell.store.countListeners(byCell.get(cell) ?? []),
      );
      return new Map<string, Listeners>(answered.flatMap(({ value }) => [...value]));
    },

    /**
     * True when it has ended in every cell. In one that is unavailable, or still has direct channels of the user, it has not.
     *
     * What ended in a cell is remembered by this instance, until it has ended in all; another one begins again there.
     */
    async eraseUser(userId, by) {
      const ended = endedOf(userId);
      const open = cells().filter(({ number }) => !ended.has(number));
      const [first] = cells();
      const asked = await ask(open, async ({ number, store }) => {
        const [channel] = await store.listUserChannels(userId, 1);
        // One entry of the platform's audit log is enough.
        const told = number === first?.number ? by : { ...by, audit: undefined };
        if (!channel && (await store.eraseUser(userId, told))) ended.add(number);
      });
      const hasEnded = asked.away.length === 0 && cells().every(({ number }) => ended.has(number));
      if (hasEnded) endedIn.delete(userId);
      return hasEnded;
    },

    /** The service starts also while a cell is unavailable, so here and with key files those count that answer. */
    async nextSealingKey(after) {
      const next = fromSome(await ask(cells(), ({ store }) => store.nextSealingKey(after)));
      return next.filter((id) => id !== undefined).toSorted(compareTexts)[0];
    },

    async noteKeyFile(name) {
      fromSome(await ask(cells(), ({ store }) => store.noteKeyFile(name)));
    },

    async hasKeyFile(name) {
      return fromSome(await ask(cells(), ({ store }) => store.hasKeyFile(name))).includes(true);
    },

    /** Stops at a cell that is unavailable: a number must not be given out again there either. */
    async skipUpdateIds(from, limit, count) {
      const step = ({ store }: Cell, key: number) => store.skipUpdateIds(key, limit, count);
      return (await stepThroughCells(cells(), from, step)) ?? { logs: 0 };
    },

    /** Passes a cell that is unavailable: what is measured of the others stays current. */
    async surveyLanes(from, limit, now) {
      const step = async (cell: Cell, key: number): Promise<LaneSurvey> => {
        const { answered } = await ask([cell], ({ store }) => store.surveyLanes(key, limit, now));
        return answered[0]?.value ?? nothingSurveyed();
      };
      return (await stepThroughCells(cells(), from, step)) ?? nothingSurveyed();
    },

    /** Throws StoreUnavailable when a cell could not be switched; the others are. */
    async switchDeliveries(isOn) {
      fromAll(await ask(cells(), ({ store }) => store.switchDeliveries(isOn)));
    },

    /** Off when any cell that answers says so. */
    async areDeliveriesOff() {
      return fromSome(await ask(cells(), ({ store }) => store.areDeliveriesOff())).includes(true);
    },

    /** Resolves while at least one cell can be written to. */
    async ping() {
      fromSome(await ping());
    },

    async findUnavailable() {
      return (await ping()).away.map(({ name }) => name);
    },
  };
}

function nothingSurveyed(): LaneSurvey {
  return {
    waitingUpdates: 0,
    restingLanes: 0,
    lateLanes: 0,
    receivers: { accepting: 0, quiet: 0, failing: 0 },
  };
}
