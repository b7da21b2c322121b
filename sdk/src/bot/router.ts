import type { Author, BotCommand, EventPattern, EventType, KnownEventType, MatchedBy } from "../types.js";
import { BotError, type ErrorHandler } from "./bot-error.js";
import { COMMAND_NAME } from "./command-line.js";
import type {
  Command,
  CommandMatch,
  CommandOffer,
  OfferedCommandMatch,
  OptionSpec,
} from "./command-offer.js";
import { isCalled, isChosen, offeredAs, withOptions } from "./commands.js";
import { type Context, isOwn } from "./context.js";
import { type Handler, type Next, type Registered, runHandlers } from "./handlers.js";
import { authorIn, type ButtonMatch, INTERACTION_CREATED, type SelectMatch } from "./interaction.js";
import { checkKind, isOfKind, POST_CREATED, POST_EDITED } from "./kinds.js";
import { checkOrder, type Order } from "./order.js";
import { mentionsBot, textTest } from "./post-texts.js";
import { idMatcher, withPressed } from "./pressed.js";
import { type Asked, type Wanted, wantedOf } from "./wanted.js";

type Created = "channel.post_created";
type Interacting = typeof INTERACTION_CREATED;
/** The kinds of events whose text may mention somebody. */
type Mentioning = Created | "channel.post_edited";

/** Who published a post: a bot, the channel's owner, or somebody on whose behalf the platform publishes. */
export type AuthorType = Author["type"] | "user";

const AUTHOR_TYPES: ReadonlySet<AuthorType> = new Set(["bot", "owner", "user"]);

/** What the context of a `hears` handler has in addition, when it is for patterns only. */
export interface PatternMatch {
  /** What the pattern found. */
  match: RegExpExecArray;
}

/** An entry of a router. */
interface Entry extends Registered, Asked {
  /** What `off` looks for. */
  added: unknown;
  router?: Router | undefined;
  order?: Order | undefined;
  /** Whether its handlers are for posts, of which those of bots are left out. */
  isForPosts?: boolean;
  /** Whether the authors are chosen by `from`. */
  hasAuthors?: boolean;
  commands?: readonly Command[];
  /** Those of the commands that products offer. */
  offers?: readonly BotCommand[];
}

/**
 * Handlers and which updates they are for. Every {@link Bot} is a router; larger bots are made of several, each in a file of its
 * own.
 *
 * @example
 * const tickets = new Router();
 * tickets.command("close", (ctx) => ctx.reply(`Closed ${ctx.args[0]}`));
 * bot.use(tickets);
 */
export class Router<Kind extends EventType = EventType> {
  #entries: Entry[] = [];
  #onError: ErrorHandler | undefined;
  #isForPosts = false;
  #hasAuthors = false;

  /** Adds handlers, or other routers, for every update that gets here. */
  use(...added: (Handler<Kind> | Router<Kind> | Router)[]): this {
    for (const one of added) {
      if (one instanceof Router) this.#addRouter(one as unknown as Router, {});
      else this.#add(one as Handler, {});
    }
    return this;
  }

  /**
   * Adds handlers for one kind of event, for all kinds with a prefix (`ticket.*`), or for several; without handlers it
   * returns a router for them, which can narrow further: `bot.on("channel.post_created").from("user").use(handler)`.
   *
   * @throws {TypeError} when no event can be of this kind
   */
  on<Name extends KnownEventType | EventPattern>(kinds: Name | readonly Name[]): Router<MatchedBy<Name>>;
  on<Name extends KnownEventType | EventPattern>(
    kinds: Name | readonly Name[],
    ...handlers: Handler<MatchedBy<Name>>[]
  ): this;
  on<Name extends KnownEventType | EventPattern>(
    kinds: Name | readonly Name[],
    ...handlers: Handler<MatchedBy<Name>>[]
  ): this | Router<MatchedBy<Name>> {
    const names = (Array.isArray(kinds) ? kinds : [kinds]) as readonly string[];
    for (const name of names) checkKind(name);
    const test = ({ update }: Context) => names.some((name) => isOfKind(update.event_type, name));
    return this.#addAll({ test, kinds: names }, handlers) as this;
  }

