import { BotClient } from "../client/bot-client.js";
import type { ClientOptions, RequestOptions } from "../client/connection.js";
import { checkOptions } from "../similar.js";
import type {
  AnyUpdate,
  BotCommand,
  BotIdentity,
  List,
  PutSubscriptionRequest,
  Subscription,
  Update,
} from "../types.js";
import {
  BotError,
  cannotSucceed,
  type ErrorHandler,
  isOutage,
  type Outcome,
  printFailure,
} from "./bot-error.js";
import { Context, markAsOwn, settleContext, whyCancelled } from "./context.js";
import { isErased, POST_CREATED } from "./kinds.js";
import { runPolling } from "./polling.js";
import { Router } from "./router.js";
import { Running } from "./running.js";
import { onFirstSignal } from "./signals.js";
import type { StartOptions } from "./start-options.js";
import { hasTerminal } from "./terminal.js";

export interface BotOptions extends ClientOptions {
  /** Handle the bot's own posts too. By default they are skipped, since an echo bot would answer itself. */
  ownPosts?: boolean;
  /** The bot's identity, for example from an earlier `getMe`, which saves a request. */
  me?: BotIdentity;
}

const OPTIONS = ["url", "timeoutMs", "retries", "fetch", "ownPosts", "me"];

/**
 * A bot: handlers, which get updates from {@link Bot.start} (polling) or from a webhook handler.
 *
 * @example
 * const bot = new Bot(process.env.BOT_TOKEN, { url: "http://127.0.0.1:8080" });
 * bot.onPost((ctx) => ctx.reply(`You said: ${ctx.payload.body}`));
 * await bot.start();
 */
export class Bot extends Router {
  /** All operations of a bot. */
  readonly api: BotClient;
  readonly #ownPosts: boolean;
  #me: Promise<BotIdentity> | undefined;
  #identity: BotIdentity | undefined;
  #polling: { stop(): void; ended: Promise<void> } | undefined;
  readonly #running = new Running();

  /** @throws {TypeError} when the token or the address cannot be one */
  constructor(token: string | undefined, options: BotOptions) {
    super();
    checkOptions("a bot", options, OPTIONS);
    this.api = new BotClient(token, options);
    this.#ownPosts = options.ownPosts ?? false;
    if (options.me) this.#me = Promise.resolve(options.me);
  }

  /** The same as {@link api}. */
  get client(): BotClient {
    return this.api;
  }

