import { READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import type { CommandStore } from "../../parts/command-store.js";
import type { ChannelCommands } from "../../store.js";
import type { Database } from "../binding.js";
import { feedEventAppender } from "../feed/feed-events.js";
import type { Verbs } from "../verbs.js";
import { aboutBot } from "./bots.js";

export function commandVerbs(db: Database): Pick<Verbs, keyof CommandStore> {
  /** The time of a change is above that of the one before, so that it tells versions apart. */
  const update = db.prepare(`
    UPDATE bots SET commands = ?1, commands_at = max(?2, ifnull(commands_at, 0) + 1)
    WHERE id = ?3 AND commands IS NOT ?1 RETURNING bot_key AS botKey, username, owner_user_id AS ownerUserId`);
  const select = db.prepare("SELECT commands FROM bots WHERE id = ?");
  const offering = `
    FROM channels c JOIN attachments a USING (channel_key) JOIN bots b USING (bot_key)
    WHERE c.id = ?1 AND b.commands IS NOT NULL AND b.disabled_at IS NULL AND a.role <> '${READ_ONLY_ROLE}'`;
  const list = db.prepare(`
    SELECT b.id AS botId, b.username, b.display_name AS displayName, b.commands ${offering}
      AND a.bot_key > ifnull((SELECT bot_key FROM bots WHERE id <= ?2 ORDER BY id DESC LIMIT 1), 0)
    ORDER BY a.bot_key LIMIT +?3`);
  const selectVersions = db.prepare(`
    SELECT a.bot_key || ':' || b.commands_at || ':' || b.username || ':' || b.display_name AS version ${offering} ORDER BY a.bot_key`);
  const appendToFeed = feedEventAppender(db);

  return {
    putCommands(botId, commands, now) {
      const changed = update.get(commands, now, botId) as
        | { botKey: number; username: string; ownerUserId: string }
        | undefined;
      if (!changed) return select.get(botId) ? true : undefined;
      const { botKey, username, ownerUserId } = changed;
      appendToFeed("bot.commands_set", aboutBot(botId, username, ownerUserId), { botKey });
      return true;
    },

    readCommands: (botId) => (select.get(botId) as { commands: string | null } | undefined)?.commands,

    listChannelCommands: (channelId, limit, after) =>
      list.all(channelId, after ?? null, limit) as ChannelCommands[],

    readCommandsVersion: (channelId) =>
      (selectVersions.all(channelId) as { version: string }[]).map(({ version }) => version).join(" "),
  };
}
