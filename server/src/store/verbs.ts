import { type BotRef, FEED, type LogHead, type Store, type StoreEvents } from "./store.js";

/** What a verb does, and who besides its caller has to be told. */
type Effect = keyof typeof EVENTS;

/** Effects of changes to a bot: their verbs name it first, with its owner. */
export type BotEffect = "identity" | "credentials" | "lane" | "bot";

/** The events of a store that are about one bot. */
export type BotEvent = Extract<keyof StoreEvents, "credentialsChanged" | "laneChanged">;

/** The events that each effect emits. */
export const EVENTS = {
  /** Changes nothing: needs no write lock, and works while writing is impossible. */
  read: [],
  /** A read of many rows. A batch runs only a limited number of them; other reads take microseconds each. */
  list: [],
  /** A change that nobody else has to be told of. */
  write: [],
  /** Appends posts to logs. The engine emits `appended` with those logs. */
  posts: [],
  /** May append an event to logs. The engine's verb returns those logs beside its result: {@link Grown}. */
  event: [],
  /** Changes a bot's name, and so the result of looking up its token. */
  identity: [],
  credentials: ["credentialsChanged"],
  /** Changes what is delivered, or where: the lane must be read again. */
  lane: ["laneChanged"],
  /** Changes both: whether the bot may do anything at all. */
  bot: ["credentialsChanged", "laneChanged"],
} as const satisfies Record<string, readonly BotEvent[]>;

/** The verbs of the seam that call the database. */
export type Verb = Exclude<keyof Store, "events" | "recallBot" | "close">;

export type StoreVerbs = Pick<Store, Verb>;

/** The one list of verbs and their effects, which both engines use. */
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
  findKeyed: "read",
  findPost: "read",
  editPost: "event",
  deletePost: "event",
  findPostInLogs: "list",
  listChannelEvents: "list",
  listOtherEvents: "list",
  listBotEvents: "list",
  forgetKeys: "write",
  countListeners: "list",
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
  skipUpdate: "lane",
  endRest: "lane",

  claimLanes: "write",
  readDueUpdates: "read",
  requeueScheduled: "write",
  recordAttempts: "event",
  renewLeases: "write",
  readTargetAge: "read",
  releaseLanes: "event",

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

  eraseRemains: "event",
  eraseNames: "write",
  expireUpdates: "write",
  sweepEvents: "write",
  foldTimelines: "write",
  passOverNumbers: "write",
  surveyLanes: "read",
  ping: "write",
} as const satisfies Record<Verb, Effect>;

export const VERBS = Object.keys(EFFECTS) as Verb[];

/** Verbs that may append an event to logs. */
export type EventVerb = { [Name in Verb]: (typeof EFFECTS)[Name] extends "event" ? Name : never }[Verb];

/** The verbs that may append an event, as an engine implements them: they return which logs grew. */
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

/** Wraps the verbs that may append an event: they emit what they did before their callers get the result. */
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
 * Wraps the verbs that change a bot: they emit their effect after it is written and before their caller gets the
 * result. A verb that found nothing to change (undefined or false) emits nothing.
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
 * Wraps the verbs that also append to the feed: while the feed is known to be on, they tell so after they are written
 * and before their callers get the result.
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

/** Wraps the verbs that move consumers: they tell of a rewind after it is written and before the caller gets the result. */
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