  /** The bot's identity, requested once. */
  async me(options: RequestOptions = {}): Promise<BotIdentity> {
    this.#me ??= this.api.getMe(options).catch((error: unknown) => {
      this.#me = undefined;
      throw error;
    });
    this.#identity = await this.#me;
    return this.#identity;
  }

  /**
   * Sets the bot's subscription to the kinds of events that its handlers ask for (with `on`, `onPost`, `command`,
   * `hears` and `mention`), and to posts that mention the bot, when no handler is for other posts. Interactions are heard without it. It
   * applies to events that happen afterwards. The kinds that handlers of `use` and `filter` need are not known; pass them as
   * `event_types`.
   *
   * @param more further kinds, and other fields of the subscription
   * @throws {TypeError} when no handler has asked for a kind
   */
  async subscribe(
    more: Partial<PutSubscriptionRequest> = {},
    options?: RequestOptions,
  ): Promise<Subscription> {
    const { kinds, onlyMentions } = this.wanted();
    const event_types = [...new Set([...kinds, ...(more.event_types ?? [])])];
    if (event_types.length === 0) {
      throw new TypeError(
        "no handler asks for a kind of event: add handlers with on, onPost, command or mention first",
      );
    }
    const posts = onlyMentions ? "mentions" : "all";
    return await this.api.putMySubscription(
      { posts, own_posts: this.#ownPosts, ...more, event_types },
      options,
    );
  }

  /**
   * Tells the service which commands products are to offer: those that were added with an offer, in place of those before. The same again
   * changes nothing. {@link start} does it when there are any; a bot with a webhook calls it at its start, or when it is deployed. Names
   * that the service does not take (upper case, more than 32 characters) are left out: they work as text only.
   */
  registerCommands(options?: RequestOptions): Promise<List<BotCommand>> {
    return this.api.putMyCommands(this.offered(), options);
  }

  /**
   * Polls and handles updates until {@link stop}, the signal, or SIGINT or SIGTERM; then lets running handlers finish, saves the
   * position and resolves. Before that it calls {@link registerCommands}, if there are commands for products.
   *
   * @throws {ServiceError} when the service refuses the token; {@link NetworkError} and {@link AnswerError} when it cannot
   *   be reached at the start (later it waits and polls again)
   */
  async start(options: StartOptions = {}): Promise<void> {
    if (this.#polling) throw new TypeError("the bot is running already");
    const { signal, signals = true } = options;
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    const forgetSignals = signals ? onFirstSignal(stopWith(stop)) : () => {};
    const ended = runPolling(
      {
        api: this.api,
        me: (request) => this.me(request),
        attempt: (update, attempt, isLast, onGivenUp) => this.#attempt(update, attempt, isLast, onGivenUp),
        running: this.#running,
        registerCommands: async (request) => {
          if (this.offered().length > 0) await this.registerCommands(request);
        },
        hasOrders: () => this.hasOrders(),
        orderOf: (update) => this.orderOf(this.#contextOf(update, 1)),
      },
      options,
      stopping.signal,
    );
    this.#polling = { stop, ended };
    try {
      await ended;
    } finally {
      signal?.removeEventListener("abort", stop);
      forgetSignals();
      this.#polling = undefined;
    }
  }

  /** Ends {@link start} gracefully; resolves when it has ended. Errors are thrown by `start`. */
  async stop(): Promise<void> {
    const polling = this.#polling;
    polling?.stop();
    await polling?.ended.catch(() => {});
  }

  /** Runs one update through the handlers, as if the service had sent it. Rejects with what a handler throws. */
  async handle(update: AnyUpdate): Promise<void> {
    const ctx = this.#contextOf(update, 1);
    this.#running.arrived(update);
    this.#running.add(ctx);
    try {
      await this.#run(ctx);
    } finally {
      this.#running.delete(ctx);
    }
  }

  /**
   * Runs one update through the handlers, and through the error handler when they fail. Without one it prints a line.
   *
   * @returns `retry` when the update must be handled again
   */
  async process(update: AnyUpdate, attempt = 1): Promise<Outcome> {
    this.#running.arrived(update);
    return (await this.#attempt(update, attempt)) === "done" ? "done" : "retry";
  }

  /** @param isLast whether a failure is final; undefined when the caller does not count attempts */
  async #attempt(
    update: AnyUpdate,
    attempt: number,
    isLast?: boolean,
    onGivenUp?: ErrorHandler,
  ): Promise<Outcome | "outage"> {
    if (this.#running.isUnwanted(update)) return "done";
    const ctx = this.#contextOf(update, attempt);
    this.#running.add(ctx);
    try {
      await this.#run(ctx);
      return "done";
    } catch (caught) {
      const why = whyCancelled(ctx);
      if (why) return why === "stopped" ? "retry" : "done";
      const cause = caught instanceof BotError ? caught.cause : caught;
      const isDown = isOutage(cause);
      const isFinal = isLast !== undefined && !isDown && (isLast || cannotSucceed(cause));
      const error = new BotError(cause, ctx, isFinal);
      const answer = await (this.onError ?? printFailure)(error);
      if (isFinal && answer !== "skip") await onGivenUp?.(error);
      if (answer === "skip" || isFinal) return "done";
      return isDown ? "outage" : "retry";
    } finally {
      this.#running.delete(ctx);
    }
  }

  #contextOf(update: AnyUpdate, attempt: number): Context {
    return new Context(update as Update, this.api, () => this.me(), attempt, this.#running);
  }

  async #run(ctx: Context): Promise<void> {
    if (isErased(ctx.update)) return;
    if (ctx.update.event_type === POST_CREATED) {
      // Not awaited once it is known: an await would cost each update more than its handler.
      const me = this.#identity ?? (await this.me());
      const { author, author_username } = ctx.update.payload;
      // A user of the platform may have the name of a bot. Posts that are older than authors have the name only.
      if (author ? author.id === me.id : author_username === me.username) {
        if (!this.#ownPosts) return;
        markAsOwn(ctx);
      }
    }
    try {
      await this.run(ctx, async () => {});
    } finally {
      await settleContext(ctx);
    }
  }
}

function stopWith(stop: () => void): (signal: string) => void {
  return (signal) => {
    if (hasTerminal())
      console.error(`botyard: ${signal}: stopping after the running handlers; a second one ends at once`);
    stop();
  };
}
