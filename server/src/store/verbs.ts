import { type BotRef, FEED, type LogHead, type Store, type StoreEvents } from "./store.js";

/** What a verb does, and what else than its own caller has to hear of it. */
type Effect = keyof typeof EVENTS;

/** Effects of changes to a bot: their verbs name it first, with its owner. */
export type BotEffect = "identity" | "credentials" | "lane" | "bot";

/** The events of a store that are about one bot. */
export type BotEvent = Extract<keyof StoreEvents, "credentialsChanged" | "laneChanged">;

/** What the effect on a bot is told as. */
export const EVENTS = {
  /** Changes nothing: needs no write lock, and answers when writing is impossible. */
  read: [],
  /** A read of many rows. Of these only so many run in one batch; the other reads take microseconds each. */
  list: [],
  /** Changes what nobody else has to look at afresh. */
  write: [],
  /** Makes logs grow by posts. The engine tells which and by what: `appended`. */
  posts: [],
  /** May make logs grow by an event. The engine's verb says which beside its result: {@link Grown}. */
  event: [],
  /** Changes what a bot is called, and so what looking up its token gives. */
  identity: [],
  credentials: ["credentialsChanged"],
  /** Changes what is to be delivered, or where: the lane must be looked at afresh. */
  lane: ["laneChanged"],
  /** Changes both: whether the bot may do anything at all. */
  bot: ["credentialsChanged", "laneChanged"],
} as const satisfies Record<string, readonly BotEvent[]>;

/** The verbs of the seam: all of it that is a call of the database. */
export type Verb = Exclude<keyof Store, "events" | "recallBot" | "close">;

export type StoreVerbs = Pick<Store, Verb>;

/** The one list of verbs, from which both engines take what they have to do beside running them. */
const EFFECTS = {
  createBot: "write",
  listBots: "list",
  listOverviews: "list",
  findBot: "read",
  editBot: "identity",
  deleteBot: "bot",
  setBotDisabled: "bot",
  replaceBotToken: "credentials",
  authenticateBot: "read",

  createChannel: "write",
  listChannels: "list",
  findChannel: "read",
  findExternalChannel: "read",
  findExternalIds: "list",
  findHolders: "list",
  listChannelBots: "list",
  editChannel: "event",
  deleteChannel: "event",
  attachBot: "event",
  detachBot: "event",
  listBotChannels: "list",

  appendPosts: "posts",
  appendEvent: "event",
  findPost: "read",
  editPost: "event",
  deletePost: "event",
  erasePosts: "event",
  findPostInLogs: "list",
  listChannelEvents: "list",
  listOtherEvents: "list",
  listBotEvents: "list",
  forgetKeys: "write",
  readSubscription: "read",
  putSubscription: "write",
  listPosts: "list",
  readUpdates: "list",
  readLogHead: "read",
  readLogTail: "read",
  findNumbersAt: "list",
  listRecentUpdates: "list",
  listUpdatesInState: "list",
  listDeliveryErrors: "list",
  listFailedAttempts: "read",
  readTimeline: "read",
  readStats: "read",

  findConsumer: "read",
  readConsumed: "list",
  openConsumer: "write",
  moveConsumer: "write",
  listConsumers: "list",
  deleteConsumer: "write",
  noteConsumerPolls: "write",

  readWebhook: "read",
  readStoredWebhook: "read",
  putWebhook: "lane",
  deleteWebhook: "lane",
  setWebhookPaused: "lane",
  replayFailed: "lane",
  replayUpdates: "lane",

  claimLanes: "write",
  readDueUpdates: "read",
  requeueScheduled: "write",
  recordAttempts: "event",
  renewLeases: "write",
  releaseLanes: "write",

  listSealedSecrets: "read",
  nextSealingKey: "read",
  noteKeyFile: "write",
  hasKeyFile: "read",
  resealSecret: "write",
  switchFeed: "write",
  hasFeed: "read",
  attachFeed: "write",
  readFeed: "list",
  readConsumedFeed: "list",
  openFeedConsumer: "write",
  moveFeedConsumer: "write",
  listFeedConsumers: "read",
  deleteFeedConsumer: "write",
  noteFeedPolls: "write",

  expireUpdates: "write",
  sweepEvents: "write",
  foldTimelines: "write",
  passOverNumbers: "write",
  surveyLanes: "read",
  ping: "write",
} as const satisfies Record<Verb, Effect>;

export const VERBS = Object.keys(EFFECTS) as Verb[];

/** Verbs that may make logs grow by an event. */
export type EventVerb = { [Name in Verb]: (typeof EFFECTS)[Name] extends "event" ? Name : never }[Verb];

/** The verbs that may append an event as an engine has them: they say which logs grew. */
export type GrowingVerbs = {
  [Name in EventVerb]: (
    ...parameters: Parameters<Store[Name]>
  ) => Promise<Grown<Awaited<ReturnType<Store[Name]>>>>;
};

