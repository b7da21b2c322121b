import type { BotRef, Store } from "../../store.js";
import type { StoreVerbs } from "../../verbs.js";
import type { Cell, Cells } from "../cell.js";
import type { Locations } from "../locations.js";
import type { Crossings } from "./apart.js";
import { changeNotice } from "./changes.js";
import { changesFor, guestOwnerOf, isLogId } from "./guests.js";
import type { Relay } from "./relay.js";

type BotVerb = "editBot" | "deleteBot" | "setBotDisabled" | "putCommands" | "putOwner" | "findProfile";

/** Changes of bots that may be guests in other cells: all of these are told, and follow. */
export function guestBotVerbs(
  verbs: StoreVerbs,
  cells: Cells,
  locations: Locations,
  { cellOf, awayOf }: Crossings,
  relay: Pick<Relay, "settle" | "wake">,
): Pick<Store, BotVerb> {
  return {
    async editBot(ref, edit) {
      const bot = await verbs.editBot({ ...ref, tell: changeNotice(makerOf(ref)) }, edit);
      await spread(ref);
      return bot;
    },

    /** In other cells it is deleted when this resolves, too. */
    async deleteBot(ref, toldAs) {
      const [found] = await Promise.allSettled([awayOf(ref.botId)]);
      const isDeleted = await verbs.deleteBot({ ...ref, tell: changeNotice(makerOf(ref)) }, toldAs);
      // Where it is deleted as soon as that can be done, since its own cell has told it.
      if (found.status === "rejected") throw found.reason;
      if (!isDeleted || !found.value) return isDeleted;
      const { home, away } = found.value;
      await relay.settle(home, logsFor([...away, ...(await knownIn(home, ref))]), ref.ownerUserId);
      return isDeleted;
    },

    async setBotDisabled(ref, ...change) {
      const bot = await verbs.setBotDisabled({ ...ref, tell: changeNotice(makerOf(ref)) }, ...change);
      await spread(ref);
      return bot;
    },

    async putCommands(botId, commands, now, by) {
      const ownerUserId = await locations.findOwnerOf({ id: botId });
      // It is deleted.
      if (ownerUserId === undefined) return await verbs.putCommands(botId, commands, now, by);
      const isPut = await verbs.putCommands(botId, commands, now, {
        ...by,
        tell: changeNotice({ ownerUserId, botId }),
      });
      await spread({ ownerUserId, botId });
      return isPut;
    },

    /** Suspending an owner disables all their bots. */
    async putOwner(ownerUserId, edit, now) {
      const tell = edit.suspension === undefined ? undefined : changeNotice({ ownerUserId });
      const change = await verbs.putOwner(ownerUserId, { ...edit, tell }, now);
      const home = tell && (await locations.findCellOf(ownerUserId));
      if (home) relay.wake(home);
      return change;
    },

    /** What a bot is, its own cell knows. */
    async findProfile(viewer, rule, botId) {
      if (isLogId(botId)) return undefined;
      const home = await cellOf(botId);
      return await home?.store.findProfile(viewer, rule, botId);
    },
  };

  /** The cells where a bot is known that is in no channel there. Where one is away, it is deleted as soon as that can be done. */
  async function knownIn(home: Cell, { ownerUserId, botId }: BotRef): Promise<Cell[]> {
    const logs = new Set((await home.store.listOutboxes()).map((log) => log.botId));
    const others = cells().filter(({ number }) => logs.has(changesFor(number).id));
    const ref = { ownerUserId: guestOwnerOf(ownerUserId), botId };
    const found = await Promise.allSettled(others.map(({ store }) => store.findBot(ref)));
    return others.filter((_, i) => {
      const one = found[i];
      return one?.status === "fulfilled" && one.value !== undefined;
    });
  }

  /** Who hears of it from the feed looks for it in the other cells. One that is unavailable is not waited for. */
  async function spread({ ownerUserId, botId }: BotRef): Promise<void> {
    const found = await awayOf(botId);
    if (found) await relay.settle(found.home, logsFor(found.away), ownerUserId).catch(() => {});
  }
}

const logsFor = (cells: readonly Cell[]): string[] => cells.map(({ number }) => changesFor(number).id);

/** Without who calls, whom nobody else is told of. */
const makerOf = ({ ownerUserId, botId }: { ownerUserId: string; botId: string }) => ({ ownerUserId, botId });
