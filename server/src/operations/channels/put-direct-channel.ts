import type { FullProfile } from "../../domain/bots/listing.js";
import { NotFound } from "../../domain/errors.js";
import type { Channel } from "../../domain/events/channel.js";
import { BOT_ATTACHED } from "../../domain/events/event.js";
import { newId } from "../../domain/ids.js";
import { MAX_TITLE_CODE_POINTS } from "../../domain/limits.js";
import { type BotRef, Contended, type Store } from "../../store/store.js";
import { attachBot, attachRefused } from "../bots/attach-bot.js";
import { found } from "../found.js";
import { channelNotice } from "./channel-notice.js";
import { type ChannelCaps, rulesOf, slugOf, tooManyChannels } from "./create-channel.js";
import { CHANGED_ALL_THE_TIME } from "./edit-channel.js";

/** With which bot, and for which user of the owner's product, if for one. */
export interface DirectDraft extends BotRef {
  user?: { id: string; username: string } | undefined;
  /** Of a new channel: the user's name, or that of the owner's own bot, when left out. */
  title?: string | undefined;
}

/** Tries when other calls create or delete the channel between two steps of this one. */
const MAX_RACES = 20;

/**
 * The direct channel with this bot, for this user: makes it and attaches the bot, or attaches the bot again where it was
 * detached since. Nothing else of an existing channel is changed.
 *
 * @throws InvalidInput when the owner has too many channels, or the bot is attached to too many
 * @throws NotFound when there is no such bot that the owner may write to
 * @throws Contended when other calls create or delete the channel again and again
 */
export async function putDirectChannel(
  store: Store,
  draft: DirectDraft,
  caps: ChannelCaps,
): Promise<{ channel: Channel; isNew: boolean }> {
  const { ownerUserId, botId, user } = draft;
  for (let races = 0; races < MAX_RACES; races += 1) {
    const bot = await findReachableBot(store, draft, caps);
    const channel = await store.findDirectChannel({ ownerUserId, botId, userId: user?.id });
    if (channel) {
      if (await isAttachedAgain(store, draft, channel, caps)) return { channel, isNew: false };
      found(bot.isOffered || undefined, "bot");
      continue;
    }
    found(bot.isOffered || undefined, "bot");
    const made = newChannel(draft, await titleFor(store, draft, bot));
    const event = channelNotice(BOT_ATTACHED, made, ownerUserId);
    const created = await store.createDirectChannel(made, event, rulesOf(caps));
    if (created === "too many channels") throw tooManyChannels(caps.perOwner);
    if (created === "too many" || created === "bot full") throw attachRefused(created, caps);
    if (created && created !== "there") return { channel: created, isNew: true };
  }
  throw new Contended(CHANGED_ALL_THE_TIME);
}

/**
 * The bot, if the owner may have a direct channel with it: it must be their own, or listed. One that is in a channel of theirs is found also
 * when it is no longer listed, so that a direct channel that is there stays.
 *
 * @throws NotFound
 */
async function findReachableBot(
  store: Store,
  { ownerUserId, botId }: BotRef,
  { review = "off" }: ChannelCaps,
): Promise<FullProfile> {
  return found(await store.findProfile(ownerUserId, review, botId), "bot");
}

/** @returns false when the channel or the bot was deleted meanwhile */
async function isAttachedAgain(
  store: Store,
  { ownerUserId, isPlatform, audit, botId }: DirectDraft,
  channel: Channel,
  caps: ChannelCaps,
): Promise<boolean> {
  const [attached] = await store.listChannelBots(channel.id, 1);
  if (attached) return true;
  try {
    await attachBot(store, { ownerUserId, isPlatform, audit, botId }, channel.id, caps);
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
}

/** The name of another owner's bot is not copied: it would stay when that owner is erased. */
async function titleFor(store: Store, draft: DirectDraft, bot: FullProfile): Promise<string> {
  const { ownerUserId, botId, user, title } = draft;
  if (title !== undefined) return title;
  if (user) return titleOf(user.username) ?? DEFAULT_TITLE;
  const isOwn = (await store.findBot({ ownerUserId, botId })) !== undefined;
  return isOwn ? (titleOf(bot.displayName) ?? bot.username) : DEFAULT_TITLE;
}

const DEFAULT_TITLE = "Direct channel";

function newChannel({ ownerUserId, isPlatform, audit, botId, user }: DirectDraft, title: string) {
  const id = newId();
  return {
    id,
    slug: slugOf(id),
    title,
    description: "",
    ownerUserId,
    isPlatform,
    audit,
    directBotId: botId,
    ...(user && { directUserId: user.id, directUsername: user.username }),
    createdAt: Date.now(),
  };
}

/** A name as a title, which is shorter and not empty. */
function titleOf(name: string): string | undefined {
  return Array.from(name).slice(0, MAX_TITLE_CODE_POINTS).join("") || undefined;
}
