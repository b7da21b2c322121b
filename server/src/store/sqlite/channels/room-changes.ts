import { BOT_ATTACHED, BOT_DETACHED } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import { changesOfEdit } from "../../shared/rows/audit-rows.js";
import { FEED, type LogHead } from "../../store.js";
import type { Grown, Verb } from "../../verbs.js";
import { auditInserter, auditWriter } from "../audit/audit.js";
import type { Database } from "../binding.js";
import type { EventVerbs } from "../verbs.js";
import type { Attachments } from "./attachments.js";
import { channelEditor } from "./channels.js";

/** Many channels at once: each change is that of one of them, with its entry in the audit log. */
export function roomChangeVerbs(
  db: Database,
  { verbs: { attachBot, detachBot }, refusal }: Attachments,
): Pick<EventVerbs, "editRooms" | "changeRoomBots"> {
  const edit = channelEditor(db);
  const insertAudit = auditInserter(db);
  const writeAudited = auditWriter(db);
  const audited = <Result>(verb: Verb, parameters: unknown[], change: () => Grown<Result>): Grown<Result> =>
    writeAudited(verb, parameters, change) as Grown<Result>;

  return {
    editRooms(edits) {
      const growth = logGrowth();
      for (const change of edits) {
        const heads = edit(change, change);
        if (!heads) continue;
        growth.add({ result: undefined, heads });
        const { audit, channelId: id, from, to } = change;
        if (audit) insertAudit({ audit, target: { type: "channel", id } }, changesOfEdit(from, to));
      }
      return { result: undefined, ...growth.all() };
    },

    changeRoomBots(changes, rules) {
      const growth = logGrowth();
      for (const { channelId, attached, roleChanged, detached, createdAt, notices, ...by } of changes) {
        if (attached.some(({ botId }) => refusal(botId, by.ownerUserId, rules))) continue;
        for (const { botId, role } of [...attached, ...roleChanged]) {
          const ref = { ...by, botId };
          const event = { id: newId(), eventType: BOT_ATTACHED, payload: notices.attached, createdAt };
          growth.add(
            audited("attachBot", [ref, channelId], () => attachBot(ref, channelId, event, {}, role)),
          );
        }
        for (const botId of detached) {
          const ref = { ...by, botId };
          const event = { id: newId(), eventType: BOT_DETACHED, payload: notices.detached, createdAt };
          growth.add(audited("detachBot", [ref, channelId], () => detachBot(ref, channelId, event)));
        }
      }
      return { result: undefined, ...growth.all() };
    },
  };
}

/** Collects by how much logs grow. */
export function logGrowth() {
  const heads = new Map<string, LogHead>();
  let updateCount = 0;
  return {
    /** @returns the result of the change */
    add<Result>(grown: Grown<Result>): Result {
      for (const head of grown.heads) heads.set(head.botId, head);
      updateCount += grown.heads.filter(({ botId }) => botId !== FEED).length;
      return grown.result;
    },
    all: () => ({ heads: [...heads.values()], updateCount }),
  };
}
