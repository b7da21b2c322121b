import type { BotClient } from "../client/bot-client.js";
import type { CreateOptions, EditOptions, RequestOptions } from "../client/connection.js";
import type {
  AnyUpdate,
  BotChannel,
  BotIdentity,
  BotPost,
  CreateChannelPostRequest,
  DeleteStatus,
  EditPostRequest,
  EventType,
  InteractionUser,
  KnownEventType,
  PayloadOf,
  Post,
  RespondRequest,
  Update,
} from "../types.js";
import { type InteractionPayload, interactionIn, userIn } from "./interaction.js";
import { type StreamReplyOptions, streamReply } from "./stream-reply.js";

/** The channel that an update is about. */
export interface ContextChannel {
  /** The channel's id. */
  readonly id: string;
  /** Publishes a post in it; only once, also when the handler runs again (see {@link Context.reply}). */
  post(post: string | CreateChannelPostRequest, options?: CreateOptions): Promise<BotPost>;
  /** Reads its slug, title and so on from the service; undefined when the bot is no longer attached to it. */
  get(options?: RequestOptions): Promise<BotChannel | undefined>;
}

/** The type of {@link Context.reply}: a function, with `stream` as a property. */
export interface Reply {
  (post: string | CreateChannelPostRequest, options?: CreateOptions): Promise<BotPost>;
  /**
   * Publishes a text that is still being written, such as the answer of a language model: a post with its beginning,
   * edited at most 3 times a second, until it has the whole text. Text that does not fit into a post continues in
   * another one.
   *
   * @param parts the text, piece by piece
   * @returns the posts, in order; none when there was no text
   */
  stream(parts: AsyncIterable<string>, options?: StreamReplyOptions): Promise<BotPost[]>;
}

/** What the middleware `session` keeps from one update to the next. Declare its fields by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: bots add their fields to it
export interface SessionData {}

/** Posts of the bot's own, as replies and lists give them. */
export type OwnPost = Pick<BotPost, "id" | "channel_id">;

/** Why a handler was told to end; the update then counts as handled, unless the bot stops. */
export type Cancelled = "deleted" | "others" | "stopped";

/** The handlers of a bot that are running. */
interface RunningHandlers {
  cancelOthers(own: Context, isMeant?: (other: Context) => boolean): number;
}

/** For the bot and its middleware, not for handlers: set by {@link Context}. */
export let cancelContext: (ctx: Context, why: Cancelled, reason: Error) => boolean;
/** Why a context was cancelled; undefined when it was not. */
export let whyCancelled: (ctx: Context) => Cancelled | undefined;
/** Whether the update is about a post of the bot's own. */
export let isOwn: (ctx: Context) => boolean;
export let markAsOwn: (ctx: Context) => void;
/** Sets the session of the handlers. */
export let openSession: (ctx: Context, session: { data: SessionData | undefined }) => void;
/**
 * Waits, after the handlers have ended, for calls that they began without awaiting them, so that a failure becomes the handlers'
 * failure and not an unhandled rejection.
 */
export let settleContext: (ctx: Context) => Promise<unknown> | undefined;

/** The argument of handlers: an update, and ways to respond to it. */
export class Context<Kind extends EventType = EventType> {
  /** The update that is handled. */
  readonly update: Update<Kind>;
  /** All operations of a bot, for everything without a shortcut here. */
  readonly api: BotClient;
  /** 1, 2, 3 … with polling, each time the update is handled again. With a webhook always 1. */
  readonly attempt: number;
  /** In a handler of a command: its name. */
  command: string | undefined;
  /** In a handler of a command: what follows it. */
  args: readonly string[] = [];
  /** In a handler of `hears` with a pattern: the pattern's match. */
  match: RegExpExecArray | undefined;
  /** In a handler of a command that products offer: the values of its options, by name. */
  options: unknown;
  /** In a handler of a button or select: what the `*` at the end of the id stands for. */
  rest: string | undefined;
  /** In a handler of a button: its value, if it has one. */
  value: string | undefined;
  /** In a handler of a select: the values that were chosen. */
  values: readonly string[] = [];
  readonly #me: () => Promise<BotIdentity>;
  /** How many posts and responses the handlers have made with a key of the context. */
  #posts = 0;
  #session: { data: SessionData | undefined } | undefined;
  readonly #running: RunningHandlers | undefined;
  #isOwn = false;
  #aborting: AbortController | undefined;
  #cancelled: { why: Cancelled; reason: Error } | undefined;
  /** Posts, edits, deletions and responses in progress. */
  readonly #begun = new Set<Promise<unknown>>();

  /** @param me returns the bot's identity; by default the service is asked */
  constructor(
    update: Update<Kind>,
    api: BotClient,
    me: () => Promise<BotIdentity> = () => api.getMe(),
    attempt = 1,
    running?: RunningHandlers,
  ) {
    this.update = update;
    this.api = api;
    this.#me = me;
    this.attempt = attempt;
    this.#running = running;
  }

