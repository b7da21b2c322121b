import { AnswerError } from "../errors.js";
import type {
  BotChannel,
  BotCommand,
  BotIdentity,
  BotPost,
  Consumer,
  CreateChannelPostRequest,
  CustomEvent,
  DeleteStatus,
  EditPostRequest,
  EmitBotEventRequest,
  GivenUp,
  GivenUpStatus,
  GiveUpRequest,
  List,
  MoveConsumerRequest,
  Post,
  PutSubscriptionRequest,
  RespondedInteraction,
  RespondRequest,
  Subscription,
  Update,
} from "../types.js";
import { readAnswer } from "./answer.js";
import {
  type ClientOptions,
  type Connection,
  type CreateOptions,
  connect,
  type EditOptions,
  type RequestOptions,
  segment,
} from "./connection.js";
import { channelNamed } from "./find.js";
import {
  type LogReset,
  nextUpdates,
  type PollOptions,
  printLogReset,
  type UpdatePage,
} from "./next-updates.js";
import type { ListPostsOptions } from "./owner-options.js";
import { storingPosition } from "./store-position.js";
import { type StreamOptions, streamUpdates } from "./stream-updates.js";

const COMMANDS = "/v1/bot-api/commands";

/** Which updates to iterate over. */
export interface UpdatesOptions extends RequestOptions {
  /** The number after which to begin. 0, the oldest that is kept, unless given. */
  offset?: number;
  /**
   * Extension: the name of a consumer, in place of `offset`. It begins after the position that the service keeps, and
   * moves that position after each page and when the loop ends, to the last update that the loop has finished.
   */
  consumer?: string | undefined;
  /**
   * Called when the log ends before the last update that was read, because the service has lost data; it continues from the
   * end of the log. Unless given, it prints a line on `console.error`; throw to end instead.
   */
  onLogReset?(reset: LogReset): void;
}

/** A poll may take this much longer than it was asked to wait. */
const POLL_GRACE_MS = 10_000;

/** The operations of a bot, one method for each. Each may reject with one of the three kinds of errors. */
export class BotClient {
  readonly #connection: Connection;

  /** @throws {TypeError} when the token or the address cannot be one */
  constructor(token: string | undefined, options: ClientOptions) {
    if (looksLikeOwnerToken(token)) {
      throw new TypeError("this is the token of an owner: a bot needs its own, which begins with bot_");
    }
    this.#connection = connect(token, options);
  }

  /** The bot that the token belongs to. */
  getMe(options: RequestOptions = {}): Promise<BotIdentity> {
    return this.#connection.send({ method: "GET", path: "/v1/bot-api/me", field: "username", ...options });
  }

  /** The channels the bot is attached to, oldest first. */
  listMyChannels(options: RequestOptions = {}): Promise<List<BotChannel>> {
    return this.#connection.send({ method: "GET", path: "/v1/bot-api/channels", field: "items", ...options });
  }

  /** The same channels, one after the other. */
  async *channels(options: RequestOptions = {}): AsyncGenerator<BotChannel, void, undefined> {
    yield* (await this.listMyChannels(options)).items;
  }

  /** The channel with this slug or id among those the bot is attached to, or undefined. */
  findChannel(slugOrId: string, options: RequestOptions = {}): Promise<BotChannel | undefined> {
    return channelNamed(this.channels(options), slugOrId);
  }

  /** Extension: which events the bot hears. */
  getMySubscription(options: RequestOptions = {}): Promise<Subscription> {
    const path = "/v1/bot-api/subscription";
    return this.#connection.send({ method: "GET", path, field: "event_types", ...options });
  }

  /** Extension: sets which events the bot hears, for what happens afterwards. */
  putMySubscription(
    to: Pick<PutSubscriptionRequest, "event_types"> & Partial<PutSubscriptionRequest>,
    options: RequestOptions = {},
  ): Promise<Subscription> {
    const path = "/v1/bot-api/subscription";
    return this.#connection.send({ method: "PUT", path, body: to, field: "event_types", ...options });
  }

  /** Extension: the commands that the bot offers in its channels. */
  getMyCommands(options: RequestOptions = {}): Promise<List<BotCommand>> {
    return this.#connection.send({ method: "GET", path: COMMANDS, field: "items", ...options });
  }

