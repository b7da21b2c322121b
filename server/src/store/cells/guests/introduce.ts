import { randomBytes } from "node:crypto";
import { type Channel, READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import type { StoredEvent } from "../../../domain/events/event.js";
import { newId } from "../../../domain/ids.js";
import { eraseCarried } from "../../erase-remains.js";
import {
  type BotRef,
  type ChangeNotice,
  type NewBot,
  OwnerElsewhere,
  RELAY,
  type Store,
  StoreUnavailable,
} from "../../store.js";
import type { Cell } from "../cell.js";
import { moving } from "../moves/moves.js";
import type { Apart } from "./apart.js";
import {
  changesFor,
  GUEST_HEARS,
  guestOwnerOf,
  guestUserOf,
  isOutbox,
  type LogBot,
  OUTBOX_HEARS,
  outboxFor,
} from "./guests.js";

/** Makes the logs that the two cells need to hear of each other. */
export async function makeLogs({ home, away }: Apart): Promise<void> {
  await makeLog(away.store, outboxFor(home.number));
  await makeChangesLog(home, away.number);
}

/** Makes the log by which the other cell, with this number, hears what becomes of bots. */
export async function makeChangesLog({ store }: Cell, away: number): Promise<void> {
  await makeLog(store, changesFor(away));
}

async function makeLog(store: Store, { id, ownerUserId }: LogBot): Promise<void> {
  const text = { displayName: "", description: "" };
  await makeBot(store, { id, botUserId: id, ownerUserId, username: ownerUserId, ...text });
}

/** Removes a log of which nobody hears any more. */
export async function removeLog(store: Store, ref: BotRef): Promise<void> {
  await store.deleteBot(ref);
  await eraseCarried(store, ref.ownerUserId);
}

/** Makes a bot known in the cell of a channel, if it is not. */
export async function makeGuest(
  { home, away }: Apart,
  { ownerUserId, botId }: { ownerUserId: string; botId: string },
): Promise<void> {
  const bot = await home.store.findBot({ ownerUserId, botId });
  if (!bot) return;
  const { id, botUserId, username, displayName, description, disabledAt } = bot;
  const owned = { id, botUserId, ownerUserId: guestOwnerOf(ownerUserId) };
  const guest = { ...owned, username, displayName, description };
  if (!(await makeBot(away.store, guest))) return;
  const now = Date.now();
  await away.store.putCommands(id, (await home.store.readCommands(id)) ?? null, now);
  if (disabledAt !== undefined) await away.store.setBotDisabled({ ...guest, botId }, true, now);
}

const GUESTS_PER_PAGE = 100;

/** The bots of an owner that are guests in a cell, where they may be removed meanwhile: the next page is read before those of this one are given out. */
export async function* guestsOf(store: Store, ownerUserId: string): AsyncGenerator<BotRef> {
  const owner = guestOwnerOf(ownerUserId);
  const read = (after?: string) =>
    store.listBots(owner, { limit: GUESTS_PER_PAGE, ...(after !== undefined && { after }) });
  for (let page = await read(); page.length > 0; ) {
    const next = page.length === GUESTS_PER_PAGE ? await read(page.at(-1)?.id) : [];
    for (const { id: botId } of page) yield { ownerUserId: owner, botId };
    page = next;
  }
}

/** The holders of channels in which it still is read in their audit logs that it has left. */
export async function removeGuest(store: Store, ref: BotRef): Promise<void> {
  await store.deleteBot(ref, newId());
  await eraseCarried(store, ref.ownerUserId);
}

type BotToMake = Pick<
  NewBot,
  "id" | "botUserId" | "ownerUserId" | "username" | "displayName" | "description"
>;

/**
 * Each step is made again by a call that finds the bot, so that what a crash left is completed.
 *
 * @returns false when it was complete
 */
async function makeBot(store: Store, bot: BotToMake): Promise<boolean> {
  const ref = { ownerUserId: bot.ownerUserId, botId: bot.id };
  if (await store.findConsumer(bot.id, RELAY)) return false;
  if (!(await store.findBot(ref))) {
    const now = Date.now();
    // Nobody has the token.
    const tokenHash = randomBytes(32).toString("hex");
    await store.createBot({ ...bot, createdAt: now, updatedAt: now, tokenHash });
    if (!(await store.findBot(ref)))
      throw new StoreUnavailable("the bot that had this name before is still being deleted there");
  }
  await store.putSubscription(ref, isOutbox(bot.ownerUserId) ? OUTBOX_HEARS : GUEST_HEARS);
  await store.openConsumer(bot.id, RELAY, Date.now());
  return true;
}

/** What stands for a channel in the cell of a bot. */
export function copyOf(channel: Channel): Channel {
  const { id, slug, title, description, ownerUserId, directBotId, directUserId, directUsername, createdAt } =
    channel;
  return {
    id,
    slug,
    title,
    description,
    ownerUserId: guestOwnerOf(ownerUserId),
    createdAt,
    ...(directBotId !== undefined && { directBotId }),
    ...(directUsername !== undefined && { directUsername }),
    ...(directBotId !== undefined && { directUserId: guestUserOf(ownerUserId, directUserId) }),
  };
}

/** Makes a channel known in the cell of a bot, as the bot may see it. @throws OwnerMoving while its holder is being moved there */
export async function showChannel({ home }: Apart, channel: Channel, tell?: ChangeNotice): Promise<void> {
  const copy = { ...copyOf(channel), ...(tell && { tell }) };
  const isThere = () => home.store.findChannel({ ownerUserId: copy.ownerUserId, channelId: channel.id });
  if (await isThere()) return;
  const make = async (slug: string) =>
    await home.store.createChannel({ ...copy, slug }).catch(refuseWhileMoving);
  // A slug is one cell's.
  const isMade = (await make(copy.slug)) || (await make(channel.id));
  if (!isMade && !(await isThere())) throw moving();
}

/** While an owner comes to a cell, it makes no copies of their channels; while they leave one, their bots come into no channels of others there. */
export function refuseWhileMoving(error: unknown): never {
  throw error instanceof OwnerElsewhere ? moving() : error;
}

/** Has all that happens in a channel carried to the cell of the bot. */
export async function attachOutbox(
  { home, away }: Apart,
  holder: string,
  channelId: string,
  event: StoredEvent,
): Promise<void> {
  const outbox = { ownerUserId: holder, botId: outboxFor(home.number).id };
  if (await away.store.findMembership(outbox.botId, channelId)) return;
  const attached = { ...event, id: newId() };
  await away.store.attachBot(outbox, channelId, attached, { review: "guest" }, READ_ONLY_ROLE);
}
