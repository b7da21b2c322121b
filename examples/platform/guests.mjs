// Bots that one user made and others add to their rooms: a bot is listed by its maker, and attached by who holds a room.
import { Refusal } from "./json.mjs";
import { channelOf, ownerOf } from "./rooms.mjs";

const MOST_OFFERED = 20;

/** The bots of a room, and for its holder the listed ones that are not in it. */
export async function botsFor(user, room) {
  const channelId = await channelOf(room);
  const holder = ownerOf(room.holder);
  const { items } = await holder.listChannelBots(channelId, { retries: 0 });
  // Whose bot it is, Botyard says of one's own bots only.
  const bots = items.map(({ bot: { id, username, owner_user_id, visibility } }) => ({
    id,
    username,
    canShare: owner_user_id === `user-${user.id}` && visibility !== "listed",
  }));
  if (room.holder !== user.id) return { bots, offered: [] };
  const { items: listed } = await holder.listListedBots({ limit: MOST_OFFERED });
  const offered = listed.filter(({ id }) => bots.every((bot) => bot.id !== id));
  return { bots, offered: offered.map(({ id, username, description }) => ({ id, username, description })) };
}

/** Lets everybody add this user's bot to their rooms. */
export async function shareBot(user, botId) {
  const { id, username } = await ownerOf(user.id).editBot(botId, { visibility: "listed" });
  return { id, username };
}

/** Adds somebody's bot to a room. It posts there, and does not delete what others wrote. */
export async function addGuest(user, room, botId) {
  if (room.holder !== user.id || room.seen_by)
    throw new Refusal(403, "only who has opened the room adds bots to it");
  await ownerOf(user.id).attachBot(botId, await channelOf(room), { role: "member" });
  return {};
}