  /** Extension: sets them, in place of those before. The same again changes nothing. */
  putMyCommands(commands: readonly BotCommand[], options: RequestOptions = {}): Promise<List<BotCommand>> {
    return this.#connection.send({
      method: "PUT",
      path: COMMANDS,
      body: { commands },
      field: "items",
      ...options,
    });
  }

  /**
   * Publishes a post. Without an `idempotencyKey` the request is not repeated when it may have arrived, since the post
   * could be published twice.
   */
  createBotPost(
    channelId: string,
    post: CreateChannelPostRequest,
    options: CreateOptions = {},
  ): Promise<BotPost> {
    return this.#connection.send({
      method: "POST",
      path: postsPath(channelId),
      body: post,
      field: "id",
      ...options,
    });
  }

  /**
   * Extension: a page of a channel's posts, newest first: all of them as moderator, those since the bot was attached as member.
   */
  listBotPosts(
    channelId: string,
    { limit, before, order, after, ...options }: ListPostsOptions = {},
  ): Promise<List<Post>> {
    const path = postsPath(channelId);
    return this.#connection.send({
      method: "GET",
      path,
      query: { limit, before, order, after },
      field: "items",
      ...options,
    });
  }

  /** Extension: emits a custom event to the other bots of a channel, with the bot as its `author`. */
  emitMyEvent(
    channelId: string,
    event: EmitBotEventRequest,
    options: CreateOptions = {},
  ): Promise<CustomEvent> {
    const path = `/v1/bot-api/channels/${segment(channelId)}/events`;
    return this.#connection.send({ method: "POST", path, body: event, field: "id", ...options });
  }

  /** Extension: the newest revision of a post of the bot's own, or that its role lets it read. */
  getBotPost(channelId: string, postId: string, options: RequestOptions = {}): Promise<Post> {
    const path = `${postsPath(channelId)}/${segment(postId)}`;
    return this.#connection.send({ method: "GET", path, field: "revision", ...options });
  }

  /**
   * Extension: changes a post of the bot's own. At most 5 edits of one post in a second; beyond that it waits as long
   * as the service asks.
   */
  editBotPost(
    channelId: string,
    postId: string,
    changes: EditPostRequest,
    options: EditOptions = {},
  ): Promise<Post> {
    const path = `${postsPath(channelId)}/${segment(postId)}`;
    return this.#connection.send({ method: "PATCH", path, body: changes, field: "revision", ...options });
  }

  /** Extension: erases a post of the bot's own, as moderator any, everywhere. */
  deleteBotPost(channelId: string, postId: string, options: CreateOptions = {}): Promise<DeleteStatus> {
    const path = `${postsPath(channelId)}/${segment(postId)}`;
    return this.#connection.send({ method: "DELETE", path, field: "status", ...options });
  }

  /**
   * Extension: responds to an interaction, up to five times within 15 minutes; with `ifRevision`, to edit the post only while it has that revision. Without an `idempotencyKey` the request is not repeated when it
   * may have arrived.
   */
  respondToInteraction(
    interactionId: string,
    response: RespondRequest,
    options: CreateOptions & EditOptions = {},
  ): Promise<RespondedInteraction> {
    const path = `/v1/bot-api/interactions/${segment(interactionId)}/responses`;
    return this.#connection.send({ method: "POST", path, body: response, field: "response", ...options });
  }

  /** One read of the bot's log: the updates above `offset`, ascending. */
  async pollUpdates({
    offset = 0,
    consumer,
    reader,
    leaving,
    limit,
    timeout = 0,
    ...options
  }: PollOptions = {}): Promise<UpdatePage> {
    const page = await this.#connection.send<UpdatePage>({
      method: "GET",
      path: "/v1/bot-api/updates",
      query: { ...(consumer === undefined ? { offset } : { consumer }), reader, leaving, limit, timeout },
      field: "items",
      headers: { accept: "application/json" },
      read: readPage,
      ...(timeout > 0 ? { timeoutMs: timeout * 1000 + POLL_GRACE_MS } : {}),
      ...options,
    });
    checkPage(page, offset);
    return page;
  }

  /** Extension: the bot's consumers, the positions that the service keeps for it, oldest first. */
  listConsumers(options: RequestOptions = {}): Promise<List<Consumer>> {
    return this.#connection.send({
      method: "GET",
      path: "/v1/bot-api/consumers",
      field: "items",
      ...options,
    });
  }

  /** Extension: reports up to where a consumer has handled the updates. Forward only, unless `rewind` is true. */
  moveConsumer(name: string, to: MoveConsumerRequest, options: RequestOptions = {}): Promise<Consumer> {
    const path = consumerPath(name);
    return this.#connection.send({ method: "PUT", path, body: to, field: "position", ...options });
  }

  /** Extension: forgets a consumer. */
  deleteConsumer(name: string, options: RequestOptions = {}): Promise<DeleteStatus> {
    const path = consumerPath(name);
    return this.#connection.send({ method: "DELETE", path, field: "status", ...options });
  }

  /** Extension: the updates that the bot gave up while it read for a consumer, the highest numbers first. */
  listMyGivenUp(name: string, options: RequestOptions = {}): Promise<List<GivenUp>> {
    return this.#connection.send({ method: "GET", path: givenUpPath(name), field: "items", ...options });
  }

  /** Extension: lists an update as given up, for the owner to see and to hand in again. */
  giveUpUpdate(
    name: string,
    updateId: number,
    why: GiveUpRequest,
    options: RequestOptions = {},
  ): Promise<GivenUpStatus> {
    const path = `${givenUpPath(name)}/${updateId}`;
    return this.#connection.send({ method: "PUT", path, body: why, field: "status", ...options });
  }

  /** Extension: takes an update from that list, since it is handled. */
  forgetGivenUp(name: string, updateId: number, options: RequestOptions = {}): Promise<GivenUpStatus> {
    const path = `${givenUpPath(name)}/${updateId}`;
    return this.#connection.send({ method: "DELETE", path, field: "status", ...options });
  }

  /**
   * Extension: updates as they are recorded, over one connection: those above `offset`, or from now on. Ends without an error
   * when the signal is aborted; reconnects when the connection is lost.
   */
  streamUpdates(options: StreamOptions = {}): AsyncGenerator<Update, void, undefined> {
    return streamUpdates(this.#connection, "/v1/bot-api/updates/stream", options);
  }

  /**
   * All updates above `offset`, and then each new one, until the signal is aborted (it ends without an error) or the service
   * refuses. Once the service has answered, temporary failures are retried.
   */
  async *updates({
    offset = 0,
    consumer,
    signal,
    onLogReset = printLogReset,
  }: UpdatesOptions = {}): AsyncGenerator<Update, void, undefined> {
    const store = async ({ update_id: position }: Update) => {
      offset = position;
      if (consumer !== undefined) await this.moveConsumer(consumer, { position });
    };
    const continueFrom = (reset: LogReset): void => {
      onLogReset(reset);
      offset = reset.head;
    };
    const from = consumer === undefined ? { offset } : { consumer };
    const first = await this.pollUpdates({ ...from, signal }).catch((error: unknown): UpdatePage => {
      if (signal?.aborted) return { items: [] };
      throw error;
    });
    if (first.logHead !== undefined) continueFrom({ offset, head: first.logHead });
    let { items } = first;
    for (;;) {
      yield* storingPosition(items, store, signal);
      if (signal?.aborted) return;
      items = await nextUpdates(
        (options) => this.pollUpdates(options),
        { offset, consumer, signal },
        { onPollFailure: () => {}, onLogReset: continueFrom },
      );
    }
  }
}

