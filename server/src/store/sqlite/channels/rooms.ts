import type { AttachConditions } from "../../../domain/bots/listing.js";
import type { Channel } from "../../../domain/events/channel.js";
import { BOT_ATTACHED } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import { omitNulls } from "../../shared/omit-nulls.js";
import { changesOfRoom } from "../../shared/rows/audit-rows.js";
import { FEED_GREW, type NewRoom, type RoomBot } from "../../store.js";
import { auditInserter } from "../audit/audit.js";
import type { Database } from "../binding.js";
import type { EventVerbs, Verbs } from "../verbs.js";
import type { Attachments } from "./attachments.js";
import { CHANNEL } from "./channels.js";
import { logGrowth } from "./room-changes.js";

export function roomVerbs(
  db: Database,
  { createChannel }: Pick<Verbs, "createChannel">,
  { verbs: { attachBot }, refusal }: Attachments,
): Pick<Verbs, "findRooms"> & Pick<EventVerbs, "createRooms"> {
  const insertAudit = auditInserter(db);
  const selectChannels = db.prepare(`
    SELECT ${CHANNEL} FROM json_each(?2) e CROSS JOIN channels c ON c.owner_user_id = ?1 AND c.external_id = e.value`);
  const selectBots = db.prepare(`
    SELECT b.id AS botId, a.role FROM attachments a JOIN bots b USING (bot_key)
    WHERE a.channel_key = (SELECT channel_key FROM channels WHERE id = ?1) ORDER BY a.bot_key LIMIT +?2`);
  /** Finds the channel beyond the cap, if there is one, without counting all of them. */
  const selectOwned = db.prepare("SELECT 1 FROM channels WHERE owner_user_id = ? LIMIT 1 OFFSET ?");

  /** @returns the bots that may be attached to all of these rooms that name them */
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
      return !refusal(botId, holder, rules);
    });
    return new Set(attachable.map(([botId]) => botId));
  };

  return {
    findRooms: ({ ownerUserId, externalIds }, botsOfEach) =>
      selectChannels.all(ownerUserId, JSON.stringify(externalIds)).map((row) => {
        const channel = omitNulls<Channel>(row);
        return { channel, bots: selectBots.all(channel.id, botsOfEach) as Required<RoomBot>[] };
      }),

    createRooms(rooms, { perOwner, ...rules }) {
      const [first] = rooms;
      if (!first) return { result: [], heads: [] };
      const left = (perOwner ?? NO_BOUND) - rooms.length;
      if (left < 0 || (perOwner && selectOwned.get(first.ownerUserId, left)))
        return { result: rooms.map(() => false), heads: [] };
      const attachable = attachableIn(rooms, first.ownerUserId, rules);
      const growth = logGrowth();
      const result = rooms.map(({ bots, notice: payload, attachedAt, ...channel }) => {
        const { id: channelId, ownerUserId, isPlatform, audit, createdAt } = channel;
        if (!bots.every(({ botId }) => attachable.has(botId))) return false;
        // Without the cap, which was looked at for all of them: each look walks over the owner's channels.
        if (typeof createChannel(channel) !== "object") return false;
        for (const { botId, role } of bots) {
          const event = { id: newId(), eventType: BOT_ATTACHED, payload, createdAt: attachedAt ?? createdAt };
          growth.add(attachBot({ ownerUserId, isPlatform, botId }, channelId, event, {}, role));
        }
        if (audit)
          insertAudit({ audit, target: { type: "channel", id: channelId } }, changesOfRoom(channel, bots));
        return true;
      });
      const { heads, updateCount } = growth.all();
      return { result, heads: [FEED_GREW, ...heads], updateCount };
    },
  };
}

const NO_BOUND = Number.MAX_SAFE_INTEGER;
