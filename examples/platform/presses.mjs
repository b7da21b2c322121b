// To Botyard: the commands that users choose, and the buttons and selects that they press.
import { ServiceError } from "@botyard/sdk";
import { all, get, INSTALLATION, NEXT_CHANGE, run } from "./database.mjs";
import { Refusal, textIn } from "./json.mjs";
import { channelOf, ownerOf } from "./rooms.mjs";
import { tellBrowsers, tellThatCommandsChanged } from "./streams.mjs";
import { doWhenDue } from "./work.mjs";

const AT_ONCE = 20;
const MAX_CHOICES = 100;
const EXPIRY_CHECK_MS = 10_000;
/** How much later than the service the feed may tell of an answer. */
const EXPIRY_GRACE_MS = 60_000;

// ---- The commands of a room

/** What Botyard has said, by room, until the feed says that it may have changed. */
const offered = new Map();
let changes = 0;

export async function commandsOf(room) {
  const known = offered.get(room.id);
  if (known) return known;
  const before = changes;
  const channelId = await channelOf(room);
  const { items } = await ownerOf(room.holder).listChannelCommands(channelId, { retries: 0 });
  if (changes === before) offered.set(room.id, items);
  return items;
}

export function forgetCommands() {
  changes += 1;
  offered.clear();
  tellThatCommandsChanged();
}

/** Whom and which channels an option of these types may name: the application's own users, and the rooms that all see. */
export function choicesOf() {
  return {
    user: all(`SELECT name AS label, 'user-' || id AS value FROM users ORDER BY name LIMIT ?`, MAX_CHOICES),
    channel: all(
      `SELECT title AS label, channel_id AS value FROM rooms WHERE channel_id IS NOT NULL AND seen_by IS NULL ORDER BY title LIMIT ?`,
      MAX_CHOICES,
    ),
  };
}

// ---- Presses

/** Keeps what a user pressed or chose. The page sends it until it is answered: by its key it counts once. */
export function keepPress(user, room, body) {
  const { message, ...what } = body.command ? commandIn(body) : componentIn(user, room, body);
  const interaction = { ...what, user: { id: `user-${user.id}`, username: user.name } };
  run(
    `INSERT INTO presses (room, change, user, key, message, interaction) VALUES (?, ${NEXT_CHANGE}, ?, ?, ?, ?)
    ON CONFLICT (user, key) DO NOTHING`,
    room.id,
    user.id,
    textIn(body.key, 64),
    message ?? null,
    JSON.stringify(interaction),
  );
  tellBrowsers();
  sendSoon();
}

function commandIn({ bot_id, command: { name, options } }) {
  return { kind: "command", bot_id: textIn(bot_id, 64), command: { name: textIn(name, 64), options } };
}

function componentIn(user, room, body) {
  const message = get(
    "SELECT * FROM messages WHERE id = ? AND room = ? AND (seen_by IS NULL OR seen_by = ?)",
    Number(body.message),
    room.id,
    user.id,
  );
  if (!message) throw new Refusal(404, "there is no such message");
  const { post_id, response_id } = message;
  const { id, values } = Object(body.component);
  return {
    message: message.id,
    kind: "component",
    component: { id: textIn(id, 64), ...(values && { values }) },
    // The revision that the user saw: if there is another one by now, they look at it first.
    ...(response_id ? { response_id } : { post: { id: post_id, revision: Number(body.revision) } }),
  };
}

const sendSoon = doWhenDue(sendPresses);

/** Sends what Botyard does not have yet. After a failure the same presses go again, and with their keys none counts twice. */
async function sendPresses() {
  for (;;) {
    const presses = all(
      `SELECT p.id, p.interaction, r.holder, r.channel_id FROM presses p JOIN rooms r ON r.id = p.room
      WHERE is_sent = 0 ORDER BY p.id LIMIT ?`,
      AT_ONCE,
    );
    if (presses.length === 0) return;
    const sent = await Promise.allSettled(presses.map(sendPress));
    const failed = sent.find(({ status }) => status === "rejected");
    if (failed) throw failed.reason;
  }
}

async function sendPress({ id, interaction, holder, channel_id }) {
  const owner = ownerOf(holder);
  const change = `is_sent = 1, change = ${NEXT_CHANGE}`;
  try {
    const created = await owner.createInteraction(channel_id, JSON.parse(interaction), {
      idempotencyKey: `${INSTALLATION}-press-${id}`,
    });
    const expiresAt = Date.parse(created.expires_at);
    run(
      `UPDATE presses SET ${change}, interaction_id = ?, expires_at = ? WHERE id = ?`,
      created.id,
      expiresAt,
      id,
    );
  } catch (error) {
    const isRefused = error instanceof ServiceError && [400, 404].includes(error.status);
    if (!isRefused) throw error;
    run(`UPDATE presses SET ${change}, problem = ? WHERE id = ?`, reasonOf(error), id);
  }
  tellBrowsers();
}

function reasonOf({ code, reason }) {
  return code === "revision_conflict"
    ? "This message has changed meanwhile: look at it, and press again"
    : reason;
}

/** Of a bot that has not answered in time nothing comes. */
function refuseExpired() {
  const expired = all(
    `SELECT id FROM presses p WHERE expires_at < ? AND problem IS NULL
    AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.interaction_id = p.interaction_id AND type <> 'working')`,
    Date.now() - EXPIRY_GRACE_MS,
  );
  for (const { id } of expired)
    run(`UPDATE presses SET problem = 'The bot has not answered', change = ${NEXT_CHANGE} WHERE id = ?`, id);
  if (expired.length > 0) tellBrowsers();
}

setInterval(refuseExpired, EXPIRY_CHECK_MS).unref();