  static {
    cancelContext = (ctx, why, reason) => ctx.#cancel(why, reason);
    whyCancelled = (ctx) => ctx.#cancelled?.why;
    isOwn = (ctx) => ctx.#isOwn;
    markAsOwn = (ctx) => {
      ctx.#isOwn = true;
    };
    openSession = (ctx, session) => {
      ctx.#session = session;
    };
    // Nearly all handlers have awaited their calls.
    settleContext = (ctx) => (ctx.#begun.size === 0 ? undefined : Promise.all(ctx.#begun));
  }

  /**
   * Aborted when what the handler does is no longer wanted: the post that it answers was deleted (known to bots that subscribe to
   * deletions), {@link cancelOthers} was called, or the bot has stopped and waited for `stopTimeoutMs`. Pass it to whatever takes
   * long. A handler that ends by it counts as succeeded, except at a stop: then the update comes again.
   */
  get signal(): AbortSignal {
    if (!this.#aborting) {
      this.#aborting = new AbortController();
      if (this.#cancelled) this.#aborting.abort(this.#cancelled.reason);
    }
    return this.#aborting.signal;
  }

  /**
   * Cancels what other handlers of this channel are doing, by their {@link signal}, as `/stop` should: its handler must not wait
   * for them (`bot.order("none").command("stop", …)`).
   *
   * @param isMeant says which of them; all unless given
   * @returns how many were told
   */
  cancelOthers(isMeant?: (other: Context) => boolean): number {
    return this.#running?.cancelOthers(this, isMeant) ?? 0;
  }

  /** The same as {@link api}. */
  get client(): BotClient {
    return this.api;
  }

  /** The payload of the event. */
  get payload(): PayloadOf<Kind> {
    return this.update.payload as PayloadOf<Kind>;
  }

  /**
   * Whether the update is of this kind; then its payload has the type of that kind.
   *
   * @example
   * if (ctx.is("channel.post_edited")) console.log(ctx.payload.revision);
   */
  is<Known extends KnownEventType>(kind: Known): this is Context<Known> {
    return (this.update.event_type as string) === kind;
  }

  /** The interaction of the update, to which {@link reply}, {@link answer} and so on respond; undefined when it is of another kind. */
  get interaction(): InteractionPayload | undefined {
    return interactionIn(this.update);
  }

  /** Who published the post, chose the command or pressed the button; undefined when nobody is known. */
  get user(): InteractionUser | undefined {
    return userIn(this.update);
  }

  /** The bot that handles the update. */
  me(): Promise<BotIdentity> {
    return this.#me();
  }

  /**
   * The channel that the event happened in.
   *
   * @throws {TypeError} when it has none
   */
  get channel(): ContextChannel {
    const { api, update } = this;
    const id = channelIdOf(update);
    if (id === undefined) throw new TypeError(`${update.event_type} has no channel`);
    return {
      id,
      post: (post, { idempotencyKey, ...options } = {}) => {
        // Counted before anything is awaited, so that it depends only on the order of the calls.
        const key = idempotencyKey ?? this.#nextKey();
        const publish = async () =>
          api.createBotPost(id, contentOf(post), { ...options, idempotencyKey: await key });
        return this.#begin(publish());
      },
      async get(options) {
        const { items } = await api.listMyChannels(options);
        return items.find((channel) => channel.id === id);
      },
    };
  }

  /**
   * Publishes in the channel the update came from, and responds to its interaction, if it is one. When the handler runs again for the
   * same update, its replies are not published again: each has an idempotency key made of the bot, the update and the number of replies
   * before it.
   */
  get reply(): Reply {
    const reply = (post: string | CreateChannelPostRequest, options?: CreateOptions): Promise<BotPost> => {
      const { reply_to, ...content } = contentOf(post);
      // A response answers no post.
      if (!this.interaction || reply_to !== undefined) return this.channel.post(post, options);
      return this.#respond({ type: "post", ...content }, options);
    };
    return Object.assign(reply, {
      stream: (parts: AsyncIterable<string>, options?: StreamReplyOptions) => {
        // The first post responds to the interaction. What does not fit into it might be more posts than that takes.
        let post = reply;
        const publish = (body: string, request: RequestOptions) => {
          const publishing = post(body, request);
          post = (more, further) => this.channel.post(more, further);
          return publishing;
        };
        return streamReply(
          parts,
          { post: publish, edit: (one, body, request) => this.edit(one, body, request) },
          { ...options, signal: options?.signal ?? this.signal },
        );
      },
    });
  }

  /**
   * The same as an answer to the post that the update is about, or that was pressed: it has that as `reply_to`. Such a post does not
   * respond to the interaction. For a command that was chosen, which is no post, it is {@link reply}.
   *
   * @throws {TypeError} when the update is about no post
   */
  replyTo(post: string | CreateChannelPostRequest, options?: CreateOptions): Promise<BotPost> {
    const id = postIdOf(this.update);
    if (id === undefined && !this.interaction) throw new TypeError(`${this.update.event_type} has no post`);
    return this.reply(id === undefined ? post : { ...contentOf(post), reply_to: id }, options);
  }

  /**
   * Responds to the interaction with what its user alone is shown. Posts have no such way: there it is {@link replyTo}, which all see.
   *
   * @throws {TypeError} when the update is neither an interaction nor about a post
   */
  answer(content: string | CreateChannelPostRequest, options?: CreateOptions): Promise<unknown> {
    const { reply_to: _, ...shown } = contentOf(content);
    return this.interaction
      ? this.#respond({ type: "private", ...shown }, options)
      : this.replyTo(shown, options);
  }

  /**
   * Responds to the interaction with an edit of the post that was pressed: its text, or the fields that are given. `components: []`
   * removes its buttons. With `ifRevision: ctx.interaction.post.revision` it counts only while the post is as it was pressed.
   *
   * @throws {TypeError} when no post was pressed
   */
  updatePost(changes: string | EditPostRequest, options?: CreateOptions & EditOptions): Promise<Post> {
    if (!this.interaction?.post) {
      throw new TypeError("no post was pressed that could be updated");
    }
    return this.#respond({ type: "update", ...contentOf(changes) }, options);
  }

  /** Tells the product that the bot is at work, when an interaction takes long. Does nothing for posts. */
  working(options?: CreateOptions): Promise<unknown> {
    return this.interaction ? this.#respond({ type: "working" }, options) : Promise.resolve();
  }

  /** Changes a post of the bot's own: its text, or the fields that are given. */
  edit(post: OwnPost, changes: string | EditPostRequest, options?: EditOptions): Promise<Post> {
    return this.#begin(this.api.editBotPost(post.channel_id, post.id, contentOf(changes), options));
  }

  /** Erases a post of the bot's own, everywhere. */
  delete(post: OwnPost, options?: RequestOptions): Promise<DeleteStatus> {
    return this.#begin(this.api.deleteBotPost(post.channel_id, post.id, options));
  }

  /**
   * The session that the middleware `session` keeps. Change it, or assign a new one; `undefined` removes it.
   *
   * @throws {TypeError} when there is no session
   */
  get session(): SessionData {
    const { data } = this.#opened();
    if (data === undefined) throw new TypeError("the session was removed: set another one first");
    return data;
  }

  set session(data: SessionData | undefined) {
    this.#opened().data = data;
  }

  #cancel(why: Cancelled, reason: Error): boolean {
    if (this.#cancelled) return false;
    this.#cancelled = { why, reason };
    this.#aborting?.abort(reason);
    return true;
  }

  #begin<Result>(request: Promise<Result>): Promise<Result> {
    const begun = request.finally(() => this.#begun.delete(begun));
    this.#begun.add(begun);
    return begun;
  }

  #opened(): { data: SessionData | undefined } {
    if (this.#session) return this.#session;
    throw new TypeError(
      "there is no session: add bot.use(session()) before the handler, for events that have a channel",
    );
  }

  /** @returns the post that it published or edited, if it did */
  #respond(
    response: RespondRequest,
    { idempotencyKey, ...options }: CreateOptions & EditOptions = {},
  ): Promise<Post> {
    const { api } = this;
    const { interaction_id: id, channel_id } = this.interaction as InteractionPayload;
    const key = idempotencyKey ?? this.#nextKey();
    const send = async () => {
      const responded = await api.respondToInteraction(id, response, {
        ...options,
        idempotencyKey: await key,
      });
      if (responded.post || !responded.response.post) return responded.post as Post;
      // The handler runs again.
      const { earlierPost } = await import("./responded-post.js");
      return await earlierPost(api, channel_id, responded);
    };
    return this.#begin(send());
  }

  async #nextKey(): Promise<string> {
    this.#posts += 1;
    const number = this.#posts;
    return `${(await this.#me()).id}:${this.update.update_id}:${number}`;
  }
}

/** The channel of an update, if it has one. */
export function channelIdOf(update: AnyUpdate): string | undefined {
  const { channel_id: id } = (update.payload ?? {}) as { channel_id?: unknown };
  return typeof id === "string" ? id : undefined;
}

/** The post that an update is about, or that was pressed. */
export function postIdOf(update: AnyUpdate): string | undefined {
  const { post_id: id } = (update.payload ?? {}) as { post_id?: string };
  return id ?? interactionIn(update)?.post?.id;
}

function contentOf<Content extends { body?: string }>(content: string | Content): Content {
  return typeof content === "string" ? ({ body: content } as Content) : content;
}
