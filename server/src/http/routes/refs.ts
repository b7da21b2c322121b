import { type Static, Type } from "typebox";
import type { BotRef, ChannelRef } from "../../store/store.js";
import type { OwnerIdentity } from "../credentials/owner-tokens.js";

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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * An id that came with a request, as the store may be asked for it. What is no UUID cannot be the id of anything: it
 * becomes the nil UUID, which nothing has, and so is simply not found.
 */
export function idFrom(text: string): string {
  return UUID.test(text) ? text : NIL_UUID;
}

/** Digits as JSON would write them. No log will ever have as many updates as 15 of them can say. */
const UPDATE_ID = /^[1-9]\d{0,14}$/;

/** The number of an update that came in a path; 0, which no update has, when it is no such number. */
export function updateIdFrom(text: string): number {
  return UPDATE_ID.test(text) ? Number(text) : 0;
}

/** The bot that a path names, as far as the caller owns it. */
export function botRef({ owner, params }: { owner: OwnerIdentity; params: Static<typeof BotPath> }): BotRef {
  return { ownerUserId: owner.userId, botId: idFrom(params.id) };
}

/** The channel that a path names, as far as the caller holds it. */
export function channelRef(request: {
  owner: OwnerIdentity;
  params: Static<typeof ChannelPath>;
}): ChannelRef {
  return { ownerUserId: request.owner.userId, channelId: idFrom(request.params.id) };
}
