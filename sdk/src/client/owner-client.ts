import type {
  AttachChannelResult,
  AuditEntry,
  BotChannel,
  BotOverview,
  BotProfile,
  BotRecord,
  BotToken,
  BotWithToken,
  Consumer,
  CreateBotRequest,
  CursorPage,
  CustomEvent,
  DeleteStatus,
  EditBotRequest,
  EmitEventRequest,
  EraseStatus,
  ExportLine,
  GivenUp,
  HandInRequest,
  HandInResult,
  List,
  OwnLimits,
  PreviewedEvent,
  PreviewSubscriptionRequest,
  PutSubscriptionRequest,
  Subscription,
  Update,
  UsageDay,
} from "../types.js";
import { readAudit } from "./audit.js";
import {
  botPath,
  type Call,
  type Connection,
  type CreateOptions,
  connect,
  type RequestOptions,
  segment,
} from "./connection.js";
import { linesIn, openLines } from "./export-lines.js";
import { botNamed } from "./find.js";
import type {
  AttachOptions,
  AuditOptions,
  ExportOptions,
  GetUsageOptions,
  ListBotsOptions,
  ListedBotsOptions,
  OwnerClientOptions,
} from "./owner-options.js";
import { OwnerWebhooks } from "./owner-webhooks.js";
import { cursorPages, PAGE_ITEMS, pages } from "./pages.js";
import { type StreamOptions, streamUpdates } from "./stream-updates.js";

/**
 * The operations of an owner, one method for each, with its name in the interface description. Each may reject with one of
 * the three kinds of errors.
 */
export class OwnerClient extends OwnerWebhooks {
  readonly #connection: Connection;

  /**
   * @param token an owner token, or a function that returns a current one before each request, since they expire; or the
   *   platform's token, with {@link OwnerClientOptions.owner}
   * @throws {TypeError} when the token or the URL is not valid
   */
  constructor(token: string | undefined | (() => string | Promise<string>), options: OwnerClientOptions) {
    if (typeof token === "string" && token.startsWith("bot_")) {
      throw new TypeError("this is the token of a bot: an owner needs one that botyard owner-token makes");
    }
    const { owner } = options ?? {};
    const connection = connect(
      token,
      options,
      owner === undefined ? {} : { "botyard-owner": encodeURIComponent(owner) },
    );
    super(connection);
    this.#connection = connection;
  }

  /** The bots, oldest first: all of them, or a page. */
  listBots({ limit, after, search, ...options }: ListBotsOptions = {}): Promise<List<BotRecord>> {
    const query = { limit, after, search };
    return this.#send({ method: "GET", path: "/v1/bot-api/bots", query, field: "items", ...options });
  }

  /** Extension: the same bots with the state of their delivery. */
  overview({ limit, after, search, ...options }: ListBotsOptions = {}): Promise<List<BotOverview>> {
    const query = { limit, after, search };
    return this.#send({ method: "GET", path: "/v1/bot-api/overview", query, field: "items", ...options });
  }

