import type { AttachConditions } from "../../../domain/bots/listing.js";
import { BOT_ATTACHED, type StoredEvent } from "../../../domain/events/event.js";
import { hearsOfItself } from "../../../domain/events/subscription.js";
import { changesOfRoom } from "../../shared/audit-rows.js";
import type { NewRoom } from "../../store.js";
import { auditInserter } from "../audit/audit.js";
import type { Database } from "../binding.js";
import { parseSubscription } from "../bots/subscriptions.js";
import type { Verbs } from "../verbs.js";
import type { Attachments } from "./attachments.js";

export function roomVerbs(
  db: Database,
  { createChannel, findExternalChannel }: Pick<Verbs, "createChannel" | "findExternalChannel">,
  { verbs: { listChannelBots, attachBot }, refusal }: Attachments,
): Pick<Verbs, "findRooms" | "createRooms"> {
  const insertAudit = auditInserter(db);
  const selectBot = db.prepare("SELECT subscription FROM bots WHERE id = ?");

  const isAttachable = (botId: string, ownerUserId: string, rules: AttachConditions): boolean => {
    if (refusal(botId, ownerUserId, rules) !== undefined) return false;
    const { subscription } = selectBot.get(botId) as { subscription: string | null };
    return subscription === null || !hearsOfItself(parseSubscription(subscription), BOT_ATTACHED);
  };

  return {
    findRooms: ({ ownerUserId, externalIds }, botsOfEach) =>
      externalIds.flatMap((externalId) => {
        const channel = findExternalChannel(ownerUserId, externalId);
        if (!channel) return [];
        const bots = listChannelBots(channel.id, botsOfEach);
        return [{ channel, bots: bots.map(({ bot, role }) => ({ botId: bot.id, role })) }];
      }),

    createRooms: (rooms, { perOwner, ...rules }) =>
      rooms.map(({ bots, ...channel }) => {
        const { id, ownerUserId, isPlatform } = channel;
        if (!bots.every(({ botId }) => isAttachable(botId, ownerUserId, rules))) return false;
        if (typeof createChannel(channel, perOwner) !== "object") return false;
        const event = unheard(channel);
        for (const { botId, role } of bots)
          attachBot({ ownerUserId, isPlatform, botId }, id, event, rules, role);
        const { audit } = channel;
        if (audit)
          insertAudit({ audit, target: { type: "channel", id } }, changesOfRoom({ ...channel, bots }));
        return true;
      }),
  };
}

/** In place of the event that tells a bot that it is attached: none of these bots hears it, so only its time is used. */
function unheard({ id, createdAt }: Pick<NewRoom, "id" | "createdAt">): StoredEvent {
  return { id, eventType: BOT_ATTACHED, payload: "{}", createdAt };
}
