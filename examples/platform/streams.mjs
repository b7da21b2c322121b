// To browsers: a stream of each room, of what this user may see.
import { all } from "./database.mjs";

/** The open streams, and how far each has got. */
const streams = new Set();

/** The messages and presses of a room: those there are, or behind the last one that the browser has, and then each new one. */
export function openStream(request, response, { room, user }) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const change = Number(request.headers["last-event-id"] ?? 0) || 0;
  const opened = { room: room.id, user: user.id, change, response };
  streams.add(opened);
  response.once("close", () => streams.delete(opened));
  response.write("retry: 500\n\n");
  tellBrowsers();
}

/** Sends what has changed. */
export function tellBrowsers() {
  for (const stream of streams) {
    const changes = [...messagesFor(stream), ...pressesOf(stream)].sort((a, b) => a.change - b.change);
    for (const { change, event, data } of changes) {
      stream.change = change;
      stream.response.write(`id: ${change}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    }
  }
}

/** Another command may be offered in any room. */
export function tellThatCommandsChanged() {
  for (const { response } of streams) response.write("event: commands\ndata: {}\n\n");
}

/** A private answer goes to its user alone. */
function messagesFor({ room, user, change }) {
  return all(
    `SELECT * FROM messages WHERE room = ? AND change > ? AND (seen_by IS NULL OR seen_by = ?) ORDER BY change`,
    room,
    change,
    user,
  ).map((message) => ({
    change: message.change,
    event: "message",
    data: {
      id: message.id,
      author: message.author,
      isBot: message.user === null,
      isPrivate: message.seen_by !== null,
      isDeleted: message.is_deleted === 1,
      text: message.text,
      media: JSON.parse(message.media),
      components: JSON.parse(message.components),
      revision: message.revision,
      replyTo: message.reply_to,
    },
  }));
}

/** Whether a press waits, is answered or was refused is for who pressed. */
function pressesOf({ room, user, change }) {
  return all(
    `SELECT *, (SELECT max(type <> 'working') FROM responses r WHERE r.interaction_id = p.interaction_id) AS is_answered
    FROM presses p WHERE room = ? AND user = ? AND change > ? ORDER BY change`,
    room,
    user,
    change,
  ).map(({ change, key, message, interaction, is_answered, problem }) => {
    const { component, command } = JSON.parse(interaction);
    const state = is_answered ? "answered" : problem ? "refused" : is_answered === 0 ? "working" : "waiting";
    return {
      change,
      event: "press",
      data: { key, message, component: component?.id, command: command?.name, state, problem },
    };
  });
}
