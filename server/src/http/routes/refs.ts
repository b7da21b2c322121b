import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";
import type { PostRef } from "../../operations/posts/change-post.js";
import type { BotRef, ChannelRef, OwnerActor } from "../../store/store.js";
import type { OwnerIdentity } from "../credentials/owner-tokens.js";
import { type AuditedRequest, auditOf } from "../requests/audit.js";
import { ExternalId } from "../schemas/values/text.js";

export const BotPath = Type.Object({ id: Type.String({ description: "Bot id." }) });
export const BotChannelPath = Type.Object({
  id: Type.String({ description: "Bot id." }),
  channelId: Type.String({ description: "Channel id." }),
});
export const UpdatePath = Type.Object({
  id: Type.String({ description: "Bot id." }),
  updateId: Type.String({ description: "The `update_id` of one of the bot's updates." }),
});
export const ChannelPath = Type.Object({ id: Type.String({ description: "Channel id." }) });
/** For an operation that creates a channel that does not exist. */
export const ExternalChannelPath = Type.Object({ externalId: ExternalId });
export const ExternalIdPath = Type.Object({
  externalId: Type.String({ description: "The external id." }),
});
export const PostPath = Type.Object({
  id: Type.String({ description: "Channel id." }),
  postId: Type.String({ description: "Post id." }),
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * The id in a request, as the store can look it up. Text that is not a UUID becomes the nil UUID, which nothing has, and so
 * is simply not found.
 */
export function idFrom(text: string): string {
  return UUID.test(text) ? text : NIL_UUID;
}

/** The external id in a path; undefined when the text cannot be one, and so no channel has it. */
export function externalIdFrom(text: string): string | undefined {
  return Check(ExternalId, text) ? text : undefined;
}

/** A decimal number. No log ever has numbers of more than 15 digits. */
const UPDATE_ID = /^[1-9]\d{0,14}$/;

/** The update number in a path; 0, which no update has, when the text is not such a number. */
export function updateIdFrom(text: string): number {
  return UPDATE_ID.test(text) ? Number(text) : 0;
}

export interface OwnerRequest extends AuditedRequest {
  owner: OwnerIdentity;
}

/** The owner who calls, or as whom the platform does. */
export function ownerActor(request: OwnerRequest): OwnerActor {
  const { owner, isPlatform } = request;
  return { ownerUserId: owner.userId, isPlatform, audit: auditOf(request) };
}

/** The bot in a path, if the caller owns it. */
export function botRef(request: OwnerRequest & { params: Static<typeof BotPath> }): BotRef {
  return { ...ownerActor(request), botId: idFrom(request.params.id) };
}

/** The channel in a path, if the caller holds it. */
export function channelRef(request: OwnerRequest & { params: Static<typeof ChannelPath> }): ChannelRef {
  return { ...ownerActor(request), channelId: idFrom(request.params.id) };
}

/** The post in a path. */
export function postRef({ params }: { params: Static<typeof PostPath> }): PostRef {
  return { channelId: idFrom(params.id), postId: idFrom(params.postId) };
}
