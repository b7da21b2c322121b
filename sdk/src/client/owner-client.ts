import type {
  AttachChannelResult,
  BotChannel,
  BotOverview,
  BotRecord,
  BotStats,
  BotToken,
  BotWithToken,
  Channel,
  Consumer,
  CreateBotRequest,
  CreateChannelPostRequest,
  CreateChannelRequest,
  DeleteStatus,
  EditBotRequest,
  EditChannelRequest,
  FailedAttempt,
  List,
  OwnerUpdate,
  Post,
  PutWebhookRequest,
  ReplayResult,
  Timeline,
  Update,
  WebhookConfig,
  WebhookErrorEntry,
  WebhookTestResult,
} from "../types.js";
import {
  botPath,
  type Call,
  type ClientOptions,
  type Connection,
  channelPath,
  connect,
  type RequestOptions,
  segment,
} from "./connection.js";
import { botNamed, channelNamed } from "./find.js";
import type {
  ListChannelsOptions,
  ListErrorsOptions,
  ListPostsOptions,
  ListUpdatesOptions,
  ReplayOptions,
  TimelineOptions,
} from "./owner-options.js";
import { PAGE_ITEMS, pages } from "./pages.js";
import { type StreamOptions, streamUpdates } from "./stream-updates.js";

/**
 * The operations of an owner, one method for each, with its name in the interface description. Each may reject with one of
 * the three kinds of errors.
 */
export class OwnerClient {
  readonly #connection: Connection;

  /**
   * @param token an owner token, or a function that returns a current one before each request, since they expire
   * @throws {TypeError} when the token or the URL is not valid
   */
  constructor(token: string | (() => string | Promise<string>), options: ClientOptions) {
    this.#connection = connect(token, options);
  }

  /** All bots, oldest first. */
  listBots(options: RequestOptions = {}): Promise<List<BotRecord>> {
    return this.#send({ method: "GET", path: "/v1/bot-api/bots", field: "items", ...options });
  }

  /** Extension: the same bots with the state of their delivery. */
  overview(options: RequestOptions = {}): Promise<List<BotOverview>> {
    return this.#send({ method: "GET", path: "/v1/bot-api/overview", field: "items", ...options });
  }

  /** The same bots, one after the other. */
  async *bots(options: RequestOptions = {}): AsyncGenerator<BotRecord, void, undefined> {
    yield* (await this.listBots(options)).items;
  }

  /** The bot with this username (in any case) or id, or undefined. */
  findBot(usernameOrId: string, options: RequestOptions = {}): Promise<BotRecord | undefined> {
    return botNamed(this.bots(options), usernameOrId);
  }

  /** Creates a bot; only this answer has its token. */
  createBot(bot: CreateBotRequest, options: RequestOptions = {}): Promise<BotWithToken> {
    return this.#send({ method: "POST", path: "/v1/bot-api/bots", body: bot, field: "bot", ...options });
  }

  getBot(botId: string, options: RequestOptions = {}): Promise<BotRecord> {
    return this.#send({ method: "GET", path: botPath(botId), field: "id", ...options });
  }

  /** Extension: changes the display name or the description. */
  editBot(botId: string, changes: EditBotRequest, options: RequestOptions = {}): Promise<BotRecord> {
    return this.#send({ method: "PATCH", path: botPath(botId), body: changes, field: "id", ...options });
  }

  /** Extension: deletes the bot with its log. */
  deleteBot(botId: string, options: RequestOptions = {}): Promise<DeleteStatus> {
    return this.#send({ method: "DELETE", path: botPath(botId), field: "status", ...options });
  }

  /** Extension: refuses the bot's token and stops its deliveries; updates are still recorded. */
  disableBot(botId: string, options: RequestOptions = {}): Promise<BotRecord> {
    return this.#send({ method: "POST", path: `${botPath(botId)}/disable`, field: "id", ...options });
  }

  /** Extension: enables a disabled bot. */
  enableBot(botId: string, options: RequestOptions = {}): Promise<BotRecord> {
    return this.#send({ method: "POST", path: `${botPath(botId)}/enable`, field: "id", ...options });
  }

