import { BOT_DETACHED, type StoredEvent } from "../../../domain/events/event.js";
import { newId, timeOfId } from "../../../domain/ids.js";
import { departure } from "../../audited-verbs.js";
import { eraseCarried } from "../../erase-remains.js";
import { type BotRef, type CarriedAudit, OwnerElsewhere, StoreUnavailable } from "../../store.js";
import type { Cell } from "../cell.js";
import { hasAnything } from "../locations.js";
import type { Apart } from "./apart.js";
import type { AttachmentChange, Change } from "./changes.js";
import { guestOwnerOf } from "./guests.js";
import { attachOutbox, guestsOf, makeGuest, removeGuest } from "./introduce.js";

const NAMES_PER_STEP = 100;
/** Of following one bot or attachment. */
const MAX_STEPS = 20;
/** Of a bot that is deleted, what was changed since. */
const ENTRIES_LOOKED_AT = 100;

/** The cell to which the holder of a channel has moved from this one; undefined when they have not. @throws StoreUnavailable */
export type CellAfter = (cell: Cell, holder: string) => Promise<Cell | undefined>;

export type ToldChange = Change & { id: string };

/**
 * Makes the cell of channels like that of the bots, in what one change names.
 *
 * @param later what is told of the same channel after it
 */
export async function follow(
  apart: Apart,
  told: ToldChange,
  later: readonly ToldChange[],
  cellAfter: CellAfter,
): Promise<void> {
  const { id, ownerUserId, botId, attachment, entry, changes } = told;
  // What was told by the cell that the bot's owner has left since is as the other one has it.
  const at = ownerUserId === undefined ? apart : await whereBotsLive(apart, ownerUserId, cellAfter);
  if (entry && changes) {
    await carryAudit(apart.away, [{ id, ...entry, changes }], cellAfter);
    const goesOn = later.some((one) => one.botId === botId && one.changes);
    const left = goesOn ? undefined : await departureOf(at, told);
    if (left) await carryAudit(apart.away, [left], cellAfter);
  }
  if (ownerUserId === undefined) return;
  if (botId === undefined) await followOwner(at, ownerUserId, cellAfter);
  else if (attachment) await followAttachment(at, { ownerUserId, botId }, attachment, cellAfter);
  else await followBot(at, { ownerUserId, botId }, cellAfter);
}

/** With the cell where an owner lives now for that where they lived. */
async function whereBotsLive(apart: Apart, ownerUserId: string, cellAfter: CellAfter): Promise<Apart> {
  return { ...apart, home: await cellNow(apart.home, ownerUserId, cellAfter) };
}

/** The cell where an owner lives who lived in this one: they may have moved more than once since. @throws StoreUnavailable while they are being moved */
export async function cellNow(cell: Cell, ownerUserId: string, cellAfter: CellAfter): Promise<Cell> {
  const after = await cellAfter(cell, ownerUserId);
  return after ? await cellNow(after, ownerUserId, cellAfter) : cell;
}

/** To where their owner is. */
export async function carryAudit(
  cell: Cell,
  entries: readonly CarriedAudit[],
  cellAfter: CellAfter,
): Promise<void> {
  const [entry] = entries;
  if (!entry) return;
  const isHere = await cell.store.carryAudit(entries).catch((error: unknown) => {
    if (error instanceof OwnerElsewhere) return "moved" as const;
    throw error;
  });
  if (isHere === true) return;
  const after = await cellAfter(cell, entry.audit.ownerUserId);
  if (after) return await carryAudit(after, entries, cellAfter);
  if (isHere === "moved") throw new StoreUnavailable("the owner is being moved to another cell");
}

/**
 * The entry that the holder has of a bot that was deleted before it was attached where the channel is. What is attached there when its bot is
 * removed has its entry from that. Undefined when there is none to write.
 */
async function departureOf({ home, away }: Apart, told: ToldChange): Promise<CarriedAudit | undefined> {
  const { id, ownerUserId, botId, attachment, entry, changes } = told;
  const role = changes?.["role"]?.after;
  if (ownerUserId === undefined || botId === undefined || !attachment || !entry || role === undefined)
    return undefined;
  const { channelId, holder } = attachment;
  if (await home.store.findBot({ ownerUserId, botId })) return undefined;
  if (await away.store.findMembership(botId, channelId)) return undefined;
  const since = await away.store.listAudit(holder, { target: botId, from: timeOfId(id) }, ENTRIES_LOOKED_AT);
  if (since.some((one) => one.id > id && one.target.channelId === channelId)) return undefined;
  const requestId = newId();
  return {
    id: requestId,
    audit: departure(botId, holder, requestId),
    target: entry.target,
    changes: { role: { before: role } },
  };
}

/** Whose a bot is at home, and which one. */
interface Maker {
  ownerUserId: string;
  botId: string;
}

async function followOwner(apart: Apart, ownerUserId: string, cellAfter: CellAfter): Promise<void> {
  for await (const { botId } of guestsOf(apart.away.store, ownerUserId))
    await followBot(apart, { ownerUserId, botId }, cellAfter);
}

/**
 * Looks once more after it has changed something: meanwhile the bot may have been changed again, and somebody else have followed that.
 *
 * @returns false when the bot is deleted
 */
export async function followBot(apart: Apart, maker: Maker, cellAfter: CellAfter): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const is = await makeBotAlike(apart, maker, cellAfter);
    if (is !== "changed") return is === "alike";
  }
  throw new StoreUnavailable("the bot is changed too often to follow");
}

