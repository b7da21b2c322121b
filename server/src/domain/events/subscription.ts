import { InvalidInput } from "../errors.js";
import { isCustom, KINDS, POST_CREATED, POST_EDITED } from "./event.js";
import type { Author } from "./post.js";

/** Which events a bot hears. It applies to events that are stored after it was set. */
export interface Subscription {
  /** Kinds of events: exact (`ticket.opened`), by prefix (`ticket.*`), all custom ones (`custom`), or all (`*`). */
  eventTypes: string[];
  /** Which posts and edits of them: all, or those that mention the bot as `@username` or answer a post of it. */
  posts: "all" | "mentions";
  /** Whether it hears its own posts. */
  ownPosts: boolean;
}

/**
 * The bot's subscription as its attachments store it, so that an append finds the bots that hear an event by an index.
 *
 * `postFilter` has a bit for each condition: {@link OTHERS_ONLY}, {@link MENTIONS_ONLY}, {@link NO_NEW_POSTS}. A bot
 * that hears all posts, or all but its own, is below {@link MENTIONS_ONLY}.
 */
export interface Listening {
  postFilter: number;
  /** Whether it hears every custom event. */
  hearsCustom: boolean;
  /** Whether it may hear other events: its subscription, which stays with the bot, says which. */
  hearsOthers: boolean;
}

/** The entry of `eventTypes` for every custom event. No kind is named so, since kinds have two names or more. */
export const EVERY_CUSTOM = "custom";

/** What an entry of `eventTypes` may be. */
export const EVENT_TYPES_PATTERN =
  "^(?:\\*|custom|[a-z][a-z0-9_]*(?:\\.[a-z][a-z0-9_]*){0,3}\\.\\*|[a-z][a-z0-9_]*(?:\\.[a-z][a-z0-9_]*){1,3})$";

/** The bot does not hear its own posts, but it hears edits and deletions of them by others. */
export const OTHERS_ONLY = 1;
/** The bot hears only posts that mention it, and their edits and deletions. */
export const MENTIONS_ONLY = 2;
/** The bot hears no new posts; the other bits apply to edits. */
export const NO_NEW_POSTS = 4;

/** A bot without a subscription hears new posts and every custom event. */
const BY_DEFAULT: Listening = { postFilter: 0, hearsCustom: true, hearsOthers: false };

export function listeningOf(subscription: Subscription | undefined): Listening {
  if (!subscription) return BY_DEFAULT;
  const { eventTypes, posts, ownPosts } = subscription;
  const hearsPosts = matchesAny(POST_CREATED, eventTypes);
  const postFilter =
    (ownPosts ? 0 : OTHERS_ONLY) | (posts === "all" ? 0 : MENTIONS_ONLY) | (hearsPosts ? 0 : NO_NEW_POSTS);
  return { postFilter, hearsCustom: false, hearsOthers: eventTypes.some((entry) => entry !== POST_CREATED) };
}

/** Every entry of `eventTypes` that matches this kind: the kind itself, `ticket.*`, `*`, and `custom` for custom kinds. */
export function patternsOf(eventType: string): string[] {
  const names = eventType.split(".");
  const prefixes = names
    .slice(1)
    .map((_, index) => `${names.slice(0, names.length - 1 - index).join(".")}.*`);
  return [eventType, ...prefixes, "*", ...(isCustom(eventType) ? [EVERY_CUSTOM] : [])];
}

/** Whether an entry begins like the service's own kinds, but matches none of them. Custom kinds are not known. */
export function isUnknownType(entry: string): boolean {
  return entry !== "*" && !isCustom(entry) && !KINDS.some((kind) => patternsOf(kind).includes(entry));
}

/**
 * Refuses a typing error: an entry of `event_types` that begins like the service's own kinds, but matches none of them.
 *
 * @throws InvalidInput
 */