/** What an engine's verb that may append an event returns. */
export interface Grown<Result> {
  result: Result;
  /** The logs that grew, each by one update. */
  heads: LogHead[];
  /** The post that was erased, or the channel of the posts that were. */
  erasedId?: string;
}

const EVENT_VERBS = VERBS.filter((verb): verb is EventVerb => EFFECTS[verb] === "event");

export const LISTS: ReadonlySet<Verb> = new Set(VERBS.filter((verb) => EFFECTS[verb] === "list"));

export const READS: ReadonlySet<Verb> = new Set(
  VERBS.filter((verb) => EFFECTS[verb] === "read" || EFFECTS[verb] === "list"),
);

/** An engine's verbs that may append an event, and any others beside them. */
export type EventVerbsOf<Verbs> = {
  [Name in keyof Verbs]: Verbs[Name] extends (
    ...parameters: infer Parameters extends never[]
  ) => Promise<Grown<infer Result>>
    ? (...parameters: Parameters) => Promise<Result>
    : Verbs[Name];
};

/** The verbs, of which those that may append an event tell what they did before their callers hear of it. */
export function tellingEventVerbs<Verbs extends Partial<Record<Verb, unknown>>>(
  verbs: Verbs,
  tell: (grown: Grown<unknown>) => void,
): EventVerbsOf<Verbs> {
  const telling = { ...verbs } as Partial<Record<Verb, unknown>>;
  for (const verb of EVENT_VERBS) {
    const write = verbs[verb] as ((...parameters: unknown[]) => Promise<Grown<unknown>>) | undefined;
    if (!write) continue;
    telling[verb] = async (...parameters: unknown[]) => {
      const grown = await write(...parameters);
      tell(grown);
      return grown.result;
    };
  }
  return telling as EventVerbsOf<Verbs>;
}

/**
 * The verbs, of which those that change a bot tell their effect once it is written, and before their caller hears of it. One
 * that found nothing to change (undefined or false) tells nothing.
 */
export function tellingVerbs(
  verbs: StoreVerbs,
  tell: (effect: BotEffect, botId: string) => void,
): StoreVerbs {
  const telling = { ...verbs } as Record<Verb, unknown>;
  for (const verb of VERBS) {
    const effect = EFFECTS[verb];
    if (!isBotEffect(effect)) continue;
    const write = verbs[verb] as (ref: BotRef, ...rest: unknown[]) => Promise<unknown>;
    telling[verb] = async (ref: BotRef, ...rest: unknown[]) => {
      const result = await write(ref, ...rest);
      if (result) tell(effect, ref.botId);
      return result;
    };
  }
  return telling as StoreVerbs;
}

/** Verbs that may append an event to the feed alone, and whose results do not say so. */
const FEED_VERBS = [
  "createBot",
  "deleteBot",
  "setBotDisabled",
  "createChannel",
  "putWebhook",
  "deleteWebhook",
  "setWebhookPaused",
] as const satisfies readonly Verb[];

/**
 * The verbs, of which those that are also events of the feed tell so, once the feed is known to be on, when they are written and
 * before their callers hear of it.
 */
export function tellingFeed(verbs: StoreVerbs, tell: () => void): StoreVerbs {
  const telling = { ...verbs } as Record<Verb, unknown>;
  let isOn = false;
  for (const verb of FEED_VERBS) {
    const write = verbs[verb] as (...parameters: unknown[]) => Promise<unknown>;
    telling[verb] = async (...parameters: unknown[]) => {
      const result = await write(...parameters);
      if (result && isOn) tell();
      return result;
    };
  }
  return {
    ...(telling as StoreVerbs),
    async hasFeed() {
      isOn = await verbs.hasFeed();
      return isOn;
    },
    async switchFeed(to) {
      await verbs.switchFeed(to);
      isOn = to;
    },
  };
}

/** The verbs, of which those that move consumers tell of a rewind once it is written, and before its caller hears of it. */
export function tellingRewinds(verbs: StoreVerbs, tell: (botId: string) => void): StoreVerbs {
  return {
    ...verbs,
    async moveConsumer(botId, name, to, now) {
      const moved = await verbs.moveConsumer(botId, name, to, now);
      if (to.rewind && moved && !("refused" in moved)) tell(botId);
      return moved;
    },
    async moveFeedConsumer(name, to, rewind) {
      const moved = await verbs.moveFeedConsumer(name, to, rewind);
      if (rewind && moved && !("refused" in moved)) tell(FEED);
      return moved;
    },
  };
}

function isBotEffect(effect: Effect): effect is BotEffect {
  return effect === "identity" || effect === "credentials" || effect === "lane" || effect === "bot";
}
