import type { KeyedCall, PostAuthor, Store } from "../store.js";
import type { Verb } from "../verbs.js";

/** What says in which cell a call runs: an owner, or the id of a bot, a channel or a destination, which are their owner's. */
export type RoutingKey = { owner: string } | { id: string };

type Route<Name extends Verb> = (...parameters: Parameters<Store[Name]>) => RoutingKey;

const owner = (ownerUserId: string): RoutingKey => ({ owner: ownerUserId });
const id = (idOfOwners: string): RoutingKey => ({ id: idOfOwners });
const ref = ({ ownerUserId }: { ownerUserId: string }): RoutingKey => owner(ownerUserId);
const ofBot = ({ botId }: { botId: string }): RoutingKey => id(botId);
const ofChannel = ({ channelId }: { channelId: string }): RoutingKey => id(channelId);
/**
 * A bot's post goes to the bot's cell, without a search for its channel: within one cell both are there. Posts in channels of other cells
 * don't come here, since `crossing-posts.ts` is asked first.
 */
const author = (by: PostAuthor): RoutingKey => ("botId" in by ? id(by.botId) : ref(by));

function keyed(call: KeyedCall): RoutingKey {
  if ("author" in call) return author(call.author);
  if ("editor" in call) return author(call.editor);
  return "ownerUserId" in call ? ref(call) : ofBot(call);
}

/** Verbs for several owners at once: lists of things that each have a key. Their results are lists in the same order. */
export const SPLIT_BY_OWNER = {
  appendPosts: ({ author: by }: { author: PostAuthor }) => author(by),
  importPosts: ({ author: by }: { author: PostAuthor }) => author(by),
  createRooms: ref,
  editRooms: ref,
  changeRoomBots: ref,
} as const satisfies Partial<Record<Verb, (item: never) => RoutingKey>>;

/** Verbs of those who work on a cell as a whole: its deliveries and its upkeep. They call the store of the cell itself. */
export const CELL_ONLY = [
  "claimLanes",
  "readDueUpdates",
  "skipRemaining",
  "recordAttempts",
  "renewLeases",
  "releaseLanes",
  "holdUpkeep",
  "eraseMoved",
  "repairUnsent",
  "listOutboxes",
  "listOutboxesIn",
  "listUncarried",
  "findLastUncarried",
  "areUncarried",
  "readCarried",
  "removeCarried",
  "listHostsOf",
  "findCarried",
  "findGuestsIn",
  "carryAudit",
] as const satisfies readonly Verb[];

/** Verbs that run in one cell, and which. */
export const ROUTES = {
  createBot: ref,
  listBots: owner,
  listOverviews: owner,
  findBot: ref,
  editBot: ref,
  deleteBot: ref,
  setBotDisabled: ref,
  replaceBotToken: ref,

  findOwner: owner,
  putOwner: owner,
  readOwnerMove: owner,
  readKeptBytes: owner,
  countWebhooks: owner,
  readUsage: owner,

  putCommands: id,
  readCommands: id,
  listChannelCommands: id,
  readCommandsVersion: id,

  appendInteraction: ref,
  findInteraction: (reader) => ("ownerUserId" in reader ? ref(reader) : ofBot(reader)),
  findResponse: ref,
  appendResponse: ofBot,

  createChannel: ref,
  listChannels: owner,
  findChannel: ref,
  findExternalChannel: owner,
  findDirectChannel: ref,
  createDirectChannel: ref,
  findRooms: ref,
  findExternalIds: ref,
  listChannelBots: id,
  editChannel: ref,
  deleteChannel: ref,
  findAttachedChannel: ref,
  attachBot: ref,
  detachBot: ref,
  listBotChannels: id,
  listChannelsAway: ref,

  appendEvent: ref,
  appendBotEvent: ofBot,
  findKeyed: keyed,
  findPost: (reader) => author(reader),
  findMembership: id,
  editPost: ofChannel,
  deletePost: ofChannel,
  listPostsAway: owner,
  findPostInLogs: id,
  listChannelEvents: id,
  listOtherEvents: id,
  listBotEvents: id,
  listPostOrigins: id,
  readSubscription: id,
  putSubscription: ({ ownerUserId, botId }) => (ownerUserId === null ? id(botId) : owner(ownerUserId)),
  listPosts: id,
  readUpdates: id,
  readLogHead: id,
  readLogTail: id,
  readLogGap: id,
  findNumbersAt: id,
  listRecentUpdates: id,
  listUpdatesInState: id,
  listDeliveryErrors: id,
  listFailedAttempts: id,
  readTimeline: id,
  readStats: ref,

  findConsumer: id,
  readConsumed: id,
  openConsumer: id,
  moveConsumer: id,
  listConsumers: id,
  deleteConsumer: id,
  holdConsumer: id,
  giveUpUpdate: id,
  listGivenUp: id,
  handInGivenUp: id,
  forgetGivenUp: id,

  listWebhooks: ref,
  findDestination: ref,
  readWebhook: ref,
  readStoredWebhook: ref,
  putWebhook: ref,
  deleteWebhook: ref,
  removeDestination: ref,
  setWebhookPaused: ref,
  replayFailed: ref,
  replayUpdates: ref,
  skipUpdate: ref,
  endRest: ref,
  readTargetAge: (of) => id("botId" in of ? of.botId : of.destinationId),
  resealSecret: id,

  findWebhookLog: (_, ownerUserId) => owner(ownerUserId),
  openWebhookLog: (_, ownerUserId) => owner(ownerUserId),
  removeWebhookLog: (_, ownerUserId) => owner(ownerUserId),

  eraseNames: owner,
} as const satisfies { [Name in Verb]?: Route<Name> };

export type RoutedVerb = keyof typeof ROUTES;
