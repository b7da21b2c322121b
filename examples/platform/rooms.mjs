// To Botyard: rooms are channels, messages are posts.
import { PlatformClient } from "@botyard/sdk";
import { all, DELETED, INSTALLATION, run } from "./database.mjs";
import { tellBrowsers } from "./streams.mjs";
import { doWhenDue } from "./work.mjs";

const { PLATFORM_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;
const BATCH = 500;

export const platform = new PlatformClient(PLATFORM_TOKEN, { url: BOTYARD_URL });

/** The owner as whom the application acts for a user. */
export const ownerOf = (userId) => platform.as(`user-${userId}`);

/** Makes the channel of a room unless there is one. The room's own id finds it again. */
export async function channelOf({ id, title, holder, channel_id }) {
  if (channel_id) return channel_id;
  const channel = await ownerOf(holder).putExternalChannel(`room-${id}`, { title });
  run("UPDATE rooms SET channel_id = ? WHERE id = ?", channel.id, id);
  return channel.id;
}

/** There is something to send. */
export const mirrorSoon = doWhenDue(mirror);

/** Sends what is not sent yet. After a failure the same messages go again, and with their keys none is published twice. */
async function mirror() {
  for (const room of all("SELECT * FROM rooms WHERE channel_id IS NULL")) await channelOf(room);
  for (;;) {
    const messages = messagesToSend();
    if (messages.length === 0) return;
    const results = await platform.createPosts(
      messages.map(({ id, text, author, user, channel_id, answered_post }) => ({
        channel_id,
        body: text,
        author: { id: `user-${user}`, username: author },
        idempotency_key: `${INSTALLATION}-message-${id}`,
        ...(answered_post && { reply_to: answered_post }),
      })),
    );
    let failure;
    for (const [index, { status, error, code, post }] of results.entries()) {
      const { id } = messages[index];
      if (status === 429 || status >= 500) {
        failure ??= new Error(error);
        continue;
      }
      // The answered message was deleted meanwhile: send this one again, as one that answers none.
      if (code === "reply_not_found") {
        run("UPDATE messages SET reply_to = NULL WHERE id = ?", id);
        continue;
      }
      // Sent again it would be refused again: say so, and go on with the others.
      if (error) console.error(`message ${id} was refused: ${error}`);
      run("UPDATE messages SET is_mirrored = 1 WHERE id = ?", id);
      if (post) noteSent(id, post.id);
    }
    if (failure) throw failure;
  }
}

/** The feed may have told of the post before. */
function noteSent(id, postId) {
  run("UPDATE OR IGNORE messages SET post_id = ? WHERE id = ?", postId, id);
  const isDeleted = "EXISTS (SELECT 1 FROM deleted_posts d WHERE d.post_id = messages.post_id)";
  const { changes } = run(
    `UPDATE messages SET ${DELETED} WHERE id = ? AND is_deleted = 0 AND ${isDeleted}`,
    id,
  );
  if (changes > 0) tellBrowsers();
}

/** The oldest ones, up to the first that answers one of them: that needs the id of the other's post. */
function messagesToSend() {
  const messages = all(
    `SELECT m.id, m.text, m.author, m.user, r.channel_id, answered.post_id AS answered_post, answered.is_mirrored AS is_answered_sent
    FROM messages m JOIN rooms r ON r.id = m.room LEFT JOIN messages answered ON answered.id = m.reply_to AND answered.is_deleted = 0
    WHERE m.is_mirrored = 0 ORDER BY m.id LIMIT ?`,
    BATCH,
  );
  const first = messages.findIndex(({ is_answered_sent }) => is_answered_sent === 0);
  return first === -1 ? messages : messages.slice(0, first);
}
