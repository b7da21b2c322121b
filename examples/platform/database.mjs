// What the chat application keeps: its users, rooms and messages, and what its users pressed.
//
// DATABASE is the file.

import { randomUUID } from "node:crypto";
// From Node 22.13 on the same is in "node:sqlite".
import { DatabaseSync } from "@photostructure/sqlite";

const { DATABASE = "chat.db" } = process.env;
const VERSION = 4;

const db = new DatabaseSync(DATABASE);
export const get = (sql, ...values) => db.prepare(sql).get(...values);
export const all = (sql, ...values) => db.prepare(sql).all(...values);
export const run = (sql, ...values) => db.prepare(sql).run(...values);

const isNew = !get("SELECT 1 FROM sqlite_schema");
if (!isNew && get("PRAGMA user_version").user_version !== VERSION)
  throw new Error(`${DATABASE} is of another version of this example: remove it, or name another file`);

// change: 1, 2, 3 … over all rooms, a new one whenever a message or a press is written or changed; browsers ask for what is newer.
// rooms: one with seen_by is the conversation of this user with a bot, and nobody else sees it.
// messages: one of a user is sent to Botyard (is_mirrored) and is then the post post_id. One of a bot is a post, or a private answer
// (response_id) that only the user seen_by is shown.
// deleted_posts: those of which the feed has told before their messages were known to be these posts.
// presses: what users chose and pressed. Each is kept here first, and then sent until Botyard has it (is_sent); problem says why it was refused.
// responses: what bots answered, apart from presses, since an answer may come before interaction_id is known.
// installation: an id of this database, in the keys of what is sent: ids count from 1 again in another one.
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA user_version = ${VERSION};
  CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, session TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS rooms (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, holder INTEGER NOT NULL REFERENCES users,
    seen_by INTEGER REFERENCES users, channel_id TEXT UNIQUE);
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY, room INTEGER NOT NULL REFERENCES rooms, change INTEGER NOT NULL UNIQUE,
    author TEXT NOT NULL, user INTEGER REFERENCES users, seen_by INTEGER REFERENCES users,
    text TEXT NOT NULL, media TEXT NOT NULL DEFAULT '[]', components TEXT NOT NULL DEFAULT '[]',
    is_deleted INTEGER NOT NULL DEFAULT 0, reply_to INTEGER REFERENCES messages,
    post_id TEXT UNIQUE, revision INTEGER NOT NULL DEFAULT 1, response_id TEXT UNIQUE, is_mirrored INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS messages_by_room ON messages (room, change);
  CREATE INDEX IF NOT EXISTS messages_to_mirror ON messages (id) WHERE is_mirrored = 0;
  CREATE TABLE IF NOT EXISTS presses (
    id INTEGER PRIMARY KEY, room INTEGER NOT NULL REFERENCES rooms, change INTEGER NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES users, key TEXT NOT NULL, message INTEGER REFERENCES messages, interaction TEXT NOT NULL,
    is_sent INTEGER NOT NULL DEFAULT 0, interaction_id TEXT UNIQUE, expires_at INTEGER, problem TEXT, UNIQUE (user, key));
  CREATE INDEX IF NOT EXISTS presses_by_room ON presses (room, user, change);
  CREATE INDEX IF NOT EXISTS presses_to_send ON presses (id) WHERE is_sent = 0;
  CREATE TABLE IF NOT EXISTS responses (id TEXT PRIMARY KEY, interaction_id TEXT NOT NULL, type TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS responses_by_interaction ON responses (interaction_id);
  CREATE TABLE IF NOT EXISTS deleted_posts (post_id TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS installation (id TEXT NOT NULL);
`);
run("INSERT INTO installation SELECT ? WHERE NOT EXISTS (SELECT 1 FROM installation)", randomUUID());
export const INSTALLATION = get("SELECT id FROM installation").id;

/** The number of a change that is being written. */
export const NEXT_CHANGE = `(SELECT ifnull(max(change), 0) + 1 FROM
  (SELECT max(change) AS change FROM messages UNION ALL SELECT max(change) FROM presses))`;

/** What becomes of a message that is deleted. */
export const DELETED = `is_deleted = 1, text = '', media = '[]', components = '[]', change = ${NEXT_CHANGE}`;
