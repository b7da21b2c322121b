import type { Channel } from "../../../domain/events/channel.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Database } from "../binding.js";
import type { EventVerbs, Verbs } from "../verbs.js";
import { CHANNEL } from "./channels.js";

type DirectVerbs = Pick<Verbs, "findDirectChannel"> & Pick<EventVerbs, "createDirectChannel">;
type ChannelVerbs = Pick<Verbs, "createChannel"> & Pick<EventVerbs, "attachBot">;

export function directChannelVerbs(db: Database, { createChannel, attachBot }: ChannelVerbs): DirectVerbs {
  const selectDirect = db.prepare(`
    SELECT ${CHANNEL} FROM channels c
    WHERE owner_user_id = ? AND direct_bot_id = ? AND ifnull(direct_user_id, '') = ?`);
  const selectCount = db.prepare(`
    SELECT channel_count AS count FROM bots b JOIN lanes USING (bot_key) WHERE b.id = ? AND b.owner_user_id = ?`);

  const findDirectChannel: DirectVerbs["findDirectChannel"] = ({ ownerUserId, botId, userId = "" }) => {
    const row = selectDirect.get(ownerUserId, botId, userId);
    return row ? omitNulls<Channel>(row) : undefined;
  };

  return {
    findDirectChannel,

    createDirectChannel(channel, event, { perOwner, perBot }) {
      const { ownerUserId, isPlatform, directBotId: botId, directUserId: userId } = channel;
      const bot = selectCount.get(botId, ownerUserId) as { count: number } | undefined;
      if (!bot) return { result: undefined, heads: [] };
      if (findDirectChannel({ ownerUserId, botId, userId })) return { result: "there", heads: [] };
      if (bot.count >= perBot) return { result: "attached to too many", heads: [] };
      const made = createChannel(channel, perOwner);
      if (made === "too many") return { result: made, heads: [] };
      // The slug is made of the new id.
      if (typeof made !== "object") throw new Error(`the slug ${channel.slug} is taken`);
      const { heads } = attachBot({ ownerUserId, isPlatform, botId }, channel.id, event);
      return { result: made, heads };
    },
  };
}
