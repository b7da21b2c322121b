import { departure } from "../../audited-verbs.js";
import type { BotRef } from "../../store.js";
import type { Database } from "../binding.js";
import { auditInserter } from "./audit.js";

/** @returns writes the entries of those in whose channels a bot is that is deleted; not of its owner, who has one of the deletion */
export function departureTeller(db: Database): (botKey: number, ref: BotRef, requestId: string) => void {
  const insert = auditInserter(db);
  const selectLeft = db.prepare(`
    SELECT c.id AS channelId, c.owner_user_id AS holder, a.role
    FROM attachments a JOIN channels c USING (channel_key) WHERE a.bot_key = ? AND c.owner_user_id <> ?`);
  return (botKey, { botId, ownerUserId }, requestId) => {
    const left = selectLeft.all(botKey, ownerUserId) as { channelId: string; holder: string; role: string }[];
    for (const { channelId, holder, role } of left)
      insert(
        { audit: departure(botId, holder, requestId), target: { type: "attachment", id: botId, channelId } },
        { role: { before: role } },
      );
  };
}
