import { BOT_ATTACHED, type StoredEvent } from "../../../domain/events/event.js";
import { hearsOfItself } from "../../../domain/events/subscription.js";
import type { NewRoom } from "../../store.js";
import type { Database } from "../binding.js";
import { parseSubscription } from "../bots/subscriptions.js";
import type { EventVerbs, Verbs } from "../verbs.js";

type ChannelVerbs = Pick<Verbs, "createChannel" | "findExternalChannel" | "listChannelBots"> &
  Pick<EventVerbs, "attachBot">;

export function roomVerbs(
  db: Database,
  { createChannel, findExternalChannel, listChannelBots, attachBot }: ChannelVerbs,
): Pick<Verbs, "findRooms" | "createRooms"> {
  const selectBot = db.prepare(`
    SELECT b.subscription, l.channel_count AS count FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ? AND b.owner_user_id = ?`);

  const isAttachable = (botId: string, ownerUserId: string, perBot: number): boolean => {
    const bot = selectBot.get(botId, ownerUserId) as
      | { subscription: string | null; count: number }
      | undefined;
    if (!bot || bot.count >= perBot) return false;
    return bot.subscription === null || !hearsOfItself(parseSubscription(bot.subscription), BOT_ATTACHED);
  };

  return {
    findRooms: ({ ownerUserId, externalIds }, botsOfEach) =>
      externalIds.flatMap((externalId) => {
        const channel = findExternalChannel(ownerUserId, externalId);
        if (!channel) return [];
        const bots = listChannelBots(channel.id, botsOfEach);
        return [{ channel, bots: bots.map(({ bot, role }) => ({ botId: bot.id, role })) }];
      }),

    createRooms: (rooms, { perOwner, perBot }) =>
      rooms.map(({ bots, ...channel }) => {
        const { id, ownerUserId, isPlatform } = channel;
        if (!bots.every(({ botId }) => isAttachable(botId, ownerUserId, perBot))) return false;
        if (typeof createChannel(channel, perOwner) !== "object") return false;
        const event = unheard(channel);
        for (const { botId, role } of bots)
          attachBot({ ownerUserId, isPlatform, botId }, id, event, perBot, role);
        return true;
      }),
  };
}

/** In place of the event that tells a bot that it is attached: none of these bots hears it, so only its time is used. */
function unheard({ id, createdAt }: Pick<NewRoom, "id" | "createdAt">): StoredEvent {
  return { id, eventType: BOT_ATTACHED, payload: "{}", createdAt };
}