  /** Extension: one bot with the state of its delivery. */
  getBotOverview(botId: string, options: RequestOptions = {}): Promise<BotOverview> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/overview`, field: "bot", ...options });
  }

  /** All bots, one after the other, read page by page. */
  bots(options: RequestOptions = {}): AsyncGenerator<BotRecord, void, undefined> {
    return pages((after) => this.listBots({ limit: PAGE_ITEMS, after, ...options }));
  }

  /** The bot with this username (in any case) or id, or undefined. */
  findBot(usernameOrId: string, options: RequestOptions = {}): Promise<BotRecord | undefined> {
    return botNamed(this.bots(options), usernameOrId);
  }

  /** Creates a bot; only this answer has its token. */
  createBot(bot: CreateBotRequest, options: RequestOptions = {}): Promise<BotWithToken> {
    return this.#send({ method: "POST", path: "/v1/bot-api/bots", body: bot, field: "bot", ...options });
  }

  /** A bot, with the URL of its webhook. */
  getBot(botId: string, options: RequestOptions = {}): Promise<BotRecord> {
    return this.#send({ method: "GET", path: botPath(botId), field: "id", ...options });
  }

  /** Extension: changes the display name, the description or the metadata. */
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

  /** Extension: a page of the bots that every owner may attach, oldest first. */
  listListedBots({ limit, q, cursor, ...options }: ListedBotsOptions = {}): Promise<CursorPage<BotProfile>> {
    return this.#send({
      method: "GET",
      path: "/v1/bots",
      query: { limit, q, cursor },
      field: "items",
      ...options,
    });
  }

  /** Extension: all of them, one after the other, read page by page. */
  listedBots(
    options: Omit<ListedBotsOptions, "limit" | "cursor"> = {},
  ): AsyncGenerator<BotProfile, void, undefined> {
    return cursorPages((cursor) => this.listListedBots({ ...options, limit: PAGE_ITEMS, cursor }));
  }

  /** Extension: what every owner may see of a bot. */
  getBotProfile(botId: string, options: RequestOptions = {}): Promise<BotProfile> {
    return this.#send({ method: "GET", path: `/v1/bots/${segment(botId)}`, field: "id", ...options });
  }

  /** The channels a bot is attached to. */
  listBotChannels(botId: string, options: RequestOptions = {}): Promise<List<BotChannel>> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/channels`, field: "items", ...options });
  }

  /**
   * Attaches the bot to the channel: it receives the channel's posts and, as `moderator`, may post there. Attaching
   * again changes the role, if one is given.
   */
  attachBot(
    botId: string,
    channelId: string,
    { role, ...options }: AttachOptions = {},
  ): Promise<AttachChannelResult> {
    const path = `${botPath(botId)}/channels/${segment(channelId)}`;
    const body = role === undefined ? {} : { body: { role } };
    return this.#send({ method: "POST", path, ...body, field: "role", ...options });
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

  /** Extension: which events a bot hears. */
  getSubscription(botId: string, options: RequestOptions = {}): Promise<Subscription> {
    const path = `${botPath(botId)}/subscription`;
    return this.#send({ method: "GET", path, field: "event_types", ...options });
  }

  /** Extension: sets which events a bot hears, from now on. */
  putSubscription(
    botId: string,
    subscription: PutSubscriptionRequest,
    options: RequestOptions = {},
  ): Promise<Subscription> {
    const path = `${botPath(botId)}/subscription`;
    return this.#send({ method: "PUT", path, body: subscription, field: "event_types", ...options });
  }

  /** Extension: the bot hears posts and every custom event again. */
  deleteSubscription(botId: string, options: RequestOptions = {}): Promise<DeleteStatus> {
    const path = `${botPath(botId)}/subscription`;
    return this.#send({ method: "DELETE", path, field: "status", ...options });
  }

  /** Extension: which of a channel's last 100 events a bot with this subscription would have got, newest first. */
  previewSubscription(
    botId: string,
    preview: PreviewSubscriptionRequest,
    options: RequestOptions = {},
  ): Promise<List<PreviewedEvent>> {
    const path = `${botPath(botId)}/subscription/preview`;
    return this.#send({ method: "POST", path, body: preview, field: "items", ...options });
  }

  /** Extension: emits a custom event to this bot alone: a command, or a direct message. */
  emitBotEvent(botId: string, event: EmitEventRequest, options: CreateOptions = {}): Promise<CustomEvent> {
    const path = `${botPath(botId)}/events`;
    return this.#send({ method: "POST", path, body: event, field: "id", ...options });
  }

  /** Extension: a bot's updates as they are recorded, above `offset` or from now on; reconnects when the connection is lost. */
  streamBotUpdates(botId: string, options: StreamOptions = {}): AsyncGenerator<Update, void, undefined> {
    return streamUpdates(this.#connection, `${botPath(botId)}/updates/stream`, options);
  }

  /** Extension: where each reader of the bot's log is, oldest first. */
  listBotConsumers(botId: string, options: RequestOptions = {}): Promise<List<Consumer>> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/consumers`, field: "items", ...options });
  }

  /** Extension: the updates that the bot's programs gave up while they polled, the highest numbers first. */
  listGivenUp(botId: string, options: RequestOptions = {}): Promise<List<GivenUp>> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/given-up`, field: "items", ...options });
  }

  /** Extension: has the bot's programs handle again what they gave up. */
  handInGivenUp(botId: string, which: HandInRequest, options: RequestOptions = {}): Promise<HandInResult> {
    const path = `${botPath(botId)}/given-up/hand-in`;
    return this.#send({ method: "POST", path, body: which, field: "handed_in", ...options });
  }

  /**
   * Extension: everything the owner has, line by line, without tokens and secrets.
   *
   * @param options.after the cursor of a line, after which to continue
   * @throws {AnswerError} when the export was cut off
   */
  async *exportOwner({ after, ...options }: ExportOptions = {}): AsyncGenerator<ExportLine, void, undefined> {
    const call = { method: "GET", path: "/v1/owner/export", query: { after }, field: "" } as const;
    const body = await this.#send<ReadableStream<Uint8Array>>({ ...call, read: openLines, ...options });
    yield* linesIn(body, options.signal);
  }

  /** Extension: how many bots and channels the owner may have, and posts in a second. */
  getLimits(options: RequestOptions = {}): Promise<OwnLimits> {
    return this.#send({ method: "GET", path: "/v1/owner/limits", field: "bots", ...options });
  }

  /** Extension: who changed what of the owner's, newest first. */
  listOwnerAudit(options: AuditOptions = {}): Promise<List<AuditEntry>> {
    return readAudit(this.#connection, "/v1/owner/audit", options);
  }

  /** Extension: what the owner and their bots have used, by day. */
  getUsage({ from, to, ...options }: GetUsageOptions = {}): Promise<List<UsageDay>> {
    const query = { from, to };
    return this.#send({ method: "GET", path: "/v1/owner/usage", query, field: "items", ...options });
  }

  /**
   * Extension: erases everything the owner has. A call works for some seconds; call again while it answers `erasing`.
   *
   * @param confirm the owner's user id
   */
  eraseOwner(confirm: string, options: RequestOptions = {}): Promise<EraseStatus> {
    return this.#send({
      method: "DELETE",
      path: "/v1/owner",
      body: { confirm },
      field: "status",
      ...options,
    });
  }

  #send<Body>(call: Call): Promise<Body> {
    return this.#connection.send(call);
  }
}
