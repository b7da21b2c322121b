import type { AttachConditions } from "../../../domain/bots/listing.js";
import { ATTACHED_ROLE } from "../../../domain/events/channel.js";
import { newId } from "../../../domain/ids.js";
import {
  type NewRoom,
  type OwnerActor,
  OwnerMoving,
  type RoomBot,
  type RoomBotsChange,
  type RoomRules,
  type Store,
  StoreUnavailable,
} from "../../store.js";
import type { StoreVerbs } from "../../verbs.js";
import type { Cell } from "../cell.js";
import type { Locations } from "../locations.js";
import type { Apart, Crossings } from "./apart.js";
import { changeNotice, type RoomsChange } from "./changes.js";
import { changesFor, guestOwnerOf, isLogId, outboxFor } from "./guests.js";
import { copyOf, makeLogs, refuseWhileMoving } from "./introduce.js";
import type { Relay } from "./relay.js";

/**
 * Many channels at once, some with bots of other cells. They are made, or changed, without these; then each of the bots' cells makes what stands for
 * the channels, with the bots in them, by the same statement, or changes that, and the channels' cell follows.
 */
export function crossingRoomVerbs(
  verbs: StoreVerbs,
  locations: Locations,
  { cellOf, ownerOf }: Crossings,
  relay: Pick<Relay, "settle">,
): Pick<Store, "createRooms" | "changeRoomBots"> {
  const isOffered = async ({ store }: Cell, botId: string, holder: string, { review }: RoomRules) => {
    const profile = await store.findProfile(holder, review === "required" ? review : "off", botId);
    return profile?.isOffered;
  };

  /** What the channels' cell is told. */
  const toldOf = async (
    { ownerUserId: holder, isPlatform, audit }: OwnerActor,
    createdAt: number,
    botIds: readonly string[],
    attachments: RoomsChange["attachments"] = [],
  ): Promise<RoomsChange> => {
    const makers = botIds.map(async (botId) => ({ ownerUserId: await ownerOf(botId), botId }));
    const by = isPlatform ? "platform" : "holder";
    return { holder, by, createdAt, audit, makers: await Promise.all(makers), attachments };
  };

  /** @returns the ids of the channels in which these bots are now */
  const attachIn = async (
    { home, away }: Apart,
    rooms: readonly NewRoom[],
    rules: AttachConditions,
  ): Promise<Set<string>> => {
    const [first] = rooms;
    if (!first) return new Set();
    await makeLogs({ home, away });
    const attachments = rooms.flatMap(({ id: channelId, bots }) =>
      bots.map(({ botId, role = ATTACHED_ROLE }) => ({ id: newId(), channelId, botId, after: role })),
    );
    const attachedAt = first.attachedAt ?? first.createdAt;
    const change = await toldOf(first, attachedAt, botIdsIn(rooms), attachments);
    const tell = changeNotice({ rooms: change }, away);
    const copies = rooms.map((room) => ({
      ...copyOf(room),
      bots: room.bots,
      notice: room.notice,
      attachedAt,
      tell,
    }));
    // The cap of channels is looked at where they are.
    const areMade = await home.store
      .createRooms(copies, { ...rules, perOwner: undefined })
      .catch(refuseWhileMoving);
    await relay.settle(home, [changesFor(away.number).id], change.holder);
    return new Set(rooms.filter((_, at) => areMade[at]).map(({ id }) => id));
  };

  /**
   * The ids of those channels that don't have the bots with which they were made. Without the bots of other cells they could be found already: another
   * call that has changed them then knows nothing of these bots, and leaves them in.
   */
  const idsOfChanged = async (rooms: readonly NewRoom[]): Promise<string[]> => {
    const [first] = rooms;
    if (!first) return [];
    const externalIds = rooms.flatMap(({ externalId }) => externalId ?? []);
    const mostBots = Math.max(...rooms.map(({ bots }) => bots.length)) + 1;
    const found = await verbs.findRooms({ ownerUserId: first.ownerUserId, externalIds }, mostBots);
    const botsIn = new Map(found.map(({ channel, bots }) => [channel.id, textOf(bots)]));
    return rooms.flatMap(({ id, bots }) => (botsIn.get(id) === textOf(bots) ? [] : [id]));
  };

  /** Changes bots of this cell in channels of the other one. In those of which it knows nothing yet, these bots are all that it has. */
  const changeIn = async (
    apart: Apart,
    changes: readonly RoomBotsChange[],
    rules: AttachConditions,
  ): Promise<void> => {
    const { home, away } = apart;
    const [first] = changes;
    if (!first) return;
    const { ownerUserId: holder, createdAt } = first;
    const botIds = [...new Set(changes.flatMap(botIdsOf))];
    // As for an attachment alone: a bot hears what was posted while it is in the channel.
    await makeLogs(apart);
    await relay.settle(away, [outboxFor(home.number).id], holder);
    const host = guestOwnerOf(holder);
    const channelIds = changes.map(({ channelId }) => channelId);
    const copies = (await home.store.findGuestsIn(channelIds, botIds)).filter(
      (one) => one.ownerUserId === host,
    );
    const areKnown = new Set(copies.map(({ channelId }) => channelId));
    const [known, unknown] = [true, false].map((wanted) =>
      changes.filter(({ channelId }) => areKnown.has(channelId) === wanted),
    ) as [RoomBotsChange[], RoomBotsChange[]];
    const rooms = await Promise.all(
      unknown.map(async ({ channelId, attached: bots, notices, isPlatform, audit }) => {
        const channel = await away.store.findChannel({ ownerUserId: holder, channelId });
        return (
          channel && { isPlatform, audit, ...channel, bots, notice: notices.attached, attachedAt: createdAt }
        );
      }),
    );
    await attachIn(
      apart,
      rooms.filter((room) => room !== undefined),
      rules,
    );
    if (known.length === 0) return;
    const tell = changeNotice({ rooms: await toldOf(first, createdAt, botIds) }, away);
    const asHost = known.map((change) => ({ ...change, ownerUserId: host, audit: undefined, tell }));
    await home.store.changeRoomBots(asHost, rules).catch(refuseWhileMoving);
    await relay.settle(home, [changesFor(away.number).id], holder);
  };

  /** The cells of the bots that are in another one than the channels, and which bots cannot be attached. */
  const homesOf = async (
    botIds: readonly string[],
    away: Cell,
    mayCome: (home: Cell, botId: string) => Promise<boolean | undefined> = async () => true,
  ) => {
    const homes = new Map<string, Cell>();
    const refused = new Set<string>();
    const find = async (botId: string): Promise<void> => {
      const home = isLogId(botId) ? undefined : await cellOf(botId);
      if (!home || home === away) return;
      homes.set(botId, home);
      if (!(await mayCome(home, botId))) refused.add(botId);
    };
    const finding = [...new Set(botIds)].map(async (botId) => {
      await find(botId).catch((error: unknown) => {
        leaveToCallsAlone(error);
        refused.add(botId);
      });
    });
    await Promise.all(finding);
    return { homes, refused };
  };

  return {
    async createRooms(rooms, rules) {
      const [first] = rooms;
      const away = first && (await locations.assignOwner(first.ownerUserId));
      if (!away) return await verbs.createRooms(rooms, rules);
      const { homes, refused } = await homesOf(botIdsIn(rooms), away, (home, botId) =>
        isOffered(home, botId, first.ownerUserId, rules),
      );
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
      const withGuests = made.filter(
        ({ id, bots }) => whole.has(id) && bots.some(({ botId }) => homes.has(botId)),
      );
      for (const id of await idsOfChanged(withGuests)) whole.delete(id);
      return rooms.map(({ id }) => whole.has(id));
    },

    async changeRoomBots(changes, rules) {
      const [first] = changes;
      const away = first && (await locations.findCellOf(first.ownerUserId));
      if (!away) return await verbs.changeRoomBots(changes, rules);
      const { homes, refused } = await homesOf(changes.flatMap(botIdsOf), away);
      const able = changes.filter((change) => !botIdsOf(change).some((botId) => refused.has(botId)));
      const near = changesOf(able, (botId) => !homes.has(botId));
      if (near.length > 0) await verbs.changeRoomBots(near, rules);
      const changing = [...new Set(homes.values())].map((home) =>
        changeIn(
          { home, away },
          changesOf(able, (botId) => homes.get(botId) === home),
          rules,
        ).catch(leaveToCallsAlone),
      );
      await Promise.all(changing);
    },
  };
}

