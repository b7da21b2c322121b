import type { FastifyRequest } from "fastify";
import { CHANGE_US, LIST_US, NUMBER_US, SEARCH_US, SMALL_REQUEST_US } from "../../fairness/cost.js";

/**
 * What a request costs its owner, in microseconds; or `post` or `event`, which cost what they are told to the logs that listen
 * to the channel in the path; or `batch`, which takes a turn to be parsed and one for each of its steps; or `later`, for a request that
 * waits, or that takes its turns itself.
 */
export type RequestCost =
  | number
  | "post"
  | "event"
  | "batch"
  | "later"
  | ((request: FastifyRequest) => number);

/** By `operationId`. All other operations are small requests or changes. */
export const COSTS: Readonly<Record<string, RequestCost>> = {
  createBotPost: "post",
  createChannelPost: "post",
  emitChannelEvent: "event",
  emitMyEvent: "event",
  editBotPost: "event",
  deleteBotPost: "event",
  editChannelPost: "event",
  deleteChannelPost: "event",
  editChannel: "event",
  deleteChannel: "event",

  // One row in one log, like a post.
  emitBotEvent: SMALL_REQUEST_US,
  createInteraction: SMALL_REQUEST_US,
  respondToInteraction: SMALL_REQUEST_US,
  giveUpUpdate: SMALL_REQUEST_US,

  moveConsumer: costOfMove,
  moveFeedConsumer: costOfMove,

  listBots: LIST_US,
  listListedBots: SEARCH_US,
  listReviews: SEARCH_US,
  listBotChannels: LIST_US,
  listOwners: LIST_US,
  getUsage: LIST_US,
  listUsage: LIST_US,
  listMyChannels: LIST_US,
  listChannels: LIST_US,
  listChannelBots: LIST_US,
  listChannelCommands: LIST_US,
  listChannelPosts: LIST_US,
  listBotPosts: LIST_US,
  listBotUpdates: LIST_US,
  listPostUpdates: LIST_US,
  listUpdateAttempts: LIST_US,
  listWebhookErrors: LIST_US,
  listGivenUp: LIST_US,
  listMyGivenUp: LIST_US,
  listOwnerAudit: LIST_US,
  listAudit: LIST_US,
  handInGivenUp: LIST_US,
  replayWebhook: LIST_US,
  readTimeline: LIST_US,
  listWebhooks: LIST_US,
  listNamedWebhookUpdates: LIST_US,
  listNamedWebhookAttempts: LIST_US,
  listNamedWebhookErrors: LIST_US,
  replayNamedWebhook: LIST_US,
  readNamedWebhookTimeline: LIST_US,

  overview: SEARCH_US,
  previewSubscription: 4 * SEARCH_US,
  putSubscription: SEARCH_US,
  putMySubscription: SEARCH_US,
  deleteSubscription: SEARCH_US,
  putChannelBots: SEARCH_US,
  groupWebhookErrors: SEARCH_US,
  groupNamedWebhookErrors: SEARCH_US,

  putExternalChannels: "batch",
  createPosts: "batch",
  emitEvents: "batch",
  pollUpdates: "later",
  streamUpdates: "later",
  streamBotUpdates: "later",
  readFeed: "later",
  streamFeed: "later",
  testWebhook: "later",
  testNamedWebhook: "later",
  sendUpdateAgain: "later",
  sendNamedWebhookUpdateAgain: "later",
  eraseOwner: "later",
  eraseUser: "later",
  exportOwner: "later",
};

export function costOfOperation(operationId: string | undefined, isRead: boolean): RequestCost {
  return COSTS[operationId ?? ""] ?? (isRead ? SMALL_REQUEST_US : CHANGE_US);
}

/** A move of a consumer has up to a thousand numbers, which are sorted and stored. */
function costOfMove({ body }: FastifyRequest): number {
  const { done } = body as { done?: readonly unknown[] };
  return SMALL_REQUEST_US + (done?.length ?? 0) * NUMBER_US;
}
