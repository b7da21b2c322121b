import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import { ACTOR_NUMBERS } from "../../../domain/events/event.js";
import type { CommandStore } from "../../parts/command-store.js";
import type { ChannelCommands } from "../../store.js";
import { type Database, type Statement, uuid } from "../connection/connection.js";
import { aboutBot, appendToFeed } from "../feed/feed-events.js";

/**
 * $1: the bot, $2: its commands, $3: when. The time of a change is above that of the one before, so that it tells versions apart.
 */
const UPDATE: Statement = {
  name: "update-commands",
  text: `
    WITH bot AS (
      UPDATE bots SET commands = $2::text, commands_at = greatest($3::bigint, coalesce(commands_at, 0) + 1)
      WHERE id = $1 AND commands IS DISTINCT FROM $2::text RETURNING *),
    ${appendToFeed(aboutBot("bot.commands_set", "bot b"), `${ACTOR_NUMBERS.bot}`, "true", "(SELECT bot_key FROM bot)")}
    SELECT FROM bots WHERE id = $1`,
};
const SELECT: Statement = { name: "select-commands", text: "SELECT commands FROM bots WHERE id = $1" };
const OFFERING = `
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = $1 AND b.commands IS NOT NULL AND b.disabled_at IS NULL AND a.role <> '${READ_ONLY_ROLE}'`;
/** $1: the channel, $2: the bot after which, or null, $3: how many. */
const LIST: Statement = {
  name: "list-channel-commands",
  text: `
    SELECT b.id AS "botId", b.username, b.display_name AS "displayName", b.commands ${OFFERING}
      AND b.bot_key > coalesce((SELECT bot_key FROM bots WHERE id <= $2::uuid ORDER BY id DESC LIMIT 1), 0)
    ORDER BY b.bot_key LIMIT $3`,
};
const SELECT_VERSIONS: Statement = {
  name: "select-commands-version",
  text: `
    SELECT coalesce(string_agg(concat_ws(':', b.bot_key, b.commands_at, b.username, b.display_name), ' ' ORDER BY b.bot_key), '') AS version ${OFFERING}`,
};

export function commandVerbs(db: Database): CommandStore {
  return {
    async putCommands(botId, commands, now) {
      const rows = await db.query(UPDATE, [uuid(botId), commands, now]);
      return rows.length > 0 ? true : undefined;
    },

    async readCommands(botId) {
      const [bot] = await db.query<{ commands: string | null }>(SELECT, [uuid(botId)]);
      return bot?.commands;
    },

    listChannelCommands: (channelId, limit, after) =>
      db.query<ChannelCommands>(LIST, [uuid(channelId), after === undefined ? null : uuid(after), limit]),

    async readCommandsVersion(channelId) {
      const [row] = await db.query<{ version: string }>(SELECT_VERSIONS, [uuid(channelId)]);
      return row?.version ?? "";
    },
  };
}