export function refuseUnknownTypes(eventTypes: readonly string[]): void {
  const unknown = eventTypes.find(isUnknownType);
  if (unknown === undefined) return;
  throw new InvalidInput(
    `event_types has ${unknown}, which no event is: the service's own are ${KINDS.join(", ")}`,
    "unknown_event_type",
  );
}

/** Whether a webhook that is sent `eventTypes` of what its bot hears, all when there are none, is sent a kind. */
export function isSent(eventType: string, eventTypes: readonly string[]): boolean {
  return eventTypes.length === 0 || matchesAny(eventType, eventTypes);
}

function matchesAny(eventType: string, patterns: readonly string[]): boolean {
  return patternsOf(eventType).some((pattern) => patterns.includes(pattern));
}

/** Whether a bot hears an event that is addressed to it alone. */
export function hearsOfItself(subscription: Subscription | undefined, eventType: string): boolean {
  return subscription ? matchesAny(eventType, subscription.eventTypes) : isCustom(eventType);
}

/** The parts of an event that decide who hears it. */
export interface Hearable {
  eventType: string;
  /** The usernames that a post or an edit mentions, in lower case. */
  mentions?: readonly string[];
  /** The bot that published the post. */
  authorBotId?: string;
}

/** Whether a bot hears an event, by the rules that the store applies in SQL. */
export function hears(
  bot: { id: string; username: string },
  subscription: Subscription | undefined,
  event: Hearable,
): boolean {
  const { eventType, mentions = [], authorBotId } = event;
  if (!subscription) return eventType === POST_CREATED || isCustom(eventType);
  if (!matchesAny(eventType, subscription.eventTypes)) return false;
  if (eventType !== POST_CREATED && eventType !== POST_EDITED) return true;
  if (eventType === POST_CREATED && !subscription.ownPosts && authorBotId === bot.id) return false;
  return subscription.posts === "all" || mentions.includes(bot.username.toLowerCase());
}

/**
 * An `@` that follows neither a word nor a slash, and text that may be a username. Addresses (`me@echo`,
 * `@echo@example.com`) and paths (`x/@echo`) do not count as mentions.
 */
const MENTION = /(?<![\w.@/-])@([a-z0-9][a-z0-9_.-]{0,63})(?![a-z0-9_@])/gi;

/** The rest of a URL: after its scheme, or after the end of a host name such as `example.com`. */
const IN_URL = /(?:[a-z]:\/\/|\.[a-z]{2,24}(?::\d{1,5})?[/?#])[^\s<>"]*/gi;

/** Each mention is looked up when the post is appended, so only the first ones in the text count. */
const MAX_MENTIONS = 50;
/** Dots, dashes and underscores at the end of a mention that may be punctuation. */
const MAX_STRIPPED = 3;

/**
 * The usernames that a text mentions, in lower case, the first {@link MAX_MENTIONS} of them. A username may end with a
 * dot or a dash, and so may a sentence, so both readings of `@echo.` are returned.
 */
export function mentionsIn(text: string): string[] {
  if (!text.includes("@")) return [];
  const mentioned = new Set<string>();
  let mentions = 0;
  for (const [, name = ""] of text.replace(IN_URL, "/").matchAll(MENTION)) {
    if (mentions === MAX_MENTIONS) break;
    const username = name.toLowerCase();
    if (!mentioned.has(username)) mentions += 1;
    for (const reading of readingsOf(username)) mentioned.add(reading);
  }
  return [...mentioned];
}

/** The usernames, in lower case, of the bots that a post is for: those that it mentions, and the one whose post it answers. */
export function addressees(body: string, answered: Author | undefined): string[] {
  const mentioned = mentionsIn(body);
  return answered?.type === "bot" ? [...new Set([...mentioned, answered.username.toLowerCase()])] : mentioned;
}

function readingsOf(username: string): string[] {
  const readings = [username];
  for (
    let end = username.length;
    readings.length <= MAX_STRIPPED && /[_.-]/.test(username[end - 1] ?? "");
    end -= 1
  ) {
    readings.push(username.slice(0, end - 1));
  }
  return readings;
}
