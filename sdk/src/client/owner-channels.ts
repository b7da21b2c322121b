import type {
  BatchChannel,
  BatchEvent,
  BatchPost,
  BotRole,
  Channel,
  ChannelBatchItem,
  ChannelBot,
  ChannelBotsChange,
  ChannelCommands,
  CreateChannelRequest,
  CreateInteractionRequest,
  CreateOwnerPostRequest,
  CustomEvent,
  DeleteStatus,
  EditChannelRequest,
  EditPostRequest,
  EmitEventRequest,
  EventBatchItem,
  Interaction,
  List,
  Post,
  PostBatchItem,
  PostUpdate,
  PutDirectChannelRequest,
  PutExternalChannelRequest,
} from "../types.js";
import { batchesOn, type Items } from "./batches.js";
import {
  type Call,
  type Connection,
  type CreateOptions,
  channelPath,
  type EditOptions,
  postPath,
  type RequestOptions,
  segment,
} from "./connection.js";
import { channelNamed } from "./find.js";
import type { ListChannelBotsOptions, ListChannelsOptions, ListPostsOptions } from "./owner-options.js";
import { PAGE_ITEMS, pages } from "./pages.js";

/**
 * The operations of an owner on channels, their posts and events: the part of `OwnerClient` that is not about a single
 * bot.
 */
export class OwnerChannels {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Extension: a page of the owner's channels, oldest first. */
  listChannels({ limit, after, externalId, ...options }: ListChannelsOptions = {}): Promise<List<Channel>> {
    return this.#send({
      method: "GET",
      path: "/v1/channels",
      query: { limit, after, external_id: externalId },
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

  /** Extension: creates the channel with this external id, or changes the given fields of an existing one. */
  putExternalChannel(
    externalId: string,
    channel: PutExternalChannelRequest,
    options: RequestOptions = {},
  ): Promise<Channel> {
    const path = `/v1/channels/external/${segment(externalId)}`;
    return this.#send({ method: "PUT", path, body: channel, field: "id", ...options });
  }

  /**
   * Extension: creates or changes channels with their bots, in as many requests as needed. Each result has its own `status`: an invalid item
   * fails alone.
   */
  putExternalChannels(
    channels: Items<BatchChannel>,
    options: RequestOptions = {},
  ): Promise<ChannelBatchItem[]> {
    return batchesOn(this.#connection).putExternalChannels(channels, options);
  }

  /** Extension: the channel with this external id. */
  getExternalChannel(externalId: string, options: RequestOptions = {}): Promise<Channel> {
    const path = `/v1/channels/external/${segment(externalId)}`;
    return this.#send({ method: "GET", path, field: "id", ...options });
  }

  /** Extension: the channel with one bot, for one user of the owner's product or for none; creates it, and attaches the bot. */
  putDirectChannel(
    botId: string,
    channel: PutDirectChannelRequest = {},
    options: RequestOptions = {},
  ): Promise<Channel> {
    const path = `/v1/channels/direct/${segment(botId)}`;
    return this.#send({ method: "PUT", path, body: channel, field: "id", ...options });
  }

  /** Extension: a page of the bots that are attached to a channel, oldest first. */
  listChannelBots(
    channelId: string,
    { limit, after, ...options }: ListChannelBotsOptions = {},
  ): Promise<List<ChannelBot>> {
    const path = `${channelPath(channelId)}/bots`;
    return this.#send({ method: "GET", path, query: { limit, after }, field: "items", ...options });
  }

  /** Extension: the commands that the bots of a channel offer, by bot. */
  listChannelCommands(channelId: string, options: RequestOptions = {}): Promise<List<ChannelCommands>> {
    return this.#send({
      method: "GET",
      path: `${channelPath(channelId)}/commands`,
      field: "items",
      ...options,
    });
  }

  /**
   * Extension: tells a bot of a channel that a user chose its command, or pressed a component under a post. Without an `idempotencyKey` the
   * request is not repeated when it may have arrived.
   */
  createInteraction(
    channelId: string,
    interaction: CreateInteractionRequest,
    options: CreateOptions = {},
  ): Promise<Interaction> {
    const path = `${channelPath(channelId)}/interactions`;
    return this.#send({ method: "POST", path, body: interaction, field: "id", ...options });
  }

  /** Extension: an interaction, and what the bot has responded so far. */
  getInteraction(
    channelId: string,
    interactionId: string,
    options: RequestOptions = {},
  ): Promise<Interaction> {
    const path = `${channelPath(channelId)}/interactions/${segment(interactionId)}`;
    return this.#send({ method: "GET", path, field: "id", ...options });
  }

