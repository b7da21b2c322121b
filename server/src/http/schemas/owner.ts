import { createHash } from "node:crypto";
import { Type } from "typebox";
import { auditEntryBody } from "../../domain/audit.js";
import { InvalidInput } from "../../domain/errors.js";
import type { ExportItem, ExportPosition } from "../../operations/upkeep/export-owner.js";
import { toBotBody } from "./bot.js";
import { toChannelBody } from "./channel.js";
import { toNamedWebhookConfigBody, toWebhookConfigBody } from "./delivery/webhook.js";
import { component, enumOf, ref } from "./document/component.js";
import { toEventBody, toSubscriptionBody } from "./events/event.js";
import { toPostBody } from "./events/post.js";
import { toOwnerUpdateBody } from "./events/update.js";
import { queryOf } from "./values/scalars.js";

export const ExportQuery = queryOf({
  after: Type.Optional(
    Type.String({ description: "The `cursor` of a line: the export goes on behind it.", maxLength: 200 }),
  ),
});

/** The answer of an export, for the `response` of its schema. */
export const exportLines = {
  description:
    "A JSON object a line: `type` (`alerts`, `bot`, `channel`, `post`, `event`, `attachment`, `update`, `audit`, and at last `end`), `cursor`, and the thing itself as other operations show it, with `channel_id` or `bot_id` where it belongs to one. An export without the line `end` is not complete.",
  content: { "application/x-ndjson": { schema: { type: "string" } } },
} as const;

export const EraseOwnerRequest = component(
  "EraseOwnerRequest",
  Type.Object(
    { confirm: Type.String({ description: "Your user id.", examples: ["alice"] }) },
    {
      description: "What confirms that everything shall be erased. An extension of Botyard.",
      examples: [{ confirm: "alice" }],
    },
  ),
);

export const ErasureProgress = enumOf(
  "ErasureProgress",
  ["erasing", "deleted"],
  "`erasing`: there is more, call again. `deleted`: everything is gone. An extension of Botyard.",
);

export const EraseStatusBody = component(
  "EraseStatus",
  Type.Object(
    {
      status: ref(ErasureProgress),
    },
    { description: "How far an erasure has got. An extension of Botyard." },
  ),
);

const END = "end";
const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const CURSOR = new RegExp(
  `^(?:(?<alerts>alerts)|audit\\.(?<entryId>${ID})|(?<whole>bot|channel)\\.(?<id>${ID})|(?<part>post|event|attachment|bot-event)\\.(?<parentId>${ID})\\.(?<itemId>${ID})|update\\.(?<botId>${ID})\\.(?<number>[1-9]\\d{0,15}))\\.(?<mark>[0-9a-f]{8})$`,
);

/** Cursors end with it, so that nobody's export is continued in another one's. */
export function markOf(ownerUserId: string): string {
  return createHash("sha256").update(ownerUserId).digest("hex").slice(0, 8);
}

/**
 * The position of a line.
 *
 * @param ownerMark {@link markOf} the owner who exports
 * @throws InvalidInput when it is no cursor, or of another owner's export
 */
export function positionOf(cursor: string, ownerMark: string): ExportPosition | typeof END {
  if (cursor === END) return END;
  const groups = CURSOR.exec(cursor)?.groups;
  const { alerts, entryId, whole, id, part, parentId, itemId, botId, number, mark } = groups ?? {};
  if (mark !== undefined && mark !== ownerMark)
    throw new InvalidInput("after is the cursor of another owner's export", "invalid_cursor");
  if (alerts !== undefined) return { type: "alerts", parentId: "" };
  if (entryId !== undefined) return { type: "audit", parentId: "", itemId: entryId };
  if (whole !== undefined && id !== undefined) {
    return { type: whole as ExportItem["type"], parentId: id };
  }
  if (part !== undefined && parentId !== undefined && itemId !== undefined) {
    return { type: part === "bot-event" ? "bot event" : (part as ExportItem["type"]), parentId, itemId };
  }
  if (botId !== undefined && Number.isSafeInteger(Number(number))) {
    return { type: "update", parentId: botId, itemId: String(number) };
  }
  throw new InvalidInput("after must be the cursor of a line of an export", "invalid_cursor");
}

/** A line, with its end. */
export function encodeItem(item: ExportItem, ownerMark: string): string {
  const { position, ...thing } = wireOf(item);
  const type = item.type === "bot event" ? "event" : item.type;
  return `${JSON.stringify({ type, cursor: `${position}.${ownerMark}`, ...thing })}\n`;
}

export const END_LINE = `${JSON.stringify({ type: END, cursor: END })}\n`;

function wireOf(item: ExportItem): { position: string; [field: string]: unknown } {
  switch (item.type) {
    case "alerts":
      return { position: "alerts", webhook: toWebhookConfigBody(item.webhook) };
    case "bot": {
      const subscription = item.subscription && toSubscriptionBody(item.subscription);
      return {
        position: `bot.${item.bot.id}`,
        bot: toBotBody(item.bot),
        subscription,
        commands: item.commands,
        webhooks: item.webhooks.map(toNamedWebhookConfigBody),
      };
    }
    case "channel":
      return { position: `channel.${item.channel.id}`, channel: toChannelBody(item.channel) };
    case "post":
      return {
        position: `post.${item.channelId}.${item.post.id}`,
        channel_id: item.channelId,
        post: toPostBody(item.post),
      };
    case "event":
      return {
        position: `event.${item.channelId}.${item.event.id}`,
        channel_id: item.channelId,
        event: toEventBody(item.event, item),
      };
    case "attachment":
      return {
        position: `attachment.${item.botId}.${item.channel.id}`,
        attachment: { bot_id: item.botId, channel_id: item.channel.id, role: item.channel.botRole },
      };
    case "bot event":
      return {
        position: `bot-event.${item.botId}.${item.event.id}`,
        bot_id: item.botId,
        event: toEventBody(item.event, item),
      };
    case "audit":
      return { position: `audit.${item.entry.id}`, entry: auditEntryBody(item.entry) };
    case "update":
      return {
        position: `update.${item.botId}.${item.update.updateId}`,
        bot_id: item.botId,
        update: toOwnerUpdateBody(item.update),
      };
  }
}
