import type { Channel } from "../../../domain/events/channel.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import type { Database } from "../binding.js";
import type { EventVerbs, Verbs } from "../verbs.js";
import type { Attachments } from "./attachments.js";
import { CHANNEL } from "./channels.js";

type DirectVerbs = Pick<Verbs, "findDirectChannel"> & Pick<EventVerbs, "createDirectChannel">;

export function directChannelVerbs(
  db: Database,
  { createChannel }: Pick<Verbs, "createChannel">,
  { verbs, refusal }: Attachments,
): DirectVerbs {
  const selectDirect = db.prepare(`
    SELECT ${CHANNEL} FROM channels c
    WHERE owner_user_id = ? AND direct_bot_id = ? AND ifnull(direct_user_id, '') = ?`);
  const findDirectChannel: DirectVerbs["findDirectChannel"] = ({ ownerUserId, botId, userId = "" }) => {
    const row = selectDirect.get(ownerUserId, botId, userId);
    return row ? omitNulls<Channel>(row) : undefined;
  };

  return {
    findDirectChannel,

    createDirectChannel(channel, event, { perOwner, ...rules }) {
      const { ownerUserId, isPlatform, directBotId: botId, directUserId: userId } = channel;
      if (findDirectChannel({ ownerUserId, botId, userId })) return { result: "there", heads: [] };
      const refused = refusal(botId, ownerUserId, rules);
      if (refused) return { result: refused === "no bot" ? undefined : refused, heads: [] };
      const made = createChannel(channel, perOwner);
      if (made === "too many") return { result: "too many channels", heads: [] };
      // The slug is made of the new id.
      if (typeof made !== "object") throw new Error(`the slug ${channel.slug} is taken`);
      const { heads } = verbs.attachBot({ ownerUserId, isPlatform, botId }, channel.id, event, rules);
      return { result: made, heads };
    },
  };
}
