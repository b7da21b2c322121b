import type { AttachConditions } from "../../../domain/bots/listing.js";
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
  { verbs: { listChannelBots, attachBot }, refusal }: Attachments,
): Pick<Verbs, "findRooms" | "createRooms"> {
  const insertAudit = auditInserter(db);
  /** Finds the channel beyond the cap, if there is one, without counting all of them. */
  const selectOwned = db.prepare("SELECT 1 FROM channels WHERE owner_user_id = ? LIMIT 1 OFFSET ?");
  const selectSubscription = db.prepare("SELECT subscription FROM bots WHERE id = ?");

  /** @returns the bots that may be attached to all of these rooms that name them, and do not hear that they are */
  const attachableIn = (
    rooms: readonly NewRoom[],
    holder: string,
    { perHolder = NO_BOUND, perBot = NO_BOUND, review }: AttachConditions,
  ): Set<string> => {
    const uses = new Map<string, number>();
    for (const { botId } of rooms.flatMap(({ bots }) => bots)) uses.set(botId, (uses.get(botId) ?? 0) + 1);
    const attachable = [...uses].filter(([botId, count]) => {
      const further = count - 1;
      if (further >= Math.min(perHolder, perBot)) return false;
      // As for the last of them.
      const rules = { perHolder: perHolder - further, perBot: perBot - further, review };
      if (refusal(botId, holder, rules)) return false;
      const { subscription } = selectSubscription.get(botId) as { subscription: string | null };
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

    createRooms(rooms, { perOwner, ...rules }) {
      const [first] = rooms;
      if (!first) return [];
      const { ownerUserId } = first;
      const left = (perOwner ?? NO_BOUND) - rooms.length;
      if (left < 0 || (perOwner && selectOwned.get(ownerUserId, left))) return rooms.map(() => false);
      const attachable = attachableIn(rooms, ownerUserId, rules);
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
