import { ATTACHED_ROLE } from "../../../domain/events/channel.js";
import { newId } from "../../../domain/ids.js";
import { type NewRoom, OwnerMoving, type RoomRules, type Store, StoreUnavailable } from "../../store.js";
import type { StoreVerbs } from "../../verbs.js";
import type { Cell } from "../cell.js";
import type { Locations } from "../locations.js";
import type { Apart, Crossings } from "./apart.js";
import { changeNotice, type RoomsChange } from "./changes.js";
import { changesFor, isLogId } from "./guests.js";
import { copyOf, makeLogs, refuseWhileArriving } from "./introduce.js";
import type { Relay } from "./relay.js";

/**
 * Many channels at once, some with bots of other cells. They are made without these; then each of the bots' cells makes what stands for the
 * channels, with the bots in them, by the same statement, and the channels' cell follows. No step takes longer with more channels, in numbers of
 * statements.
 */
export function crossingRoomVerbs(
  verbs: StoreVerbs,
  locations: Locations,
  { cellOf, ownerOf }: Crossings,
  relay: Pick<Relay, "settle">,
): Pick<Store, "createRooms"> {
  const isOffered = async ({ store }: Cell, botId: string, holder: string, { review }: RoomRules) => {
    const profile = await store.findProfile(holder, review === "required" ? review : "off", botId);
    return profile?.isOffered;
  };

  /** @returns the ids of the channels in which these bots are now */
  const attachIn = async (
    { home, away }: Apart,
    rooms: readonly NewRoom[],
    rules: RoomRules,
  ): Promise<Set<string>> => {
    const [first] = rooms;
    if (!first) return new Set();
    const { ownerUserId: holder, isPlatform, createdAt, audit } = first;
    await makeLogs({ home, away });
    const makers = botIdsIn(rooms).map(async (botId) => ({ ownerUserId: await ownerOf(botId), botId }));
    const change: RoomsChange = {
      holder,
      by: isPlatform ? "platform" : "holder",
      createdAt,
      audit,
      makers: await Promise.all(makers),
      attachments: rooms.flatMap(({ id: channelId, bots }) =>
        bots.map(({ botId, role = ATTACHED_ROLE }) => ({ id: newId(), channelId, botId, role })),
      ),
    };
    const tell = changeNotice({ rooms: change }, away);
    const copies = rooms.map((room) => ({ ...copyOf(room), bots: room.bots, notice: room.notice, tell }));
    // The cap of channels is looked at where they are.
    const areMade = await home.store
      .createRooms(copies, { ...rules, perOwner: undefined })
      .catch(refuseWhileArriving);
    await relay.settle(home, [changesFor(away.number).id], holder);
    return new Set(rooms.filter((_, at) => areMade[at]).map(({ id }) => id));
  };

  /** The cells of the bots that are in another one than the channels will be, and which bots cannot be attached. */
  const placesOf = async (botIds: readonly string[], away: Cell, holder: string, rules: RoomRules) => {
    const homes = new Map<string, Cell>();
    const refused = new Set<string>();
    const place = async (botId: string): Promise<void> => {
      const home = isLogId(botId) ? undefined : await cellOf(botId);
      if (!home || home === away) return;
      homes.set(botId, home);
      if (!(await isOffered(home, botId, holder, rules))) refused.add(botId);
    };
    const placing = botIds.map(async (botId) => {
      await place(botId).catch((error: unknown) => {
        leaveToCallsAlone(error);
        refused.add(botId);
      });
    });
    await Promise.all(placing);
    return { homes, refused };
  };

  return {
    async createRooms(rooms, rules) {
      const [first] = rooms;
      const away = first && (await locations.assignOwner(first.ownerUserId));
      if (!away) return await verbs.createRooms(rooms, rules);
      const { homes, refused } = await placesOf(botIdsIn(rooms), away, first.ownerUserId, rules);
      if (homes.size === 0) return await verbs.createRooms(rooms, rules);
      const withBots = (list: readonly NewRoom[], home: Cell | undefined): NewRoom[] =>
        list.map((room) => ({ ...room, bots: room.bots.filter(({ botId }) => homes.get(botId) === home) }));
      const wished = rooms.filter(({ bots }) => !bots.some(({ botId }) => refused.has(botId)));
      const areMade = await verbs.createRooms(withBots(wished, undefined), rules);
      const made = wished.filter((_, at) => areMade[at]);
      const whole = new Set(made.map(({ id }) => id));
      const attaching = [...new Set(homes.values())].map(async (home) => {
        const named = withBots(made, home).filter(({ bots }) => bots.length > 0);
        const attached = await attachIn({ home, away }, named, rules).catch(leaveToCallsAlone);
        for (const { id } of named) if (!attached?.has(id)) whole.delete(id);
      });
      await Promise.all(attaching);
      return rooms.map(({ id }) => whole.has(id));
    },
  };
}

const botIdsIn = (rooms: readonly NewRoom[]): string[] => [
  ...new Set(rooms.flatMap(({ bots }) => bots.map(({ botId }) => botId))),
];

/** A cell that cannot be asked is in the way of channels with its bots, and of no others: the call for each of them says so. */
function leaveToCallsAlone(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable || error instanceof OwnerMoving)) throw error;
}