  /**
   * Adds handlers for new posts in the bot's channels; without handlers it returns a router for them. As all words for posts, it leaves
   * out those of other bots, since two bots that answer each other never end: ask for them with {@link from}.
   */
  onPost(): Router<Created>;
  onPost(...handlers: Handler<Created>[]): this;
  onPost(...handlers: Handler<Created>[]): this | Router<Created> {
    const test = ({ update }: Context) => update.event_type === POST_CREATED;
    return this.#addAll({ test, kinds: [POST_CREATED], isForPosts: true }, handlers) as this;
  }

  /**
   * A router whose handlers have an order of their own: `order("none")` for those that must not wait for what else the bot does in the
   * channel, such as `/stop`. They begin at once, also when `concurrency` handlers run. By polling only: a webhook's updates never wait
   * for each other.
   *
   * @throws {TypeError} when it is no order
   */
  order(order: Order): Router<Kind> {
    checkOrder(order);
    return this.#child({ order }) as unknown as Router<Kind>;
  }

  /**
   * A router for the posts of these authors: `from("bot", "user", "owner").onPost(handler)` hears the posts of everybody. Who presses a
   * button, or chooses a command, is a user.
   *
   * @throws {TypeError} when there is no such author
   */
  from(...types: readonly AuthorType[]): Router<Kind> {
    if (types.length === 0 || !types.every((type) => AUTHOR_TYPES.has(type))) {
      throw new TypeError(
        `from is for posts of "bot", "owner" or "user", not ${JSON.stringify(types.join())}: give one, or several`,
      );
    }
    const test = (ctx: Context) => {
      const author = authorIn(ctx.update);
      return author !== undefined && types.includes(author.type);
    };
    return this.#child({ test, hasAuthors: true }) as unknown as Router<Kind>;
  }

  /** A router for the updates for which `test` returns true. */
  filter(test: (ctx: Context<Kind>) => boolean | Promise<boolean>): Router<Kind> {
    if (typeof test !== "function") {
      throw new TypeError("filter needs a function that says which updates are wanted: filter((ctx) => …)");
    }
    return this.#child({ test: test as Registered["test"] }) as unknown as Router<Kind>;
  }

  /**
   * Adds handlers for a command: posts such as `/weather Oslo`, and `/weather@bot Oslo` when it names this bot. The
   * arguments are in `ctx.args`. The name is compared without case.
   *
   * With an offer, products offer it too, and the handlers also run when somebody chooses it there (`interaction.created`). The values
   * of its options are in `ctx.options`, for a post those of its arguments, in order. A post whose arguments do not fit is replied to with
   * a line that says why.
   *
   * @param command its name without the slash, also with a description for {@link commands}
   * @param offer what products show of it; {@link Bot.start} says so to the service
   * @throws {TypeError} when it cannot be a name
   */
  command(
    command: string | Pick<Command, "name" | "description">,
    ...handlers: Handler<Created, CommandMatch>[]
  ): this;
  command<const Options extends readonly OptionSpec[] = readonly []>(
    name: string,
    offer: CommandOffer<Options>,
    ...handlers: Handler<Created | Interacting, OfferedCommandMatch<Options>>[]
  ): this;
  command(command: string | Command, ...rest: readonly unknown[]): this {
    const offer = typeof rest[0] === "object" ? (rest[0] as CommandOffer) : undefined;
    const own = { ...(typeof command === "string" ? { name: command } : command), ...offer };
    if (!COMMAND_NAME.test(own.name)) {
      throw new TypeError(
        `${JSON.stringify(own.name)} is no name of a command: use letters, digits, - and _, and no slash`,
      );
    }
    const wanted = own.name.toLowerCase();
    const test = (ctx: Context) => isCalled(ctx, (name) => name === wanted);
    const entry = { test, commands: [own], kinds: [POST_CREATED], isForPosts: true };
    if (!offer) this.#addAll(entry, rest);
    else {
      const { options = [] } = offer;
      const isFor = (ctx: Context) => isChosen(ctx, wanted, options) || test(ctx);
      const offers = offeredAs(own.name, offer);
      for (const handler of rest.slice(1))
        this.#add(handler as Handler, { ...entry, test: isFor, offers }, (one) => withOptions(one, options));
    }
    return this;
  }