/** Tokens of owners are JWTs: three parts of base64url, the first of which is JSON. */
function looksLikeOwnerToken(token: unknown): boolean {
  return typeof token === "string" && /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(token);
}

function consumerPath(name: string): string {
  return `/v1/bot-api/consumers/${segment(name)}`;
}

function givenUpPath(name: string): string {
  return `${consumerPath(name)}/given-up`;
}

function postsPath(channelId: string): string {
  return `/v1/bot-api/channels/${segment(channelId)}/posts`;
}

async function readPage(response: Response, url: string): Promise<object> {
  const answer = await readAnswer(response, url, "items");
  const header = (name: string) => response.headers.get(`botyard-${name}`);
  const [head, tail, otherReader] = ["log-head", "log-tail", "consumer-reader"].map(header);
  return {
    ...answer,
    ...(head && { logHead: Number(head) }),
    ...(tail && { logTail: Number(tail) }),
    ...(otherReader && { otherReader }),
  };
}

/** The next offset comes from the page, and a wrong one would skip updates for good. */
function checkPage({ items, logHead }: UpdatePage, offset: number): void {
  let last = offset;
  const isLog =
    Array.isArray(items) &&
    items.every((update: Partial<Update> | null) => {
      const id = update?.update_id;
      if (!Number.isSafeInteger(id) || (id as number) <= last) return false;
      last = id as number;
      return (
        typeof update?.event_type === "string" &&
        typeof update.payload === "object" &&
        update.payload !== null
      );
    });
  const isBefore =
    logHead === undefined || (Number.isSafeInteger(logHead) && logHead >= 0 && logHead < offset);
  if (isLog && isBefore && (logHead === undefined || items.length === 0)) return;
  throw new AnswerError("the answer holds no list of updates above the offset: is that a Botyard service?", {
    status: 200,
    isPassing: false,
  });
}
