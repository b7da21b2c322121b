// A small chat application that gives its users bots through Botyard. Users, rooms and messages are its own, in its own database:
// it works without Botyard too, and brings everything up to date when Botyard is back. docs/embedding.md explains each step.
//
//   PLATFORM_TOKEN=… node examples/platform/server.mjs
//
// The service needs the same PLATFORM_TOKEN, and PLATFORM_FEED=true. BOTYARD_URL is its URL, DATABASE the file of the messages.
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { PlatformClient, ServiceError } from "@botyard/sdk";
// From Node 22.13 on the same is in "node:sqlite".
import { DatabaseSync } from "@photostructure/sqlite";
import { jsonIn, Refusal, sendJson, textIn } from "./json.mjs";

const {
  PLATFORM_TOKEN,
  BOTYARD_URL = "http://127.0.0.1:8080",
  DATABASE = "chat.db",
  PORT = "4000",
} = process.env;
const PAGE = readFileSync(new URL("page.html", import.meta.url), "utf8");
/** Of scripts and styles, browsers take only those of the page. */
const OWN = [...PAGE.matchAll(/<(script|style)\b[^>]*>(.*?)<\/\1>/gs)]
  .map(([, , code]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`)
  .join(" ");
const BATCH = 500;

const platform = new PlatformClient(PLATFORM_TOKEN, { url: BOTYARD_URL });
const stopping = new AbortController();

// ---- What the application keeps

const db = new DatabaseSync(DATABASE);
// change: 1, 2, 3 … over all rooms, a new one whenever a message is written, edited or deleted; browsers ask for what is newer.
db.exec(`
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, session TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS rooms (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, holder INTEGER NOT NULL REFERENCES users, channel_id TEXT UNIQUE);
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY, room INTEGER NOT NULL REFERENCES rooms, change INTEGER NOT NULL UNIQUE,
    author TEXT NOT NULL, user INTEGER REFERENCES users, text TEXT NOT NULL,
    post_id TEXT UNIQUE, is_mirrored INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS messages_by_room ON messages (room, change);
  CREATE INDEX IF NOT EXISTS messages_to_mirror ON messages (id) WHERE is_mirrored = 0;
`);
const get = (sql, ...values) => db.prepare(sql).get(...values);
const all = (sql, ...values) => db.prepare(sql).all(...values);
const run = (sql, ...values) => db.prepare(sql).run(...values);
const NEXT_CHANGE = "(SELECT ifnull(max(change), 0) + 1 FROM messages)";

// ---- To Botyard: rooms are channels, messages are posts

/** The owner as whom the application acts for a user. */
const ownerOf = (userId) => platform.as(`user-${userId}`);

/** Makes the channel of a room unless there is one. The room's own id finds it again. */
async function channelOf({ id, title, holder, channel_id }) {
  if (channel_id) return channel_id;
  const channel = await ownerOf(holder).putExternalChannel(`room-${id}`, { title });
  run("UPDATE rooms SET channel_id = ? WHERE id = ?", channel.id, id);
  return channel.id;
}

/** Sends what is not sent yet. After a failure the same messages go again, and with their keys none is published twice. */
async function mirror() {
  for (const room of all("SELECT * FROM rooms WHERE channel_id IS NULL")) await channelOf(room);
  for (;;) {
    const messages = all(
      `SELECT m.id, m.text, m.author, m.user, r.channel_id FROM messages m JOIN rooms r ON r.id = m.room
      WHERE is_mirrored = 0 ORDER BY m.id LIMIT ?`,
      BATCH,
    );
    if (messages.length === 0) return;
    const results = await platform.createPosts(
      messages.map(({ id, text, author, user, channel_id }) => ({
        channel_id,
        body: text,
        author: { id: `user-${user}`, username: author },
        idempotency_key: `message-${id}`,
      })),
    );
    for (const [index, { status, error, post }] of results.entries()) {
      const { id } = messages[index];
      if (status === 429 || status >= 500) throw new Error(error);
      // Sent again it would be refused again: say so, and go on with the others.
      if (error) console.error(`message ${id} was refused: ${error}`);
      run("UPDATE messages SET is_mirrored = 1, post_id = ? WHERE id = ?", post?.id ?? null, id);
    }
  }
}

let wake = () => {};
let isDue = true;
/** There is something to send. */
function mirrorSoon() {
  isDue = true;
  wake();
}

// ---- From Botyard: what bots do, and what holders of rooms edit and delete in the console

/** Writes down what was done there. It may come twice, after a restart: the post's id tells. */
function take({ event_type, payload }) {
  const { post_id, channel_id, author, body } = payload;
  if (event_type === "channel.post_created" && author.type === "bot") {
    run(
      `INSERT OR IGNORE INTO messages (room, change, author, text, post_id, is_mirrored)
      SELECT id, ${NEXT_CHANGE}, ?, ?, ?, 1 FROM rooms WHERE channel_id = ?`,
      author.username,
      body,
      post_id,
      channel_id,
    );
  } else if (event_type === "channel.post_edited") {
    run(`UPDATE messages SET text = ?, change = ${NEXT_CHANGE} WHERE post_id = ?`, body, post_id);
  } else if (event_type === "channel.post_deleted") {
    run(`UPDATE messages SET text = '', change = ${NEXT_CHANGE} WHERE post_id = ?`, post_id);
  }
  tellBrowsers();
}

/** Does its work again and again, later after a failure, until the application stops. */
async function keepDoing(work) {
  while (!stopping.signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (stopping.signal.aborted) return;
      console.error(error.message);
      await sleep(1_000, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
}

void keepDoing(async () => {
  // The service keeps how far the consumer "chat" has got: behind the last item that this loop has finished.
  for await (const item of platform.feed({ consumer: "chat", signal: stopping.signal })) take(item);
});
void keepDoing(async () => {
  if (!isDue) await new Promise((resolve) => (wake = resolve));
  isDue = false;
  await mirror().catch((error) => {
    isDue = true;
    throw error;
  });
});

// ---- To browsers: a page, a few calls, and a stream of each room

/** The open streams, and how far each has got. */
const streams = new Set();

function tellBrowsers() {
  for (const stream of streams) {
    for (const message of all(
      "SELECT * FROM messages WHERE room = ? AND change > ? ORDER BY change",
      stream.room,
      stream.change,
    )) {
      const { id, change, author, user, text } = message;
      stream.change = change;
      stream.response.write(
        `id: ${change}\ndata: ${JSON.stringify({ id, author, isBot: user === null, text })}\n\n`,
      );
    }
  }
}

function roomOf(id) {
  const room = get("SELECT * FROM rooms WHERE id = ?", Number(id));
  if (room) return room;
  throw new Refusal(404, "there is no such room");
}

const CALLS = {
  // A product has passwords: here everybody is who they say, once.
  "POST /session": ({ body, response }) => {
    const name = textIn(body.name, 40);
    const session = randomBytes(24).toString("base64url");
    if (get("SELECT id FROM users WHERE name = ?", name)) throw new Refusal(400, `${name} is here already`);
    run("INSERT INTO users (name, session) VALUES (?, ?)", name, session);
    response.setHeader("set-cookie", `session=${session}; HttpOnly; SameSite=Strict; Path=/`);
    return { name };
  },
  "GET /rooms": ({ user }) => ({
    name: user.name,
    rooms: all("SELECT id, title, holder = ? AS isMine FROM rooms ORDER BY id", user.id),
  }),
  "POST /rooms": ({ user, body }) => {
    const title = textIn(body.title, 100);
    const { lastInsertRowid: id } = run("INSERT INTO rooms (title, holder) VALUES (?, ?)", title, user.id);
    mirrorSoon();
    return { id: Number(id) };
  },
  "POST /rooms/messages": ({ user, room, body }) => {
    run(
      `INSERT INTO messages (room, change, author, user, text, is_mirrored) VALUES (?, ${NEXT_CHANGE}, ?, ?, ?, 0)`,
      room.id,
      user.name,
      user.id,
      textIn(body.text, 4_000),
    );
    tellBrowsers();
    mirrorSoon();
    return {};
  },
  /** Makes a bot for who holds the room. Its token is shown this once. */
  "POST /rooms/bots": async ({ user, room, body }) => {
    if (room.holder !== user.id) throw new Refusal(403, "only who has opened the room adds bots to it");
    const owner = ownerOf(user.id);
    const channelId = await channelOf(room);
    const { bot, token } = await owner.createBot({ username: textIn(body.username, 64) });
    await owner.attachBot(bot.id, channelId);
    return { token: token.token };
  },
};

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (response.headersSent) return response.destroy();
    // What Botyard does not take, such as a username that somebody has, is for the user to mend.
    const isWrong = error instanceof ServiceError && error.status === 400;
    if (isWrong) return sendJson(response, 400, { error: error.reason });
    if (error instanceof Refusal) return sendJson(response, error.status, { error: error.message });
    console.error(error);
    sendJson(response, 502, { error: "that did not work: try again" });
  });
});

async function answer(request, response) {
  const url = new URL(request.url, "http://chat");
  if (url.pathname === "/") {
    response.setHeader("content-security-policy", `default-src 'self'; script-src ${OWN}; style-src ${OWN}`);
    return response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
  }
  const [, roomId] = /^\/rooms\/(\d+)\//.exec(url.pathname) ?? [];
  const name = `${request.method} ${url.pathname.replace(/\/\d+/, "")}`;
  const [, session = ""] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? "") ?? [];
  const user = get("SELECT * FROM users WHERE session = ?", session);
  if (!user && name !== "POST /session") throw new Refusal(401, "say who you are first");
  const room = roomId === undefined ? undefined : roomOf(roomId);
  if (room && name === "GET /rooms/stream") return stream(request, response, room);
  const call = CALLS[name];
  if (!call || name.startsWith("POST /rooms/") !== (room !== undefined))
    throw new Refusal(404, "there is nothing here");
  const body = request.method === "POST" ? await jsonIn(request) : {};
  sendJson(response, 200, await call({ user, room, body, response }));
}

/** The messages of a room: those there are, or behind the last one that the browser has, and then each new one. */
function stream(request, response, room) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const opened = { room: room.id, change: Number(request.headers["last-event-id"] ?? 0) || 0, response };
  streams.add(opened);
  response.once("close", () => streams.delete(opened));
  response.write("retry: 500\n\n");
  tellBrowsers();
}

server.listen(Number(PORT), "127.0.0.1");
await once(server, "listening");
console.log(`open http://127.0.0.1:${server.address().port}`);

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    stopping.abort();
    wake();
    server.close();
    server.closeAllConnections();
  });
}
