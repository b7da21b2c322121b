import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { BOT_ATTACHED } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import type { GuestAttachment, GuestRoom } from "../../store.js";
import type { Apart } from "./apart.js";
import type { RoomAttachment, RoomsChange } from "./changes.js";
import { type CellAfter, carryAudit, follow, followBot, type ToldChange } from "./follow-change.js";
import { outboxFor } from "./guests.js";
import { makeGuest } from "./introduce.js";

/**
 * Attaches the bots with which channels were made, in a few statements for all of them. What is not as it was told, since it was changed meanwhile,
 * is followed by itself.
 *
 * @param made the channels that were made of those that the change names
 */
export async function followRooms(
  apart: Apart,
  rooms: RoomsChange,
  made: readonly string[],
  cellAfter: CellAfter,
): Promise<void> {
  const { holder, by, makers } = rooms;
  for (const maker of makers) if (await followBot(apart, maker)) await makeGuest(apart, maker);
  const missing = missingIn(await look(apart, rooms, made), rooms, apart);
  if (missing.length > 0)
    await apart.away.store.attachGuests({ ownerUserId: holder, isPlatform: by === "platform" }, missing);
  const seen = await look(apart, rooms, made);
  const isWhole = missingIn(seen, rooms, apart).length === 0;
  const isAsTold = (one: RoomAttachment) => isWhole && isAlike(seen, one);
  const areMade = new Set(made);
  const attachments = rooms.attachments.filter(({ channelId }) => areMade.has(channelId));
  await carryAudit(
    apart.away,
    attachments.filter(isAsTold).flatMap((one) => {
      const { id, entry, changes } = toldOf(rooms, one);
      return entry && changes ? { id, ...entry, changes } : [];
    }),
    cellAfter,
  );
  for (const one of attachments) if (!isAsTold(one)) await follow(apart, toldOf(rooms, one), [], cellAfter);
}

/** The channels in both cells, by their ids, as far as they are there; where they live, only those that are the holder's. */
interface Seen {
  home: Map<string, GuestRoom>;
  away: Map<string, GuestRoom>;
}

async function look(
  { home, away }: Apart,
  { holder, makers }: RoomsChange,
  made: readonly string[],
): Promise<Seen> {
  const botIds = makers.map(({ botId }) => botId);
  const [atHome, there] = await Promise.all([
    home.store.findGuestsIn(made, botIds),
    away.store.findGuestsIn(made, [...botIds, outboxFor(home.number).id]),
  ]);
  const byId = (list: readonly GuestRoom[]) => new Map(list.map((room) => [room.channelId, room]));
  return { home: byId(atHome), away: byId(there.filter(({ ownerUserId }) => ownerUserId === holder)) };
}

/** What has to be attached where the channels live: the outbox first, so that what its bots hear is carried. */
function missingIn({ home, away }: Seen, { createdAt }: RoomsChange, apart: Apart): GuestAttachment[] {
  const outbox = { botId: outboxFor(apart.home.number).id, role: READ_ONLY_ROLE, attachedAt: createdAt };
  return [...away.values()].flatMap(({ channelId, bots }) => {
    const wished = [outbox, ...(home.get(channelId)?.bots ?? [])];
    const isThere = ({ botId }: { botId: string }) => bots.some((bot) => bot.botId === botId);
    return wished.filter((bot) => !isThere(bot)).map((bot) => ({ ...bot, channelId }));
  });
}

function isAlike({ home, away }: Seen, { channelId, botId }: RoomAttachment): boolean {
  const [decided, there] = [home, away].map((rooms) =>
    rooms.get(channelId)?.bots.find((bot) => bot.botId === botId),
  );
  if (!decided || !there) return false;
  return decided.role === there.role && decided.attachedAt === there.attachedAt;
}

/** The change of one attachment. */
function toldOf(
  { holder, by, createdAt, audit, makers }: RoomsChange,
  { id, channelId, botId, role }: RoomAttachment,
): ToldChange {
  const payload = JSON.stringify({ channel_id: channelId });
  const event = { id: newId(), eventType: BOT_ATTACHED, payload, createdAt };
  const maker = makers.find((one) => one.botId === botId);
  return {
    id,
    ...maker,
    attachment: { channelId, holder, by, event },
    entry: audit && { audit, target: { type: "attachment", id: botId, channelId } },
    changes: { role: { after: role } },
  };
}
