// From Botyard: what bots do, and what holders of rooms edit and delete in the console.
import { NEXT_CHANGE, run } from "./database.mjs";
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
  { post_id, channel_id, author, body, components = [], revision = 1, reply_to },
) {
  if (event_type === "channel.post_created" && author?.type === "bot") {
    run(
      `INSERT OR IGNORE INTO messages (room, change, author, text, components, revision, post_id, reply_to, is_mirrored)
      SELECT id, ${NEXT_CHANGE}, ?, ?, ?, ?, ?, (SELECT id FROM messages WHERE post_id = ?), 1 FROM rooms WHERE channel_id = ?`,
      author.username,
      body,
      JSON.stringify(components),
      revision,
      post_id,
      reply_to?.post_id ?? null,
      channel_id,
    );
  } else if (event_type === "channel.post_edited") {
    run(
      `UPDATE messages SET text = ?, components = ?, revision = ?, change = ${NEXT_CHANGE} WHERE post_id = ? AND revision < ?`,
      body,
      JSON.stringify(components),
      revision,
      post_id,
      revision,
    );
  } else if (event_type === "channel.post_deleted") {
    run(
      `UPDATE messages SET text = '', components = '[]', change = ${NEXT_CHANGE} WHERE post_id = ?`,
      post_id,
    );
  }
}

/** The text of a response that is a post, or an edit of one, comes by itself. A private one is a message for its user alone. */
function takeResponse({ id, payload }) {
  const { interaction_id, type, channel_id, username, user, body, components = [], deleted } = payload;
  if (deleted) return;
  run(
    "INSERT OR IGNORE INTO responses (id, interaction_id, type) VALUES (?, ?, ?)",
    id,
    interaction_id,
    type,
  );
  if (type === "private") {
    run(
      `INSERT OR IGNORE INTO messages (room, change, author, text, components, response_id, seen_by, is_mirrored)
      SELECT r.id, ${NEXT_CHANGE}, ?, ?, ?, ?, u.id, 1 FROM rooms r, users u WHERE r.channel_id = ? AND 'user-' || u.id = ?`,
      username,
      body,
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