/** The part of changes that is about some bots, without channels of which nothing is left. */
function changesOf(changes: readonly RoomBotsChange[], isOne: (botId: string) => boolean): RoomBotsChange[] {
  const parts = changes.map((change) => ({
    ...change,
    attached: change.attached.filter(({ botId }) => isOne(botId)),
    roleChanged: change.roleChanged.filter(({ botId }) => isOne(botId)),
    detached: change.detached.filter(isOne),
  }));
  return parts.filter((part) => botIdsOf(part).length > 0);
}

const botIdsOf = ({ attached, roleChanged, detached }: RoomBotsChange): string[] => [
  ...[...attached, ...roleChanged].map(({ botId }) => botId),
  ...detached,
];

/** Bots and their roles, to be compared. */
const textOf = (bots: readonly RoomBot[]): string =>
  bots
    .map(({ botId, role = ATTACHED_ROLE }) => `${botId} ${role}`)
    .sort()
    .join();

const botIdsIn = (rooms: readonly NewRoom[]): string[] => [
  ...new Set(rooms.flatMap(({ bots }) => bots.map(({ botId }) => botId))),
];

/** A cell that cannot be asked is in the way of channels with its bots, and of no others: the call for each of them says so. */
function leaveToCallsAlone(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable || error instanceof OwnerMoving)) throw error;
}
