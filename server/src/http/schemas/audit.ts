import { type Static, Type } from "typebox";
import { AUDIT_TARGET_TYPES, type AuditEntry } from "../../domain/audit.js";
import { InvalidInput } from "../../domain/errors.js";
import { isId } from "../../domain/ids.js";
import type { AuditFilter } from "../../store/store.js";
import { component, enumOf, listOf, ref } from "./document/component.js";
import { idOf, limitOf, momentIn, queryOf, timeOf } from "./values/scalars.js";
import { CLEAN_TEXT } from "./values/text-rules.js";

const ActorTypeName = enumOf(
  "AuditActorType",
  ["owner", "bot", "platform"],
  "An owner or a bot with a token of their own, or the platform. An extension of Botyard.",
);
const AuditActorBody = component(
  "AuditActor",
  Type.Object(
    {
      type: ref(ActorTypeName),
      id: Type.String({
        description: "The owner's user id or the bot's id; `platform`.",
        examples: ["alice"],
      }),
      token_id: Type.String({
        description:
          "Which token it was: the `jti` of an owner token that has one, else the beginning of the token's SHA-256.",
        examples: ["sha256:1f0c7a52d5c3"],
      }),
    },
    { description: "Who changed something. An extension of Botyard." },
  ),
);
const TargetTypeName = enumOf(
  "AuditTargetType",
  AUDIT_TARGET_TYPES,
  "What kind of thing was changed. An extension of Botyard.",
);
const AuditTargetBody = component(
  "AuditTarget",
  Type.Object(
    {
      type: ref(TargetTypeName),
      id: Type.String({
        description:
          "The id of the bot, the channel or the post; of an attachment, a webhook or a consumer that of its bot; the owner's user id; `feed` of what belongs to the feed.",
        examples: ["0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41"],
      }),
      channel_id: Type.Optional(idOf("The channel of an attachment or a post.")),
      name: Type.Optional(
        Type.String({ description: "The name of a webhook or a consumer.", examples: ["default"] }),
      ),
    },
    { description: "What was changed. An extension of Botyard." },
  ),
);
const AuditChangeBody = component(
  "AuditChange",
  Type.Object(
    {
      before: Type.Optional(Type.Unknown({ description: "Left out when the field had no value." })),
      after: Type.Optional(Type.Unknown({ description: "Left out when the field has no value any more." })),
    },
    {
      description:
        "A field before and after. Of secrets, URLs and long texts both are left out. An extension of Botyard.",
      examples: [{ before: "member", after: "moderator" }],
    },
  ),
);
export const AuditEntryBody = component(
  "AuditEntry",
  Type.Object(
    {
      id: idOf("The entry's id. Entries are in the order of their ids."),
      at: timeOf("When it was changed."),
      owner_user_id: Type.Optional(
        Type.String({
          description: "Whose it is; left out of what is the platform's own.",
          examples: ["alice"],
        }),
      ),
      by: ref(AuditActorBody),
      operation: Type.String({
        description: "The `operationId` of the operation in this document.",
        examples: ["editBot"],
      }),
      target: ref(AuditTargetBody),
      request_id: Type.String({
        description:
          "The `X-Request-Id` of the answer; an id of its own when a bot has left a channel because its owner deleted it or was erased.",
        examples: ["5f1d2c3b4a59-2k"],
      }),
      changes: Type.Unsafe<AuditEntry["changes"]>({
        type: "object",
        additionalProperties: ref(AuditChangeBody),
        description: "By the name of the field.",
        examples: [{ display_name: { before: "Weather", after: "Weather and tides" }, description: {} }],
      }),
    },
    { description: "A change, and who made it. An extension of Botyard." },
  ),
);
export const AuditList = listOf("AuditList", AuditEntryBody, "Entries of the audit log.");

/** Without the entry, which is among the payloads of events. */
export const auditComponents = [
  ActorTypeName,
  AuditActorBody,
  TargetTypeName,
  AuditTargetBody,
  AuditChangeBody,
  AuditList,
];

const TIME = { format: "date-time", examples: ["2026-01-31T12:00:00Z"] };
const filters = {
  limit: limitOf("Most entries to return."),
  before: Type.Optional(
    Type.String({ description: "The `id` of an entry, of which only older ones are returned." }),
  ),
  operation: Type.Optional(
    Type.String({
      description: "Only what this operation changed.",
      maxLength: 64,
      format: CLEAN_TEXT,
      examples: ["rotateBotToken"],
    }),
  ),
  target: Type.Optional(
    Type.String({
      description: "Only changes of the bot, channel or post with this id, and of attachments of it.",
      maxLength: 64,
      format: CLEAN_TEXT,
    }),
  ),
  from: Type.Optional(Type.String({ ...TIME, description: "Only what was changed at this time or later." })),
  to: Type.Optional(Type.String({ ...TIME, description: "Only what was changed before this time." })),
};
export const AuditQuery = queryOf(filters);
export const PlatformAuditQuery = queryOf({
  ...filters,
  owner: Type.Optional(
    Type.String({
      description: "Only what is of the owner with this user id.",
      minLength: 1,
      maxLength: 255,
      format: CLEAN_TEXT,
    }),
  ),
});

/** @throws InvalidInput when `before` is no id of an entry, or a time does not exist */
export function toAuditFilter({
  before,
  operation,
  target,
  from,
  to,
}: Static<typeof AuditQuery>): AuditFilter {
  if (before !== undefined && !isId(before))
    throw new InvalidInput("before must be the id of an entry, from an earlier answer", "invalid_cursor");
  return {
    before,
    operation,
    target,
    from: from === undefined ? undefined : momentIn("from", from),
    to: to === undefined ? undefined : momentIn("to", to),
  };
}
