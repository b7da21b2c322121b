// From Botyard: what bots do, and what holders of rooms edit and delete in the console.
import { DELETED, NEXT_CHANGE, run } from "./database.mjs";
import { forgetCommands } from "./presses.mjs";
import { platform } from "./rooms.mjs";
import { tellBrowsers } from "./streams.mjs";
import { keepDoing, stopSignal } from "./work.mjs";

/** A reader offers none, and the commands of a bot are listed with its name. */
const CHANGES_COMMANDS = new Set([
  "bot.commands_set",
  "bot.attached",
  "bot.role_changed",
  "bot.detached",
  "bot.updated",
  "bot.disabled",
  "bot.enabled",
  "bot.deleted",
]);

/** Writes down what was done there. It may come twice, after a restart: its id tells. */
function take(item) {
  const { event_type, payload } = item;
  if (CHANGES_COMMANDS.has(event_type)) return forgetCommands();
  if (event_type === "interaction.responded") takeResponse(item);
  else takePost(event_type, payload);
  tellBrowsers();
}

/** A post that was deleted before it was read here is erased: it has no author, and nobody is shown it. */
export function takePost(
  event_type,
  { post_id, channel_id, author, body, media = [], components = [], revision = 1, reply_to, deleted },
) {
  if (event_type === "channel.post_created" && author?.type === "bot") {
    run(
      `INSERT OR IGNORE INTO messages (room, change, author, text, media, components, revision, post_id, reply_to, is_mirrored)
      SELECT id, ${NEXT_CHANGE}, ?, ?, ?, ?, ?, ?, (SELECT id FROM messages WHERE post_id = ?), 1 FROM rooms WHERE channel_id = ?`,
      author.username,
      body,
      JSON.stringify(media),
      JSON.stringify(components),
      revision,
      post_id,
      reply_to?.post_id ?? null,
      channel_id,
    );
  } else if (event_type === "channel.post_created" && author?.type === "user") {
    // A message of our own, maybe before the answer to the request that sent it: what comes next may be about its post. Those of a
    // room come in their order. Of two that say the same, one of which was deleted, it may be the wrong one: the answer corrects that.
    run(
      `UPDATE messages SET post_id = ? WHERE NOT EXISTS (SELECT 1 FROM messages WHERE post_id = ?) AND id = (
        SELECT m.id FROM messages m JOIN rooms r ON r.id = m.room
        WHERE r.channel_id = ? AND m.is_mirrored = 0 AND m.post_id IS NULL AND 'user-' || m.user = ? AND m.text = ? ORDER BY m.id LIMIT 1)`,
      post_id,
      post_id,
      channel_id,
      author.id,
      body,
    );
  } else if (event_type === "channel.post_edited" && !deleted) {
    run(
      `UPDATE messages SET text = ?, media = ?, components = ?, revision = ?, change = ${NEXT_CHANGE} WHERE post_id = ? AND revision < ?`,
      body,
      JSON.stringify(media),
      JSON.stringify(components),
      revision,
      post_id,
      revision,
    );
  } else if (event_type === "channel.post_deleted") {
    const { changes } = run(`UPDATE messages SET ${DELETED} WHERE post_id = ?`, post_id);
    if (changes === 0) run("INSERT OR IGNORE INTO deleted_posts VALUES (?)", post_id);
  }
}

/** The text of a response that is a post, or an edit of one, comes by itself. A private one is a message for its user alone. */
function takeResponse({ id, payload }) {
  const {
    interaction_id,
    type,
    channel_id,
    username,
    user,
    body,
    media = [],
    components = [],
    deleted,
  } = payload;
  if (deleted) return;
  run(
    "INSERT OR IGNORE INTO responses (id, interaction_id, type) VALUES (?, ?, ?)",
    id,
    interaction_id,
    type,
  );
  if (type === "private") {
    run(
      `INSERT OR IGNORE INTO messages (room, change, author, text, media, components, response_id, seen_by, is_mirrored)
      SELECT r.id, ${NEXT_CHANGE}, ?, ?, ?, ?, ?, u.id, 1 FROM rooms r, users u WHERE r.channel_id = ? AND 'user-' || u.id = ?`,
      username,
      body,
      JSON.stringify(media),
      JSON.stringify(components),
      id,
      channel_id,
      user.id,
    );
  }
  // The press is answered.
  run(`UPDATE presses SET change = ${NEXT_CHANGE} WHERE interaction_id = ?`, interaction_id);
}

void keepDoing(async () => {
  // The service keeps how far the consumer "chat" has got: behind the last item that this loop has finished.
  for await (const item of platform.feed({ consumer: "chat", signal: stopSignal })) take(item);
});
