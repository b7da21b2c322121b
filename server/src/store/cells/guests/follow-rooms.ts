import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { BOT_ATTACHED, BOT_DETACHED } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import type { GuestAttachment, GuestRoom, RoomBotChange, RoomBotsChange } from "../../store.js";
import type { Apart } from "./apart.js";
import type { RoomsChange } from "./changes.js";
import { type CellAfter, carryAudit, cellNow, follow, followBot, type ToldChange } from "./follow-change.js";
import { outboxFor } from "./guests.js";
import { makeGuest } from "./introduce.js";

/**
 * Attaches and detaches bots in many channels, in a few statements for all of them. What is not as it was told, since it was changed meanwhile, is
 * followed by itself.
 */
export async function followRooms(
  apart: Apart,
  rooms: RoomsChange,
  done: readonly RoomBotChange[],
  cellAfter: CellAfter,
): Promise<void> {
  const homes = await Promise.all(
    rooms.makers.map(({ ownerUserId }) => cellNow(apart.home, ownerUserId, cellAfter)),
  );
  if (homes.some((home) => home !== apart.home)) {
    for (const one of done) await follow(apart, toldOf(rooms, one), [], cellAfter);
    return;
  }
  for (const maker of rooms.makers)
    if (await followBot(apart, maker, cellAfter)) await makeGuest(apart, maker);
  const changes = changesIn(await look(apart, rooms, done), rooms, done);
  if (changes.length > 0) await apart.away.store.changeRoomBots(changes, { review: "guest" });
  const seen = await look(apart, rooms, done);
  const [alike, others] = [true, false].map((wanted) => done.filter((one) => isAsTold(seen, one) === wanted));
  const toldAlike = (alike ?? []).map((one) => toldOf(rooms, one));
  await carryAudit(
    apart.away,
    toldAlike.flatMap(({ id, entry, changes: of }) => (entry && of ? { id, ...entry, changes: of } : [])),
    cellAfter,
  );
  for (const one of others ?? []) await follow(apart, toldOf(rooms, one), [], cellAfter);
}

type Bot = Omit<GuestAttachment, "channelId">;

/** The bots in the channels in both cells, by channel and bot, as far as these are there; where the channels live, only in those that are the holder's. */
interface Seen {
  home: Map<string, Map<string, Bot>>;
  away: Map<string, Map<string, Bot>>;
  /** What carries what happens in the channels to the bots. */
  outboxId: string;
}

async function look(
  { home, away }: Apart,
  { holder, makers }: RoomsChange,
  done: readonly RoomBotChange[],
): Promise<Seen> {
  const channelIds = [...new Set(done.map(({ channelId }) => channelId))];
  const botIds = makers.map(({ botId }) => botId);
  const outboxId = outboxFor(home.number).id;
  const [atHome, there] = await Promise.all([
    home.store.findGuestsIn(channelIds, botIds),
    away.store.findGuestsIn(channelIds, [...botIds, outboxId]),
  ]);
  const byId = (list: readonly GuestRoom[]) =>
    new Map(list.map(({ channelId, bots }) => [channelId, new Map(bots.map((bot) => [bot.botId, bot]))]));
  return {
    home: byId(atHome),
    away: byId(there.filter(({ ownerUserId }) => ownerUserId === holder)),
    outboxId,
  };
}

/** What is to be changed where the channels live: of what was done, and the outbox, so that what its bots hear is carried. */
function changesIn(
  { home, away, outboxId }: Seen,
  { holder, by, createdAt }: RoomsChange,
  done: readonly RoomBotChange[],
): RoomBotsChange[] {
  const botsOf = new Map<string, string[]>();
  for (const { channelId, botId } of done) botsOf.set(channelId, [...(botsOf.get(channelId) ?? []), botId]);
  return [...away].flatMap(([channelId, there]) => {
    const pairs = (botsOf.get(channelId) ?? []).map((botId) => ({
      botId,
      decided: home.get(channelId)?.get(botId),
      is: there.get(botId),
    }));
    const outbox = there.has(outboxId) ? [] : [{ botId: outboxId, role: READ_ONLY_ROLE }];
    const attached = pairs.flatMap(({ decided, is }) =>
      decided && !is && decided.attachedAt === createdAt ? [decided] : [],
    );
    const roleChanged = pairs.flatMap(({ decided, is }) =>
      decided && is && decided.attachedAt === is.attachedAt && decided.role !== is.role ? [decided] : [],
    );
    const detached = pairs.flatMap(({ botId, decided, is }) => (is && !decided ? [botId] : []));
    if (outbox.length + attached.length + roleChanged.length + detached.length === 0) return [];
    const payload = JSON.stringify({ channel_id: channelId });
    return {
      ownerUserId: holder,
      isPlatform: by === "platform",
      channelId,
      attached: [...outbox, ...attached],
      roleChanged,
      detached,
      createdAt,
      notices: { attached: payload, detached: payload },
    };
  });
}

/** Whether the bot is in the channel of both cells alike, or in none. */
function isAsTold({ home, away, outboxId }: Seen, { channelId, botId }: RoomBotChange): boolean {
  const [decided, there] = [home, away].map((rooms) => rooms.get(channelId)?.get(botId));
  if (!away.get(channelId)?.has(outboxId)) return false;
  return decided?.role === there?.role && decided?.attachedAt === there?.attachedAt;
}

/** The change of one attachment. */
function toldOf(
  { holder, by, createdAt, audit, makers }: RoomsChange,
  { id, channelId, botId, before, after }: RoomBotChange,
): ToldChange {
  const payload = JSON.stringify({ channel_id: channelId });
  const eventType = after === undefined ? BOT_DETACHED : BOT_ATTACHED;
  const event = { id: newId(), eventType, payload, createdAt };
  const maker = makers.find((one) => one.botId === botId);
  return {
    id,
    ...maker,
    attachment: { channelId, holder, by, event },
    entry: audit && { audit, target: { type: "attachment", id: botId, channelId } },
    changes: { role: { ...(before && { before }), ...(after && { after }) } },
  };
}
