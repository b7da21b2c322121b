// A conversation of one user with one bot: a room that only this user sees (seen_by). Everything else treats it as any other room.
import { get, run } from "./database.mjs";
import { takePost } from "./feed.mjs";
import { Refusal } from "./json.mjs";
import { channelOf, ownerOf } from "./rooms.mjs";

/** The bots of a room. */
async function botsOf(room) {
  const channelId = await channelOf(room);
  const { items } = await ownerOf(room.holder).listChannelBots(channelId, { retries: 0 });
  return items.map(({ bot: { id, username } }) => ({ id, username }));
}

/** Makes or finds the conversation of a user with a bot of a room that they see. */
export async function openDirect({ id, name }, room, botId) {
  const bot = (await botsOf(room)).find((one) => one.id === botId);
  if (!bot) throw new Refusal(404, "there is no such bot in this room");
  const owner = ownerOf(room.holder);
  const channel = await owner.putDirectChannel(bot.id, { user: { id: `user-${id}`, username: name } });
  run(
    "INSERT INTO rooms (title, holder, seen_by, channel_id) VALUES (?, ?, ?, ?) ON CONFLICT (channel_id) DO NOTHING",
    `@${bot.username}`,
    room.holder,
    id,
    channel.id,
  );
  await takeGreetings(owner, channel.id);
  return get("SELECT id, title, 1 AS isDirect FROM rooms WHERE channel_id = ?", channel.id);
}

/** A bot may write as soon as it is attached. What the feed told of that before the room was written down was left out. */
async function takeGreetings(owner, channel_id) {
  const { items } = await owner.listChannelPosts(channel_id);
  for (const post of items.toReversed())
    takePost("channel.post_created", { ...post, post_id: post.id, channel_id });
}