async function makeBotAlike(
  { home, away }: Apart,
  { ownerUserId, botId }: Maker,
  cellAfter: CellAfter,
): Promise<"alike" | "changed" | "deleted"> {
  const ref = { ownerUserId: guestOwnerOf(ownerUserId), botId };
  const [bot, guest] = await Promise.all([
    home.store.findBot({ ownerUserId, botId }),
    away.store.findBot(ref),
  ]);
  if (bot === undefined) {
    if (await cellAfter(home, ownerUserId)) throw new StoreUnavailable("the owner of the bot has just moved");
    if (guest) await removeGuest(away.store, ref);
    return "deleted";
  }
  if (!guest) return "alike";
  const now = Date.now();
  const { displayName, description } = bot;
  const isRenamed = guest.displayName !== displayName || guest.description !== description;
  if (isRenamed) await away.store.editBot(ref, { displayName, description, updatedAt: now });
  const isDisabled = bot.disabledAt !== undefined;
  const isSwitched = (guest.disabledAt !== undefined) !== isDisabled;
  if (isSwitched) await away.store.setBotDisabled(ref, isDisabled, now);
  const [commands, shown] = await Promise.all([
    home.store.readCommands(botId),
    away.store.readCommands(botId),
  ]);
  const hasOthers = commands !== shown;
  if (hasOthers) await away.store.putCommands(botId, commands ?? null, now);
  return isRenamed || isSwitched || hasOthers ? "changed" : "alike";
}

/** Looks once more after each step: meanwhile the bot's cell may have decided otherwise, and another instance may have followed that. */
async function followAttachment(
  apart: Apart,
  maker: Maker,
  change: AttachmentChange,
  cellAfter: CellAfter,
): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const is = await makeAttachmentAlike(apart, maker, change, cellAfter);
    if (is === "alike") return;
    if (is !== "changed") return await followAttachment({ ...apart, away: is }, maker, change, cellAfter);
  }
  throw new StoreUnavailable("the bot is attached and detached too often to follow");
}

/**
 * Makes at most one step towards what the bot's cell says.
 *
 * @returns the cell where to make it when the holder has moved there
 */
async function makeAttachmentAlike(
  apart: Apart,
  maker: Maker,
  change: AttachmentChange,
  cellAfter: CellAfter,
): Promise<"alike" | "changed" | Cell> {
  const { home, away } = apart;
  const { channelId, holder, event } = change;
  const { botId } = maker;
  const isAlive = await followBot(apart, maker, cellAfter);
  const membership = isAlive ? await home.store.findMembership(botId, channelId) : undefined;
  const find = () => away.store.findChannel({ ownerUserId: holder, channelId });
  if (!(await find())) {
    // It is removed in the transaction that says so.
    const after = await cellAfter(away, holder);
    if (after) return after;
    if (membership && change.direct) {
      await makeDirect(apart, maker, change);
      // Whoever has followed meanwhile may have made it.
      if (await find()) return "changed";
    }
    // What stands for it at home would stay.
    const copy = { ownerUserId: guestOwnerOf(holder), channelId };
    if (!(await home.store.findChannel(copy))) return "alike";
    await home.store.deleteChannel(copy, removalOf(change));
    await eraseCarried(home.store, copy.ownerUserId);
    // Whoever has erased their holder was here before, and looks again only as long as anything is left there.
    if (!(await hasAnything(away, holder)))
      while (await home.store.eraseNames(copy.ownerUserId, NAMES_PER_STEP));
    return "changed";
  }
  // The holder may have moved to the cell of the bot.
  if (away.number !== home.number) await attachOutbox(apart, holder, channelId, event);
  const there = await away.store.findMembership(botId, channelId);
  const isSame = membership?.attachedAt === there?.attachedAt;
  if (membership && isSame && membership.role === there?.role) return "alike";
  if (there && !isSame) {
    await away.store.detachBot(actorOf(maker, change), channelId, event);
    return "changed";
  }
  if (!membership) return "alike";
  await makeGuest(apart, maker);
  const attached = { ...event, createdAt: membership.attachedAt ?? event.createdAt };
  const rules = { review: "guest" } as const;
  await away.store.attachBot(holderOf(maker, change), channelId, attached, rules, membership.role);
  return "changed";
}

/** Makes the channel, unless the holder has one with the bot, or too many. */
async function makeDirect(apart: Apart, maker: Maker, change: AttachmentChange): Promise<void> {
  const { direct, event, by } = change;
  if (!direct) return;
  await makeGuest(apart, maker);
  await apart.away.store.createDirectChannel(
    { ...direct.channel, isPlatform: by === "platform", audit: direct.audit },
    event,
    { ...direct.rules, review: "guest" },
  );
}

/** What its bots at home get when the channel is not there any more. */
function removalOf({ channelId, holder: by, event }: AttachmentChange): StoredEvent {
  const channel = { id: channelId, slug: "", title: "" };
  const payload = JSON.stringify({ channel_id: channelId, channel, by, deleted: true });
  return { ...event, id: newId(), eventType: BOT_DETACHED, payload };
}

/** Who takes a bot out of a channel: its holder, or the bot itself. */
function actorOf({ ownerUserId, botId }: Maker, change: AttachmentChange): BotRef {
  if (change.by !== "bot") return { ...holderOf({ ownerUserId, botId }, change), isFollowed: true };
  return { ownerUserId: guestOwnerOf(ownerUserId), botId, isFollowed: true };
}

const holderOf = ({ botId }: Maker, { holder: ownerUserId, by }: AttachmentChange): BotRef => ({
  ownerUserId,
  botId,
  isPlatform: by === "platform",
});
