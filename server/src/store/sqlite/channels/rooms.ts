import { BOT_ATTACHED, type StoredEvent } from "../../../domain/events/event.js";
import { hearsOfItself } from "../../../domain/events/subscription.js";
import { changesOfRoom } from "../../shared/rows/audit-rows.js";
import type { NewRoom } from "../../store.js";
import { auditInserter } from "../audit/audit.js";
import type { Database } from "../binding.js";
import { parseSubscription } from "../bots/subscriptions.js";
import type { Verbs } from "../verbs.js";
import type { Attachments } from "./attachments.js";

export function roomVerbs(
  db: Database,
  { createChannel, findExternalChannel }: Pick<Verbs, "createChannel" | "findExternalChannel">,
  { listChannelBots, attachBot }: Attachments["verbs"],
): Pick<Verbs, "findRooms" | "createRooms"> {
  const insertAudit = auditInserter(db);
  /** Finds the channel beyond the cap, if there is one, without counting all of them. */
  const selectOwned = db.prepare("SELECT 1 FROM channels WHERE owner_user_id = ? LIMIT 1 OFFSET ?");
  const selectBot = db.prepare(`
    SELECT b.subscription, l.channel_count AS channelCount FROM bots b JOIN lanes l USING (bot_key)
    WHERE b.id = ? AND b.owner_user_id = ?`);

  /** @returns the owner's bots that are in few enough channels with those of these rooms, and do not hear that they are attached */
  const attachableIn = (
    rooms: readonly NewRoom[],
    ownerUserId: string,
    mostChannels: number,
  ): Set<string> => {
    const uses = new Map<string, number>();
    for (const { botId } of rooms.flatMap(({ bots }) => bots)) uses.set(botId, (uses.get(botId) ?? 0) + 1);
    const attachable = [...uses].filter(([botId, count]) => {
      const bot = selectBot.get(botId, ownerUserId) as
        | { subscription: string | null; channelCount: number }
        | undefined;
      if (!bot || bot.channelCount + count > mostChannels) return false;
      const { subscription } = bot;
      return subscription === null || !hearsOfItself(parseSubscription(subscription), BOT_ATTACHED);
    });
    return new Set(attachable.map(([botId]) => botId));
  };

  return {
    findRooms: ({ ownerUserId, externalIds }, botsOfEach) =>
      externalIds.flatMap((externalId) => {
        const channel = findExternalChannel(ownerUserId, externalId);
        if (!channel) return [];
        const bots = listChannelBots(channel.id, botsOfEach);
        return [{ channel, bots: bots.map(({ bot, role }) => ({ botId: bot.id, role })) }];
      }),

    createRooms(rooms, { perOwner, perHolder = NO_BOUND, perBot = NO_BOUND }) {
      const [first] = rooms;
      if (!first) return [];
      const { ownerUserId } = first;
      const left = perOwner - rooms.length;
      if (left < 0 || selectOwned.get(ownerUserId, left)) return rooms.map(() => false);
      // With channels of other owners there may be more: then a call for this channel alone says so.
      const attachable = attachableIn(rooms, ownerUserId, Math.min(perHolder, perBot));
      return rooms.map(({ bots, ...channel }) => {
        const { id, isPlatform, audit } = channel;
        if (!bots.every(({ botId }) => attachable.has(botId))) return false;
        // Without the cap, which was looked at for all of them: each look walks over the owner's channels.
        if (typeof createChannel(channel) !== "object") return false;
        const event = unheard(channel);
        for (const { botId, role } of bots)
          attachBot({ ownerUserId, isPlatform, botId }, id, event, {}, role);
        if (audit)
          insertAudit({ audit, target: { type: "channel", id } }, changesOfRoom({ ...channel, bots }));
        return true;
      });
    },
  };
}

const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** In place of the event that tells a bot that it is attached: none of these bots hears it, so only its time is used. */
function unheard({ id, createdAt }: Pick<NewRoom, "id" | "createdAt">): StoredEvent {
  return { id, eventType: BOT_ATTACHED, payload: "{}", createdAt };
}
