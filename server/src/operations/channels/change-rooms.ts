import type { Channel } from "../../domain/events/channel.js";
import { BOT_ATTACHED, BOT_DETACHED } from "../../domain/events/event.js";
import type { ChannelRevision, OwnerActor, Room, RoomBot, Store } from "../../store/store.js";
import { encodeMetadata } from "../encode-metadata.js";
import { channelNotice } from "./channel-notice.js";
import { type ChannelCaps, type ChannelDraft, rulesOf } from "./create-channel.js";
import { revisionOf } from "./edit-channel.js";
import { type ChannelBotsChange, changesBots, missing } from "./set-channel-bots.js";

/** A channel as it shall be. */
export interface WishedRoom extends Omit<ChannelDraft, keyof OwnerActor> {
  externalId: string;
  /** The bots that shall be attached, and no others; those that are when left out. */
  bots?: readonly RoomBot[] | undefined;
}

/** What has to change in a channel so that it is as it shall be. */
export interface RoomChange extends ChannelBotsChange {
  channel: Channel;
  revision: ChannelRevision | undefined;
  roles: ReadonlyMap<string, RoomBot["role"]>;
}

/**
 * @param room with all of its bots
 * @returns undefined when it cannot be so; why, a call for this channel alone says
 */
export function changeOf(
  { bots: wished, slug, ...fields }: WishedRoom,
  { channel, bots }: Room,
  { ownerUserId }: OwnerActor,
): RoomChange | undefined {
  if ((slug !== undefined && slug !== channel.slug) || channel.directBotId !== undefined) return undefined;
  const current = new Map(bots.map(({ botId, role }) => [botId, role]));
  const roles = wished ? new Map(wished.map(({ botId, role }) => [botId, role])) : current;
  try {
    const metadata = fields.metadata && encodeMetadata(fields.metadata);
    const revision = revisionOf(channel, { ...fields, metadata }, ownerUserId);
    return { channel, revision, roles, ...missing(roles, current) };
  } catch {
    return undefined;
  }
}

export function isNoChange({ revision, ...bots }: RoomChange): boolean {
  return !revision && !changesBots(bots);
}

/**
 * Changes channels, all of them in two transactions. One is left as it is, or half-changed, when a bot cannot be attached or others change it at the
 * same time: whoever needs to know reads them again.
 */
export async function changeRooms(
  store: Store,
  actor: OwnerActor,
  caps: ChannelCaps,
  changes: readonly RoomChange[],
): Promise<void> {
  const offered = await offeredOf(store, actor, caps, changes);
  // Nothing of a channel is changed when one of the bots will be refused.
  const able = changes.filter(({ attached }) => attached.every((botId) => offered.has(botId)));
  const edits = able.flatMap(({ channel, revision }) =>
    revision ? [{ ...actor, channelId: channel.id, ...revision }] : [],
  );
  if (edits.length > 0) await store.editRooms(edits);
  const createdAt = Date.now();
  const ofBots = able.filter(changesBots).map(({ channel, revision, roles, ...bots }) => {
    const noticeOf = (eventType: typeof BOT_ATTACHED | typeof BOT_DETACHED) =>
      channelNotice(eventType, { ...channel, ...revision?.to }, actor.ownerUserId).payload;
    return {
      ...actor,
      channelId: channel.id,
      attached: bots.attached.map((botId) => ({ botId, role: roles.get(botId) })),
      roleChanged: bots.roleChanged.flatMap((botId) => {
        const role = roles.get(botId);
        return role ? [{ botId, role }] : [];
      }),
      detached: bots.detached,
      createdAt,
      notices: { attached: noticeOf(BOT_ATTACHED), detached: noticeOf(BOT_DETACHED) },
    };
  });
  if (ofBots.length > 0) await store.changeRoomBots(ofBots, rulesOf(caps));
}

/** Those of the bots to be attached that may be. */
async function offeredOf(
  store: Store,
  { ownerUserId }: OwnerActor,
  { review = "off" }: ChannelCaps,
  changes: readonly RoomChange[],
): Promise<Set<string>> {
  const botIds = [...new Set(changes.flatMap(({ attached }) => attached))];
  const isOffered = await Promise.all(
    botIds.map(async (botId) => (await store.findProfile(ownerUserId, review, botId))?.isOffered === true),
  );
  return new Set(botIds.filter((_, at) => isOffered[at]));
}
