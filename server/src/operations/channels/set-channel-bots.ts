import { setTimeout as sleep } from "node:timers/promises";
import type { AttachRules } from "../../domain/bots/listing.js";
import { InvalidInput, NotFound } from "../../domain/errors.js";
import type { BotRole } from "../../domain/events/channel.js";
import { MAX_CHANNEL_BOTS_SET, MAX_PAGE_ITEMS } from "../../domain/limits.js";
import { type ChannelRef, Contended, type OwnerActor, type RoomBot, type Store } from "../../store/store.js";
import { attachBot, refuseOtherBots } from "../bots/attach-bot.js";
import { detachIfAttached } from "../bots/detach-bot.js";
import { found } from "../found.js";
import { createKeyedTurns } from "../keyed-turns.js";

/**
 * The attached bots are read again after each pass. Concurrent calls at several instances change the channel between
 * each other's steps, and so end with the bots of one call. Calls at one instance take turns, since in lockstep they
 * would never agree.
 */
const MAX_PASSES = 20;
/**
 * Calls at several instances that undo each other wait for a random time from their third pass on: in lockstep they would go on. The time grows with
 * the passes and with how long one takes, so that soon one call makes a whole pass while the other waits.
 */
const SHORTEST_PASS_MS = 10;
const LONGEST_BACK_OFF_MS = 2_000;
const inChannelsTurn = createKeyedTurns();

/** Ids of bots, ascending. */
export interface ChannelBotsChange {
  attached: string[];
  detached: string[];
  /** Those that were attached before, in another role. */
  roleChanged: string[];
}

/**
 * Attaches these bots to a channel in their roles and detaches all others, one after the other. A failure undoes
 * nothing; repeating the call does the rest.
 *
 * @throws InvalidInput when a bot is neither the owner's nor listed, and then nothing is changed; when the channel is a direct one
 *   with another bot; when a bot is attached to too many channels
 * @throws NotFound when the channel is not the owner's
 * @throws Contended when other calls change the channel's bots again and again
 */
export function setChannelBots(
  store: Store,
  channel: ChannelRef,
  bots: readonly RoomBot[],
  rules: AttachRules,
): Promise<ChannelBotsChange> {
  const key = `${channel.channelId} of ${channel.ownerUserId}`;
  return inChannelsTurn(key, () => setInTurn(store, channel, bots, rules));
}

async function setInTurn(
  store: Store,
  channel: ChannelRef,
  bots: readonly RoomBot[],
  rules: AttachRules,
): Promise<ChannelBotsChange> {
  const { channelId, ...owner } = channel;
  const wished = new Map(bots.map(({ botId, role }) => [botId, role]));
  const all: ChannelBotsChange = { attached: [], detached: [], roleChanged: [] };
  const look = async (): Promise<ChannelBotsChange> => {
    refuseOtherBots(found(await store.findChannel(channel), "channel"), [...wished.keys()]);
    return missing(wished, await rolesIn(store, channelId));
  };
  const change = async ({ attached, detached, roleChanged }: ChannelBotsChange): Promise<void> => {
    await refuseUnknownBots(store, owner, rules, attached);
    try {
      for (const botId of [...attached, ...roleChanged])
        await attachBot(store, { ...owner, botId }, channelId, rules, wished.get(botId));
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      // The bot or the channel is gone since: the next pass says which, and what that means here.
      return;
    }
    for (const botId of detached) await detachIfAttached(store, { ...owner, botId }, channelId);
    all.attached = union(all.attached, attached);
    all.detached = union(all.detached, detached);
    all.roleChanged = union(all.roleChanged, roleChanged);
  };
  let passMs = 0;
  for (let passes = 0; ; passes += 1) {
    let left = await look();
    if (changesBots(left) && passes > 1) {
      if (passes === MAX_PASSES)
        throw new Contended("other calls change the bots of this channel all the time: repeat the call");
      // Not before the look: meanwhile another call could undo a pass that was a whole one.
      const longestMs = Math.max(passMs, SHORTEST_PASS_MS) * passes;
      await sleep(Math.random() * Math.min(longestMs, LONGEST_BACK_OFF_MS));
      left = await look();
    }
    if (!changesBots(left)) return all;
    const startedAt = performance.now();
    await change(left);
    passMs = performance.now() - startedAt;
  }
}

export function changesBots({ attached, detached, roleChanged }: ChannelBotsChange): boolean {
  return attached.length + detached.length + roleChanged.length > 0;
}

/** @throws InvalidInput when one of them is neither the owner's nor listed */
export async function refuseUnknownBots(
  store: Store,
  { ownerUserId }: OwnerActor,
  { review = "off" }: AttachRules,
  botIds: readonly string[],
): Promise<void> {
  for (const botId of botIds) {
    if ((await store.findProfile(ownerUserId, review, botId))?.isOffered) continue;
    throw new InvalidInput(`${botId} is neither one of your bots nor a listed one`, "unknown_bot");
  }
}

/** The changes that are still to be made. */
export function missing(
  wished: ReadonlyMap<string, BotRole | undefined>,
  roles: ReadonlyMap<string, BotRole>,
): ChannelBotsChange {
  const ids = [...wished.keys()];
  return {
    attached: ids.filter((id) => !roles.has(id)),
    detached: [...roles.keys()].filter((id) => !wished.has(id)),
    roleChanged: ids.filter((id) => roles.has(id) && (wished.get(id) ?? roles.get(id)) !== roles.get(id)),
  };
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])].sort();
}

/** @returns the roles of all bots that are attached, by their ids */
export async function rolesIn(store: Store, channelId: string): Promise<Map<string, BotRole>> {
  const roles = new Map<string, BotRole>();
  for (let after: string | undefined; ; ) {
    const page = await store.listChannelBots(channelId, MAX_PAGE_ITEMS, after);
    after = page.at(-1)?.bot.id;
    if (after === undefined) return roles;
    for (const { bot, role } of page) roles.set(bot.id, role);
    if (roles.size > MAX_CHANNEL_BOTS_SET) {
      throw new InvalidInput(
        `the channel has more than ${MAX_CHANNEL_BOTS_SET} bots: attach and detach them one by one`,
        "too_many_bots_in_channel",
      );
    }
  }
}