  /** The channels a bot is attached to. */
  listBotChannels(botId: string, options: RequestOptions = {}): Promise<List<BotChannel>> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/channels`, field: "items", ...options });
  }

  /** Lets the bot post in the channel and receive its posts. Attaching again changes nothing. */
  attachBot(botId: string, channelId: string, options: RequestOptions = {}): Promise<AttachChannelResult> {
    const path = `${botPath(botId)}/channels/${segment(channelId)}`;
    return this.#send({ method: "POST", path, field: "role", ...options });
  }

  /** Extension: the opposite of {@link attachBot}. */
  detachBot(botId: string, channelId: string, options: RequestOptions = {}): Promise<DeleteStatus> {
    const path = `${botPath(botId)}/channels/${segment(channelId)}`;
    return this.#send({ method: "DELETE", path, field: "status", ...options });
  }

  /** Gives the bot a new token; the old one is refused from now on. */
  rotateBotToken(botId: string, options: RequestOptions = {}): Promise<BotToken> {
    return this.#send({ method: "POST", path: `${botPath(botId)}/token`, field: "token", ...options });
  }

  /** The newest updates of a bot with the state of their delivery, newest first. */
  listBotUpdates(
    botId: string,
    { limit, before, state, ...options }: ListUpdatesOptions = {},
  ): Promise<List<OwnerUpdate>> {
    const path = `${botPath(botId)}/updates`;
    return this.#send({ method: "GET", path, query: { limit, before, state }, field: "items", ...options });
  }

  /** Extension: the last 20 failed attempts to deliver an update, oldest first. */
  listUpdateAttempts(
    botId: string,
    updateId: number,
    options: RequestOptions = {},
  ): Promise<List<FailedAttempt>> {
    const path = `${botPath(botId)}/updates/${updateId}/attempts`;
    return this.#send({ method: "GET", path, field: "items", ...options });
  }

  /** Extension: counts of a bot's deliveries, by intervals of the last hour, day or week. */
  readTimeline(botId: string, { range, ...options }: TimelineOptions = {}): Promise<Timeline> {
    const path = `${botPath(botId)}/timeline`;
    return this.#send({ method: "GET", path, query: { range }, field: "items", ...options });
  }

  /** Extension: a bot's updates as they are recorded, above `offset` or from now on; reconnects when the connection is lost. */
  streamBotUpdates(botId: string, options: StreamOptions = {}): AsyncGenerator<Update, void, undefined> {
    return streamUpdates(this.#connection, `${botPath(botId)}/updates/stream`, options);
  }

  /** Extension: where each reader of the bot's log is, oldest first. */
  listBotConsumers(botId: string, options: RequestOptions = {}): Promise<List<Consumer>> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/consumers`, field: "items", ...options });
  }

  getBotStats(botId: string, options: RequestOptions = {}): Promise<BotStats> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/stats`, field: "bot_id", ...options });
  }

  /** The webhook, with `url: ""` when there is none. */
  getWebhook(botId: string, options: RequestOptions = {}): Promise<WebhookConfig> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/webhook`, field: "url", ...options });
  }

  /** Sets the webhook. Without `secret_token` the stored one stays; `""` removes it. */
  putWebhook(
    botId: string,
    webhook: PutWebhookRequest,
    options: RequestOptions = {},
  ): Promise<WebhookConfig> {
    const path = `${botPath(botId)}/webhook`;
    return this.#send({ method: "PUT", path, body: webhook, field: "url", ...options });
  }

  /** Ends delivery by webhook; undelivered updates stay pending and can be polled. */
  deleteWebhook(botId: string, options: RequestOptions = {}): Promise<DeleteStatus> {
    return this.#send({ method: "DELETE", path: `${botPath(botId)}/webhook`, field: "status", ...options });
  }

  /** Extension: sends a `webhook.test` event at once and returns the receiver's answer. At most 10 a minute. */
  testWebhook(botId: string, options: RequestOptions = {}): Promise<WebhookTestResult> {
    const path = `${botPath(botId)}/webhook/test`;
    return this.#send({ method: "POST", path, field: "delivered", retries: 0, ...options });
  }

  /** Extension: nothing is sent until it is resumed; updates are still recorded. */
  pauseWebhook(botId: string, options: RequestOptions = {}): Promise<WebhookConfig> {
    return this.#send({ method: "POST", path: `${botPath(botId)}/webhook/pause`, field: "url", ...options });
  }

  /** Extension: delivers again, beginning with the updates recorded meanwhile. */
  resumeWebhook(botId: string, options: RequestOptions = {}): Promise<WebhookConfig> {
    return this.#send({ method: "POST", path: `${botPath(botId)}/webhook/resume`, field: "url", ...options });
  }

  /** Updates with at least one failed attempt, newest first. */
  listWebhookErrors(
    botId: string,
    { limit, before, ...options }: ListErrorsOptions = {},
  ): Promise<List<WebhookErrorEntry>> {
    const path = `${botPath(botId)}/webhook/errors`;
    return this.#send({ method: "GET", path, query: { limit, before }, field: "items", ...options });
  }

  /** Puts failed updates back into delivery: the oldest, or those that are named. */
  replayWebhook(botId: string, { limit, update_ids, ...options }: ReplayOptions = {}): Promise<ReplayResult> {
    const path = `${botPath(botId)}/webhook/replay`;
    const body = update_ids && { body: { update_ids } };
    return this.#send({ method: "POST", path, query: { limit }, ...body, field: "requeued", ...options });
  }

  /** Extension: a page of the owner's channels, oldest first. */
  listChannels({ limit, after, ...options }: ListChannelsOptions = {}): Promise<List<Channel>> {
    return this.#send({
      method: "GET",
      path: "/v1/channels",
      query: { limit, after },
      field: "items",
      ...options,
    });
  }

  /** Extension: all the owner's channels, one after the other, read page by page. */
  channels(options: RequestOptions = {}): AsyncGenerator<Channel, void, undefined> {
    return pages((after) => this.listChannels({ limit: PAGE_ITEMS, after, ...options }));
  }

  /** Extension: the owner's channel with this slug or id, or undefined. Reads pages until it is found. */
  findChannel(slugOrId: string, options: RequestOptions = {}): Promise<Channel | undefined> {
    return channelNamed(this.channels(options), slugOrId);
  }

  /** Extension. */
  createChannel(channel: CreateChannelRequest, options: RequestOptions = {}): Promise<Channel> {
    return this.#send({ method: "POST", path: "/v1/channels", body: channel, field: "id", ...options });
  }

  /** Extension. */
  getChannel(channelId: string, options: RequestOptions = {}): Promise<Channel> {
    return this.#send({ method: "GET", path: channelPath(channelId), field: "id", ...options });
  }

  /** Extension: changes the title or the description. */
  editChannel(
    channelId: string,
    changes: EditChannelRequest,
    options: RequestOptions = {},
  ): Promise<Channel> {
    return this.#send({
      method: "PATCH",
      path: channelPath(channelId),
      body: changes,
      field: "id",
      ...options,
    });
  }

  /** Extension: a page of a channel's posts, newest first. */
  listChannelPosts(
    channelId: string,
    { limit, before, ...options }: ListPostsOptions = {},
  ): Promise<List<Post>> {
    const path = `${channelPath(channelId)}/posts`;
    return this.#send({ method: "GET", path, query: { limit, before }, field: "items", ...options });
  }

  /** Extension: all posts of a channel, newest first, read page by page. */
  posts(channelId: string, options: RequestOptions = {}): AsyncGenerator<Post, void, undefined> {
    return pages((before) => this.listChannelPosts(channelId, { limit: PAGE_ITEMS, before, ...options }));
  }

  /** Extension: publishes as the owner. It is not sent again when it may have arrived. */
  createChannelPost(
    channelId: string,
    post: CreateChannelPostRequest,
    options: RequestOptions = {},
  ): Promise<Post> {
    const path = `${channelPath(channelId)}/posts`;
    return this.#send({ method: "POST", path, body: post, field: "id", ...options });
  }

  #send<Body>(call: Call): Promise<Body> {
    return this.#connection.send(call);
  }
}
