import type { AuditActor, AuditEntry, AuditTarget } from "../../../domain/audit.js";
import { ATTACHED_ROLE } from "../../../domain/events/channel.js";
import { AFTER_ALL_IDS, firstIdAt, timeOfId } from "../../../domain/ids.js";
import type { AuditedCall } from "../../audited-verbs.js";
import type { AuditFilter } from "../../parts/audit-store.js";
import type { RoomBot } from "../../parts/room-store.js";
import type { ChannelState, NewChannel } from "../../parts/verb-shapes.js";

/** The columns in which a row says everything but its id and its changes, in the order of {@link auditValues}. */
export const AUDIT_COLUMNS =
  "owner_user_id, actor_type, actor_id, token_id, operation, request_id, target_type, target_id, channel_id, target_name";

export function auditValues({ audit, target }: Pick<AuditedCall, "audit" | "target">): (string | null)[] {
  const { by, ownerUserId, operation, requestId } = audit;
  const { type, id, channelId = null, name = null } = target;
  return [ownerUserId, by.type, by.id, by.tokenId, operation, requestId, type, id, channelId, name];
}

export interface AuditRow {
  id: string;
  ownerUserId: string;
  actorType: AuditActor["type"];
  actorId: string;
  tokenId: string;
  operation: string;
  requestId: string;
  targetType: AuditTarget["type"];
  targetId: string;
  channelId: string | null;
  targetName: string | null;
  changes: string;
}

export function toAuditEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: timeOfId(row.id),
    ...(row.ownerUserId !== "" && { ownerUserId: row.ownerUserId }),
    by: { type: row.actorType, id: row.actorId, tokenId: row.tokenId },
    operation: row.operation,
    requestId: row.requestId,
    target: {
      type: row.targetType,
      id: row.targetId,
      ...(row.channelId !== null && { channelId: row.channelId }),
      ...(row.targetName !== null && { name: row.targetName }),
    },
    changes: JSON.parse(row.changes) as AuditEntry["changes"],
  };
}

/** The ids that a list may have: from the first on, and below the second. */
export function idsWithin({ from = 0, to, before = AFTER_ALL_IDS }: AuditFilter): [string, string] {
  const end = to === undefined ? AFTER_ALL_IDS : firstIdAt(to);
  return [firstIdAt(from), end < before ? end : before];
}

/** What the entry of a channel says that was made with its bots. */
export function changesOfRoom(
  { slug, title, description, externalId, metadata }: NewChannel,
  bots: readonly RoomBot[],
): AuditEntry["changes"] {
  const ids = bots.map(({ botId }) => botId);
  const roles = bots.map(({ role = ATTACHED_ROLE }) => role);
  return {
    slug: { after: slug },
    title: { after: title },
    external_id: { after: externalId },
    ...(description !== "" && { description: {} }),
    ...(metadata !== undefined && { metadata: {} }),
    ...(ids.length > 0 && { bots: { after: ids } }),
    ...(roles.some((role) => role !== ATTACHED_ROLE) && { roles: { after: roles } }),
  };
}

/** What the entry of a channel says of which fields were changed. */
export function changesOfEdit(from: ChannelState, to: ChannelState): AuditEntry["changes"] {
  return {
    ...(to.title !== from.title && { title: { before: from.title, after: to.title } }),
    ...(to.description !== from.description && { description: {} }),
    ...(to.metadata !== from.metadata && { metadata: {} }),
  };
}