  /** Extension: attaches exactly these bots, given by their ids or with roles, to a channel, and detaches all others. */
  putChannelBots(
    channelId: string,
    bots: readonly (string | { id: string; role?: BotRole })[],
    options: RequestOptions = {},
  ): Promise<ChannelBotsChange> {
    const path = `${channelPath(channelId)}/bots`;
    const body = bots.every((bot) => typeof bot === "string")
      ? { bot_ids: bots }
      : { bots: bots.map((bot) => (typeof bot === "string" ? { id: bot } : bot)) };
    return this.#send({ method: "PUT", path, body, field: "attached", ...options });
  }

  /** Extension: changes title, description or metadata. */
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

  /** Extension: deletes the channel, detaches its bots and erases its posts. */
  deleteChannel(channelId: string, options: RequestOptions = {}): Promise<DeleteStatus> {
    return this.#send({ method: "DELETE", path: channelPath(channelId), field: "status", ...options });
  }

  /** Extension: a page of a channel's posts, newest first. */
  listChannelPosts(
    channelId: string,
    { limit, before, order, after, ...options }: ListPostsOptions = {},
  ): Promise<List<Post>> {
    const path = `${channelPath(channelId)}/posts`;
    const query = { limit, before, order, after };
    return this.#send({ method: "GET", path, query, field: "items", ...options });
  }

  /** Extension: all posts of a channel, newest first, read page by page. */
  posts(channelId: string, options: RequestOptions = {}): AsyncGenerator<Post, void, undefined> {
    return pages((before) => this.listChannelPosts(channelId, { limit: PAGE_ITEMS, before, ...options }));
  }

  /** Extension: publishes as the owner. Without an `idempotencyKey` the request is not repeated when it may have arrived. */
  createChannelPost(
    channelId: string,
    post: CreateOwnerPostRequest,
    options: CreateOptions = {},
  ): Promise<Post> {
    const path = `${channelPath(channelId)}/posts`;
    return this.#send({ method: "POST", path, body: post, field: "id", ...options });
  }

  /** Extension: the newest revision of a post, whoever published it. */
  getChannelPost(channelId: string, postId: string, options: RequestOptions = {}): Promise<Post> {
    return this.#send({ method: "GET", path: postPath(channelId, postId), field: "revision", ...options });
  }

  /** Extension: changes a post, whoever published it. At most 5 edits of one post in a second. */
  editChannelPost(
    channelId: string,
    postId: string,
    changes: EditPostRequest,
    options: EditOptions = {},
  ): Promise<Post> {
    const path = postPath(channelId, postId);
    return this.#send({ method: "PATCH", path, body: changes, field: "revision", ...options });
  }

  /** Extension: erases a post everywhere, whoever published it. */
  deleteChannelPost(channelId: string, postId: string, options: CreateOptions = {}): Promise<DeleteStatus> {
    return this.#send({ method: "DELETE", path: postPath(channelId, postId), field: "status", ...options });
  }

  /** Extension: a post's update in each bot of its channel, with the state of its delivery; oldest bots first. */
  listPostUpdates(
    channelId: string,
    postId: string,
    { limit, after, ...options }: ListChannelBotsOptions = {},
  ): Promise<List<PostUpdate>> {
    const path = `${postPath(channelId, postId)}/updates`;
    return this.#send({ method: "GET", path, query: { limit, after }, field: "items", ...options });
  }

  /** Extension: emits a custom event to every bot in the channel that hears it. */
  emitChannelEvent(
    channelId: string,
    event: EmitEventRequest,
    options: CreateOptions = {},
  ): Promise<CustomEvent> {
    const path = `${channelPath(channelId)}/events`;
    return this.#send({ method: "POST", path, body: event, field: "id", ...options });
  }

  /**
   * Extension: publishes posts in any of the owner's channels, in as many requests as needed. Each result has its own
   * `status`: an invalid item fails alone. A request whose posts all have an `idempotency_key` is repeated after a
   * failure.
   */
  createPosts(posts: Items<BatchPost>, options: RequestOptions = {}): Promise<PostBatchItem[]> {
    return batchesOn(this.#connection).createPosts(posts, options);
  }

  /** Extension: emits custom events in any of the owner's channels and to any of their bots, as {@link createPosts}. */
  emitEvents(events: Items<BatchEvent>, options: RequestOptions = {}): Promise<EventBatchItem[]> {
    return batchesOn(this.#connection).emitEvents(events, options);
  }

  #send<Body>(call: Call): Promise<Body> {
    return this.#connection.send(call);
  }
}
