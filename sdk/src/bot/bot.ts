import { BotClient } from "../client/bot-client.js";
import type { ClientOptions, RequestOptions } from "../client/connection.js";
import type { BotIdentity, EventType, Update } from "../types.js";
import { BotError, type ErrorHandler, type Outcome } from "./bot-error.js";
import { Context } from "./context.js";
import { type Handler, type Registered, runHandlers } from "./handlers.js";
import { runPolling, type StartOptions } from "./polling.js";

export interface BotOptions extends ClientOptions {
  /** Handle the bot's own posts too. They are skipped unless this is true, or an echo bot would answer itself. */
  ownPosts?: boolean;
  /** The bot's identity, for example from an earlier `getMe`, which saves a request. */
  me?: BotIdentity;
}

/**
 * A bot: handlers, which get updates from {@link Bot.start} (polling) or from a webhook handler.
 *
 * @example
 * const bot = new Bot(process.env.BOT_TOKEN, { url: "http://127.0.0.1:8080" });
 * bot.onPost((ctx) => ctx.reply(`You said: ${ctx.payload.body}`));
 * await bot.start();
 */
export class Bot {
  /** All operations of a bot. */
  readonly client: BotClient;
  readonly #ownPosts: boolean;
  readonly #handlers: Registered[] = [];
  #onError: ErrorHandler | undefined;
  #me: Promise<BotIdentity> | undefined;
  #running: { stop(): void; ended: Promise<void> } | undefined;

  /** @throws {TypeError} when the token or the address cannot be one */
  constructor(token: string, options: BotOptions) {
    this.client = new BotClient(token, options);
    this.#ownPosts = options.ownPosts ?? false;
    if (options.me) this.#me = Promise.resolve(options.me);
  }

  /** Adds handlers for every update. */
  use(...handlers: Handler[]): this {
    for (const handler of handlers) this.#handlers.push({ event: undefined, handler });
    return this;
  }

  /** Adds handlers for one kind of event. */
  on<Event extends EventType>(event: Event, ...handlers: Handler<Event>[]): this {
    for (const handler of handlers) this.#handlers.push({ event, handler: handler as Handler });
    return this;
  }

  /** Adds handlers for new posts in the bot's channels. */
  onPost(...handlers: Handler<"channel.post_created">[]): this {
    return this.on("channel.post_created", ...handlers);
  }

  /** Sets the error handler. Without it the first failure ends {@link start}. */
  catch(handler: ErrorHandler): this {
    this.#onError = handler;
    return this;
  }

  /** The bot's identity, requested once. */
  async me(options: RequestOptions = {}): Promise<BotIdentity> {
    this.#me ??= this.client.getMe(options).catch((error: unknown) => {
      this.#me = undefined;
      throw error;
    });
    return await this.#me;
  }

  /**
   * Polls and handles updates until {@link stop} or the signal; then lets running handlers finish, saves the position and
   * resolves.
   *
   * @throws {ServiceError} when the service refuses the token; {@link NetworkError} and {@link AnswerError} when it cannot
   *   be reached at the start (later it waits and polls again); {@link BotError} when a handler fails and there is no error handler
   */
  async start(options: StartOptions = {}): Promise<void> {
    if (this.#running) throw new TypeError("the bot is running already");
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    if (options.signal?.aborted) stop();
    options.signal?.addEventListener("abort", stop, { once: true });
    const ended = runPolling(this, options, stopping.signal);
    this.#running = { stop, ended };
    try {
      await ended;
    } finally {
      options.signal?.removeEventListener("abort", stop);
      this.#running = undefined;
    }
  }

  /** Ends {@link start} gracefully; resolves when it has ended. Errors are thrown by `start`. */
  async stop(): Promise<void> {
    const running = this.#running;
    running?.stop();
    await running?.ended.catch(() => {});
  }

  /** Runs one update through the handlers, as if the service had sent it. Rejects with what a handler throws. */
  async handle(update: Update): Promise<void> {
    await this.#run(this.#contextOf(update));
  }

  /**
   * Runs one update through the handlers, and through the error handler when they fail.
   *
   * @throws {BotError} when a handler fails and there is no error handler
   */
  async process(update: Update, attempt = 1): Promise<Outcome> {
    const ctx = this.#contextOf(update);
    try {
      await this.#run(ctx);
      return "done";
    } catch (cause) {
      const error = new BotError(cause, ctx, attempt);
      if (!this.#onError) throw error;
      return (await this.#onError(error)) === "skip" ? "done" : "retry";
    }
  }

  #contextOf(update: Update): Context {
    return new Context(update, this.client, async () => (await this.me()).id);
  }

  async #run(ctx: Context): Promise<void> {
    if (!this.#ownPosts && ctx.update.event_type === "channel.post_created") {
      const { username } = await this.me();
      if (ctx.update.payload.author_username === username) return;
    }
    await runHandlers(this.#handlers, ctx);
  }
}
