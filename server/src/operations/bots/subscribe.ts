import { setImmediate as nextTurn } from "node:timers/promises";
import type { Bot } from "../../domain/bots/bot.js";
import { InvalidInput } from "../../domain/errors.js";
import { namesAuditEntries } from "../../domain/events/alert.js";
import {
  AUDIT_ENTRY,
  INTERACTION_CREATED,
  INTERACTION_RESPONDED,
  POST_CREATED,
  POST_EDITED,
  type StoredEvent,
} from "../../domain/events/event.js";
import type { PostPayload } from "../../domain/events/post.js";
import {
  addressees,
  hears,
  refuseUnknownTypes,
  type Subscription,
} from "../../domain/events/subscription.js";
import type { Audited, BotRef, ChannelRef, Store } from "../../store/store.js";
import { found, notFound } from "../found.js";
import { createKeyedTurns } from "../keyed-turns.js";
import { logGone } from "../logs/open-consumer.js";

/** Events of a channel that a preview reads. */
const PREVIEWED_EVENTS = 100;
/** Events of which a preview searches the text in one turn of the event loop: at most 2 ms. */
const EVENTS_PER_TURN = 10;

/** One call for each bot: on PostgreSQL the others would wait for its row with a connection each. */
const inTurn = createKeyedTurns();

const putInTurn = (store: Store, ...[bot, subscription]: Parameters<Store["putSubscription"]>) =>
  inTurn(bot.botId, () => store.putSubscription(bot, subscription));

/** An event of a channel, and whether a bot would have heard it. */
export interface PreviewedEvent {
  event: StoredEvent;
  isHeard: boolean;
}

/**
 * Sets which events a bot hears from now on.
 *
 * @throws InvalidInput, NotFound
 */
export async function subscribe(store: Store, bot: BotRef, subscription: Subscription): Promise<void> {
  refuseUnknownTypes(subscription.eventTypes);
  if (!(await putInTurn(store, bot, subscription))) throw notFound("bot");
}

/**
 * The same when the bot itself asks. It may keep what its owner has given it of the audit log, and not take it.
 *
 * @throws InvalidInput; Unauthenticated when the bot was deleted meanwhile
 */
export async function subscribeSelf(
  store: Store,
  botId: string,
  subscription: Subscription,
  by: Audited = {},
): Promise<void> {
  const { eventTypes } = subscription;
  refuseUnknownTypes(eventTypes);
  const put = async (): Promise<boolean> => {
    if (namesAuditEntries(eventTypes)) {
      const { eventTypes: given = [] } = (await store.readSubscription(botId)) ?? {};
      if (!namesAuditEntries(given)) throw onlyOwner();
    }
    return await store.putSubscription({ ...by, botId, ownerUserId: null }, subscription);
  };
  if (!(await inTurn(botId, put))) throw logGone(botId);
}

function onlyOwner(): InvalidInput {
  return new InvalidInput(
    `event_types has ${AUDIT_ENTRY}, which tells of everything that your owner, your owner's bots and the platform change: let your owner subscribe you to it`,
  );
}

/**
 * Removes a bot's subscription, so that it hears posts and custom events again.
 *
 * @throws NotFound
 */
export async function unsubscribe(store: Store, bot: BotRef): Promise<void> {
  if (!(await putInTurn(store, bot, null))) throw notFound("bot");
}

/**
 * The last events of a channel, newest first, with whether a bot with this subscription would have heard them.
 *
 * @throws InvalidInput, NotFound
 */
export async function previewSubscription(
  store: Store,
  ref: BotRef,
  channel: ChannelRef,
  subscription: Subscription,
): Promise<PreviewedEvent[]> {
  refuseUnknownTypes(subscription.eventTypes);
  const bot = found(await store.findBot(ref), "bot");
  const { id } = found(await store.findChannel(channel), "channel");
  const events = (await store.listChannelEvents(id, PREVIEWED_EVENTS)).filter(
    // No subscription has a say in them, and a private response is for its user alone.
    ({ eventType }) => eventType !== INTERACTION_CREATED && eventType !== INTERACTION_RESPONDED,
  );
  const previewed: PreviewedEvent[] = [];
  for (const [index, event] of events.entries()) {
    if (index % EVENTS_PER_TURN === 0) await nextTurn();
    previewed.push({ event, isHeard: wouldHear(bot, subscription, event) });
  }
  return previewed;
}

function wouldHear(bot: Bot, subscription: Subscription, { eventType, payload }: StoredEvent): boolean {
  if (eventType !== POST_CREATED && eventType !== POST_EDITED) return hears(bot, subscription, { eventType });
  const { body, author, reply_to } = JSON.parse(payload) as PostPayload;
  return hears(bot, subscription, {
    eventType,
    mentions: addressees(body, reply_to?.author),
    ...(author?.type === "bot" && { authorBotId: author.id }),
  });
}