  /**
   * Adds handlers for a button under a post of the bot: for the one with this id, or all whose ids begin alike (`approve:*`); what the star
   * stands for is in `ctx.rest`.
   *
   * @throws {TypeError} when it cannot be an id
   */
  button(id: string, ...handlers: Handler<Interacting, ButtonMatch>[]): this {
    return this.#addPressed(id, handlers);
  }

  /** The same for a select. What was chosen is in `ctx.values`. */
  select(id: string, ...handlers: Handler<Interacting, SelectMatch>[]): this {
    return this.#addPressed(id, handlers);
  }

  /** Adds handlers for commands that neither this router nor one in it has; other bots may have them. */
  unknownCommand(...handlers: Handler<Created, CommandMatch>[]): this {
    const isUnknown = (name: string) => !this.commands().some((known) => known.name.toLowerCase() === name);
    const test = (ctx: Context) => isCalled(ctx, isUnknown);
    this.#addAll({ test, kinds: [POST_CREATED], isForPosts: true }, handlers);
    return this;
  }

  /** The commands of this router and those in it, each once, in the order in which they were added. */
  commands(): Command[] {
    const all = this.#entries.flatMap(({ commands = [], router }) => [
      ...commands,
      ...(router?.commands() ?? []),
    ]);
    return [...new Map(all.map((command) => [command.name.toLowerCase(), command])).values()];
  }

  /** Adds handlers for posts in which a pattern is found (`ctx.match`), or which are this text, in any case. */
  hears(wanted: RegExp | readonly RegExp[], ...handlers: Handler<Created, PatternMatch>[]): this;
  hears(
    wanted: string | RegExp | readonly (string | RegExp)[],
    ...handlers: Handler<Created, Partial<PatternMatch>>[]
  ): this;
  hears(
    wanted: string | RegExp | readonly (string | RegExp)[],
    ...handlers: Handler<Created, PatternMatch>[] | Handler<Created, Partial<PatternMatch>>[]
  ): this {
    this.#addAll({ test: textTest(wanted), kinds: [POST_CREATED], isForPosts: true }, handlers);
    return this;
  }

  /**
   * Adds handlers for posts that mention the bot as `@username`, and for edits after which they do; without handlers it
   * returns a router for them. Only bots that subscribe to edits hear them: `bot.subscribe()` does so.
   */
  mention(): Router<Extract<Kind, Mentioning>>;
  mention(...handlers: Handler<Extract<Kind, Mentioning>>[]): this;
  mention(...handlers: Handler<Extract<Kind, Mentioning>>[]): this | Router<Extract<Kind, Mentioning>> {
    const kinds = [POST_CREATED, POST_EDITED];
    return this.#addAll({ test: mentionsBot, kinds, needsMention: true, isForPosts: true }, handlers) as this;
  }

  /** Removes handlers or routers, wherever they were added in this router. */
  off(...added: readonly unknown[]): this {
    this.#entries = this.#entries.filter((entry) => !added.includes(entry.added));
    for (const { router } of this.#entries) router?.off(...added);
    return this;
  }

  /**
   * Sets the error handler: of a bot, for every update; of a router, for errors of its own handlers. If that returns
   * `"skip"`, the update counts as handled here; otherwise the outer router, and at last the bot, gets the failure.
   */
  catch(handler: ErrorHandler): this {
    this.#onError = handler;
    return this;
  }

  /** The commands for products, of this router and those in it, each once. */
  protected offered(): BotCommand[] {
    const all = this.#entries.flatMap(({ offers = [], router, kinds = ["*"] }) =>
      // A router for other kinds gets none that are chosen.
      router && kinds.some((kind) => isOfKind(INTERACTION_CREATED, kind)) ? router.offered() : offers,
    );
    return [...new Map(all.map((command) => [command.name, command])).values()];
  }

  /** Whether handlers in here have an order of their own. */
  protected hasOrders(): boolean {
    return this.#entries.some(({ order, router }) => order !== undefined || router?.hasOrders());
  }

  /** The order of the first handler for an update that has one of its own. */
  protected async orderOf(ctx: Context): Promise<Order | undefined> {
    for (const { order, router, test } of this.#entries) {
      if (!router || (order === undefined && !router.hasOrders())) continue;
      if (test && !(await test(ctx))) continue;
      const found = (await router.orderOf(ctx)) ?? ((await router.#isFor(ctx)) ? order : undefined);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Whether a handler in here is for an update. */
  async #isFor(ctx: Context): Promise<boolean> {
    for (const { router, test } of this.#entries) {
      if (test && !(await test(ctx))) continue;
      if (!router || (await router.#isFor(ctx))) return true;
    }
    return false;
  }

  /** The error handler, if there is one. */
  protected get onError(): ErrorHandler | undefined {
    return this.#onError;
  }

  /** Runs the handlers that are for an update, and then `next`. */
  protected run(ctx: Context, next: Next): Promise<void> {
    return runHandlers(this.#entries, ctx, next);
  }

  /** The kinds that handlers have asked for, here and in routers within. */
  protected wanted(): Wanted {
    return wantedOf(
      this.#entries.map(({ kinds, router, needsMention }) => ({
        kinds,
        needsMention,
        within: router?.wanted(),
      })),
    );
  }

  /** Like {@link run}, with the error handler around this router's handlers, but not around `next`. */
  async #runBounded(ctx: Context, next: Next): Promise<void> {
    let later: { error: unknown } | undefined;
    try {
      await this.run(ctx, () =>
        next().catch((error: unknown) => {
          later = { error };
          throw error;
        }),
      );
    } catch (error) {
      if (!this.#onError || (later && later.error === error)) throw error;
      const failure = error instanceof BotError ? error : new BotError(error, ctx);
      if ((await this.#onError(failure)) !== "skip") throw error;
    }
  }

  #addPressed(id: string, handlers: readonly unknown[]): this {
    const restOf = idMatcher(id);
    const restIn = ({ interaction }: Context) => interaction?.component && restOf(interaction.component.id);
    const entry = { test: (ctx: Context) => restIn(ctx) !== undefined, kinds: [INTERACTION_CREATED] };
    for (const handler of handlers) this.#add(handler as Handler, entry, (one) => withPressed(one, restIn));
    return this;
  }

  /** @param wrapped what runs in its place */
  #add(handler: Handler, entry: Partial<Entry>, wrapped = (own: Handler) => own): void {
    if (typeof handler !== "function") {
      throw new TypeError(`a handler must be a function, not ${handler === null ? "null" : typeof handler}`);
    }
    const { test } = entry;
    const isForPosts = entry.isForPosts || this.#isForPosts;
    const isWanted = (ctx: Context) => (this.#hasAuthors || !isOfOtherBot(ctx)) && (test?.(ctx) ?? true);
    this.#entries.push({
      ...entry,
      handler: wrapped(handler),
      added: handler,
      test: isForPosts ? isWanted : test,
    });
  }

  #addRouter(router: Router, entry: Partial<Entry>): void {
    if (router === (this as unknown)) throw new TypeError("a router cannot be added to itself");
    if (this.#hasAuthors || entry.hasAuthors) router.#chooseAuthors();
    const handler: Handler = (ctx, next) => router.#runBounded(ctx, next);
    this.#entries.push({ ...entry, handler, added: router, router });
  }

  #addAll(entry: Partial<Entry>, handlers: readonly unknown[]): this | Router {
    if (handlers.length === 0) return this.#child(entry);
    for (const handler of handlers) this.#add(handler as Handler, entry);
    return this;
  }

  #child(entry: Partial<Entry>): Router {
    const router = new Router();
    router.#isForPosts = this.#isForPosts || (entry.isForPosts ?? false);
    this.#addRouter(router, entry);
    return router;
  }

  /** Also of routers that were added before. */
  #chooseAuthors(): void {
    this.#hasAuthors = true;
    for (const { router } of this.#entries) if (router) router.#chooseAuthors();
  }
}

/** Whether an update is about a post of another bot. */
function isOfOtherBot(ctx: Context): boolean {
  const { author } = (ctx.update.payload ?? {}) as { author?: Author };
  return author?.type === "bot" && !isOwn(ctx);
}
