import type { LogHead, Store, StoreEvents } from "./store.js";

/** What a verb does, and who besides its caller has to be told. */
export type Effect = keyof typeof EVENTS;

/** Effects of changes to a bot: their verbs name it first, with its owner. */
export type BotEffect = "identity" | "credentials" | "lane" | "webhook" | "bot";

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
  /** Appends an event to the feed alone, if that is on. */
  feed: [],
  /** Changes a bot's name, and so the result of looking up its token; the feed may tell of it. */
  identity: [],
  /** Changes what a bot signs in with, and the feed tells of it. */
  credentials: ["credentialsChanged"],
  /** Changes what is delivered, or where: the lane must be read again. */
  lane: ["laneChanged"],
  /** The same, and the feed tells of it. */
  webhook: ["laneChanged"],
  /** Changes both, whether the bot may do anything at all, and the feed tells of it. */
  bot: ["credentialsChanged", "laneChanged"],
} as const satisfies Record<string, readonly BotEvent[]>;

/** The verbs of the seam that call the database. */
export type Verb = Exclude<keyof Store, "events" | "recallBot" | "close">;

export type StoreVerbs = Pick<Store, Verb>;

/** The one list of verbs and their effects, which both engines use. */
export const EFFECTS = {
  createBot: "feed",
  listBots: "list",
  listOverviews: "list",
  findBot: "read",
  editBot: "identity",
  deleteBot: "bot",
  setBotDisabled: "bot",
  replaceBotToken: "credentials",
  authenticateBot: "read",

  findOwner: "read",
  listOwners: "list",
  putOwner: "write",
  readOwnerMove: "read",
  readSuspension: "read",
  readKeptBytes: "read",
  countWebhooks: "list",
  readUsage: "list",
  listUsage: "list",

  putCommands: "feed",
  readCommands: "read",
  listChannelCommands: "list",
  readCommandsVersion: "read",

  listListedBots: "list",
  findProfile: "read",
  listReviews: "list",
  reviewBot: "feed",

  listOutboxes: "list",
  listOutboxesIn: "list",
  listUncarried: "list",
  findLastUncarried: "list",
  areUncarried: "read",
  readCarried: "list",
  removeCarried: "write",
  listHostsOf: "list",
  findCarried: "list",
  findGuestsIn: "list",

  appendInteraction: "event",
  findInteraction: "read",
  findResponse: "read",
  appendResponse: "event",

  createChannel: "feed",
  listChannels: "list",
  findChannel: "read",
  findExternalChannel: "read",
  findDirectChannel: "read",
  createDirectChannel: "event",
  findRooms: "list",
  createRooms: "event",
  editRooms: "event",
  changeRoomBots: "event",
  findExternalIds: "list",
  findHolders: "list",
  listChannelBots: "list",
  editChannel: "event",
  deleteChannel: "event",
  findAttachedChannel: "read",
  attachBot: "event",
  detachBot: "event",
  listBotChannels: "list",
  listChannelsAway: "list",

  appendPosts: "posts",
  importPosts: "write",
  appendEvent: "event",
  appendBotEvent: "event",
  findKeyed: "read",
  findPost: "read",
  findMembership: "read",
  editPost: "event",
  deletePost: "event",
  listPostsAway: "list",
  findPostInLogs: "list",
  listChannelEvents: "list",
  listOtherEvents: "list",
  listBotEvents: "list",
  listPostOrigins: "list",
  countListeners: "list",
  readSubscription: "read",
  putSubscription: "feed",
  listPosts: "list",
  readUpdates: "list",
  readLogHead: "read",
  readLogTail: "read",
  readLogGap: "read",
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
  holdConsumer: "write",
  giveUpUpdate: "write",
  listGivenUp: "list",
  handInGivenUp: "write",
  forgetGivenUp: "write",

  listWebhooks: "list",
  findDestination: "read",
  readWebhook: "read",
  readStoredWebhook: "read",
  putWebhook: "webhook",
  deleteWebhook: "webhook",
  removeDestination: "write",
  setWebhookPaused: "webhook",
  replayFailed: "lane",
  replayUpdates: "lane",
  skipUpdate: "lane",
  endRest: "lane",

  findWebhookLog: "read",
  openWebhookLog: "write",
  removeWebhookLog: "write",

  claimLanes: "write",
  readDueUpdates: "read",
  skipRemaining: "write",
  recordAttempts: "event",
  renewLeases: "write",
  readTargetAge: "read",
  releaseLanes: "event",
  switchDeliveries: "write",
  areDeliveriesOff: "read",

  listSealedSecrets: "read",
  nextSealingKey: "read",
  noteKeyFile: "write",
  hasKeyFile: "read",
  resealSecret: "write",
  switchFeed: "write",
  hasFeed: "read",
  attachFeed: "write",
  readFeed: "list",

  listAudit: "list",
  carryAudit: "write",

  /** A write on PostgreSQL, where each instance has to hold it. */
  holdUpkeep: "read",
  runUpkeep: "event",
  eraseNames: "write",
  eraseMoved: "write",
  listUserChannels: "list",
  eraseUser: "write",
  repairUnsent: "write",
  skipUpdateIds: "write",
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
  /** The logs that grew, each by one update unless there is a count. */
  heads: LogHead[];
  /** Of the updates of bots. */
  updateCount?: number;
  /** The post that was erased, or the channels of the posts that were. */
  erasedIds?: readonly string[];
}

type ListVerb = { [Name in Verb]: (typeof EFFECTS)[Name] extends "list" ? Name : never }[Verb];

/** The index of a list's last parameter, if that is an optional number. */
type LastNumber<All extends unknown[]> =
  Required<All> extends [...infer Before, number]
    ? All extends Required<All>
      ? never
      : Before["length"]
    : never;

/** Lists that may take the most bytes of their payloads, in their last parameter. */
type PageVerb = {
  [Name in ListVerb]: [LastNumber<Parameters<Store[Name]>>] extends [never] ? never : Name;
}[ListVerb];

/** For each of them which parameter, from 0, is these bytes; null where the number is something else. */
export const PAGE_BYTES_PARAMETER = {
  listPosts: 3,
  readUpdates: 3,
  readConsumed: 3,
  readFeed: 2,
  listRecentUpdates: 3,
  listUpdatesInState: 4,
  listDeliveryErrors: 3,
} as const satisfies { [Name in PageVerb]: LastNumber<Parameters<Store[Name]>> | null };

export const LISTS: ReadonlySet<Verb> = new Set(VERBS.filter((verb) => EFFECTS[verb] === "list"));

export const READS: ReadonlySet<Verb> = new Set(
  VERBS.filter((verb) => EFFECTS[verb] === "read" || EFFECTS[verb] === "list"),
);

/** The verbs as an engine implements them. */
export type EngineVerbs = Omit<StoreVerbs, EventVerb> & GrowingVerbs;
