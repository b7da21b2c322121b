// A small chat application that gives its users bots through Botyard. Users, rooms and messages are its own, in its own database:
// it works without Botyard too, and brings everything up to date when Botyard is back. docs/embedding.md explains each step.
//
//   PLATFORM_TOKEN=… node examples/platform/server.mjs
//
// The service needs the same PLATFORM_TOKEN, and PLATFORM_FEED=true. BOTYARD_URL is its URL, DATABASE the file of the messages.
// This file has the page and the calls of browsers. rooms.mjs, direct.mjs, guests.mjs and presses.mjs send to Botyard, feed.mjs has what comes from it.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { ServiceError } from "@botyard/sdk";
import { all, get, NEXT_CHANGE, run } from "./database.mjs";
import { openDirect } from "./direct.mjs";
import "./feed.mjs";
import { addGuest, botsFor, shareBot } from "./guests.mjs";
import { jsonIn, Refusal, sendJson, textIn } from "./json.mjs";
import { choicesOf, commandsOf, keepPress } from "./presses.mjs";
import { channelOf, mirrorSoon, ownerOf } from "./rooms.mjs";
import { openStream, tellBrowsers } from "./streams.mjs";
import { stopWork } from "./work.mjs";

const { PORT = "4000" } = process.env;
const TYPES = { ".html": "text/html", ".css": "text/css", ".mjs": "text/javascript" };
const folder = new URL("page/", import.meta.url);
/** The files of the page, by their paths. */
const FILES = new Map(
  readdirSync(folder).map((name) => [
    name === "index.html" ? "/" : `/${name}`,
    { type: `${TYPES[extname(name)]}; charset=utf-8`, content: readFileSync(new URL(name, folder)) },
  ]),
);

/** A room, for who sees it: to others it is as if it were not there. */
function roomOf(id, user) {
  const room = get(
    "SELECT * FROM rooms WHERE id = ? AND (seen_by IS NULL OR seen_by = ?)",
    Number(id),
    user.id,
  );
  if (room) return room;
  throw new Refusal(404, "there is no such room");
}

/** The message that another one answers: one that everybody in the room sees. */
function answeredIn(room, id) {
  const message = get(
    "SELECT id FROM messages WHERE id = ? AND room = ? AND seen_by IS NULL",
    Number(id),
    room.id,
  );
  if (message) return message.id;
  throw new Refusal(404, "there is no such message to answer");
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
    rooms: all(
      `SELECT id, title, holder = ? AND seen_by IS NULL AS isMine, seen_by IS NOT NULL AS isDirect FROM rooms
      WHERE seen_by IS NULL OR seen_by = ? ORDER BY id`,
      user.id,
      user.id,
    ),
  }),
  "POST /rooms": ({ user, body }) => {
    const title = textIn(body.title, 100);
    const { lastInsertRowid: id } = run("INSERT INTO rooms (title, holder) VALUES (?, ?)", title, user.id);
    mirrorSoon();
    return { id: Number(id) };
  },
  "GET /rooms/stream": (call) => openStream(call.request, call.response, call),
  "POST /rooms/messages": ({ user, room, body }) => {
    run(
      `INSERT INTO messages (room, change, author, user, text, reply_to, is_mirrored) VALUES (?, ${NEXT_CHANGE}, ?, ?, ?, ?, 0)`,
      room.id,
      user.name,
      user.id,
      textIn(body.text, 4_000),
      body.reply_to ? answeredIn(room, body.reply_to) : null,
    );
    tellBrowsers();
    mirrorSoon();
    return {};
  },
  /** What the bots of a room offer, and what options of the types user and channel may be. */
  "GET /rooms/commands": async ({ room }) => ({ items: await commandsOf(room), choices: choicesOf() }),
  /** A command that was chosen, or a button or select that was pressed. The stream says what comes of it. */
  "POST /rooms/presses": ({ user, room, body }) => {
    keepPress(user, room, body);
    return {};
  },
  /** Makes a bot for who holds the room. Its token is shown this once. */
  "POST /rooms/bots": async ({ user, room, body }) => {
    if (room.holder !== user.id || room.seen_by)
      throw new Refusal(403, "only who has opened the room adds bots to it");
    const owner = ownerOf(user.id);
    const channelId = await channelOf(room);
    const { bot, token } = await owner.createBot({ username: textIn(body.username, 64) });
    await owner.attachBot(bot.id, channelId);
    return { token: token.token };
  },
  "GET /rooms/bots": ({ user, room }) => botsFor(user, room),
  /** Lists a bot of this user, so that others add it to their rooms. */
  "POST /rooms/share": ({ user, body }) => shareBot(user, textIn(body.bot_id, 64)),
  /** Adds a listed bot of somebody to a room. */
  "POST /rooms/guests": ({ user, room, body }) => addGuest(user, room, textIn(body.bot_id, 64)),
  /** The conversation of this user with a bot of the room. */
  "POST /rooms/direct": ({ user, room, body }) => openDirect(user, room, body.bot_id),
};

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (response.headersSent) return response.destroy();
    // What Botyard does not take, such as a username that somebody has, or a bot that is listed no longer, is for the user to mend.
    const isWrong = error instanceof ServiceError && [400, 404].includes(error.status);
    if (isWrong) return sendJson(response, 400, { error: error.reason });
    if (error instanceof Refusal) return sendJson(response, error.status, { error: error.message });
    console.error(error);
    sendJson(response, 502, { error: "that did not work: try again" });
  });
});

async function answer(request, response) {
  const url = new URL(request.url, "http://chat");
  const file = FILES.get(url.pathname);
  if (file) {
    // Of scripts and styles, browsers take only those of the page.
    response.setHeader("content-security-policy", "default-src 'self'");
    return response.setHeader("content-type", file.type).end(file.content);
  }
  const [, roomId] = /^\/rooms\/(\d+)\//.exec(url.pathname) ?? [];
  const name = `${request.method} ${url.pathname.replace(/\/\d+/, "")}`;
  const [, session = ""] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? "") ?? [];
  const user = get("SELECT * FROM users WHERE session = ?", session);
  if (!user && name !== "POST /session") throw new Refusal(401, "say who you are first");
  const room = roomId === undefined ? undefined : roomOf(roomId, user);
  const call = CALLS[name];
  if (!call || name.includes("/rooms/") !== (room !== undefined))
    throw new Refusal(404, "there is nothing here");
  const body = request.method === "POST" ? await jsonIn(request) : {};
  const result = await call({ user, room, body, request, response });
  // A stream is answered by itself, and stays open.
  if (result) sendJson(response, 200, result);
}

server.listen(Number(PORT), "127.0.0.1");
await once(server, "listening");
console.log(`open http://127.0.0.1:${server.address().port}`);

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    stopWork();
    server.close();
    server.closeAllConnections();
  });
}
