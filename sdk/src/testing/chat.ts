import { setTimeout as sleep } from "node:timers/promises";
import type { Bot } from "../bot/bot.js";
import type { StartOptions } from "../bot/start-options.js";
import { memoryValues, type ValueStore } from "../state/values.js";
import type { CreateChannelPostRequest, Interaction, InteractionResponse, Post } from "../types.js";
import { pressable } from "./fake-components.js";
import type { FakeAuthor } from "./fake-log.js";
import { type FakeService, openFakeService } from "./fake-service.js";
import { createMortal, type Mortal } from "./mortal.js";

/** What a process of the bot is made with. Only what goes through it ends when the process is killed. */
export interface BotProcess {
  /** The first argument of `new Bot`. */
  token: string;
  /** For the second argument of `new Bot`. */
  options: { url: string; fetch: typeof fetch };
  /**
   * A store for sessions, `createOnce` and conversations: one in memory, which the next process finds again under its name, or one
   * that is given. `everyCrash` kills the bot at its writes.
   */
  values(store?: string | ValueStore): ValueStore;
  /** What survives the process, such as a database: made by the first, found again by the others. */
  keep<Kept>(name: string, make: () => Kept): Kept;
}

/** Makes the bot, as its program does before `bot.start()`; once for each process. */
export type MakeBot = (process: BotProcess) => Bot | Promise<Bot>;

export interface ChatOptions {
  /** The bot's username. `test-bot` unless given. */
  username?: string;
  /** The options of `bot.start`. */
  start?: Omit<StartOptions, "signal" | "signals" | "consumer" | "store" | "from" | "stopTimeoutMs">;
  /** How long it waits for what is expected, in milliseconds. 5,000 unless given. */
  timeoutMs?: number;
}

/** Something that the bot asks of the service. */
type Operation = "publish" | "edit" | "delete" | "respond" | "poll";

/** A channel with a bot that runs, and with those who talk to it. */
export interface Chat {
  /** The fake service, for everything without a word here. */
  readonly service: FakeService;
  /** The channel. */
  readonly channelId: string;
  /** Publishes a post: as a user of this name, or as this author. */
  says(who: string | FakeAuthor, post: string | CreateChannelPostRequest): Promise<Post>;
  /** Changes the text of a post. */
  edits(post: Post, body: string): Promise<Post>;
  /** Deletes a post. */
  deletes(post: Post): Promise<void>;
  /**
   * Presses a button, or chooses `values` of a select, as a user of this name: the newest with this id, under a post or a private answer to
   * this user. Waits until there is one.
   */
  presses(who: string, componentId: string, values?: readonly string[]): Promise<Interaction>;
  /** Chooses a command, as a user of this name. Waits until the bot has registered it. */
  chooses(who: string, command: string, options?: Record<string, unknown>): Promise<Interaction>;
  /**
   * Waits for a private answer to a user that was not expected yet: one that has this text in it, or matches.
   *
   * @throws {Error} with all that was said, when there is none in time
   */
  expectsAnswer(who: string, text: string | RegExp): Promise<InteractionResponse>;
  /**
   * Waits for a text of the bot, new or edited, that was not expected yet: one that has this text in it, or matches.
   *
   * @throws {Error} with all posts, when there is none in time
   */
  expects(text: string | RegExp): Promise<Post>;
  /**
   * Waits until the bot has handled everything.
   *
   * @throws {Error} when the bot has said something that was not expected
   */
  expectsNothing(): Promise<void>;
  /** Waits until the bot has handled everything and its position is kept. */
  settles(): Promise<void>;
  /** The service answers the next `times` requests of this operation with 503. */
  fails(operation: Operation, times?: number): void;
  /** Lets time pass: later posts are dated later. Timers go on as they do. */
  passes(ms: number): void;
  /** Kills the bot, and starts it anew. */
  crashes(): Promise<void>;
  /** All posts and private answers, in their order, each as `who: text`, or `who to whom: text`. */
  transcript(): string[];
  /** Ends everything. */
  stop(): Promise<void>;
}

const TIMEOUT_MS = 5_000;
const LOOK_EVERY_MS = 10;
const REQUESTS = {
  publish: ["POST", "/posts"],
  edit: ["PATCH", "/posts/"],
  delete: ["DELETE", "/posts/"],
  respond: ["POST", "/responses"],
} as const;

/**
 * Starts a bot in a channel of a fake service, for a test that reads like a conversation.
 *
 * @example
 * const chat = await testChat(({ token, options }) => createBot(token, options));
 * await chat.says("alice", "/order pizza");
 * await chat.expects(/which size/i);
 * await chat.stop();
 */
export async function testChat(makeBot: MakeBot, options: ChatOptions = {}): Promise<Chat> {
  return (await openChat(makeBot, options)).chat;
}

/**
 * @param crashAt the step that the first process is killed at; then the next one begins
 * @returns the chat, and where the first process was killed
 */
export async function openChat(
  makeBot: MakeBot,
  { username, start, timeoutMs = TIMEOUT_MS }: ChatOptions,
  crashAt?: number,
): Promise<{ chat: Chat; crashedAt(): string | undefined }> {
  const { service, log } = await openFakeService(username === undefined ? {} : { username });
  const { id: channelId } = service.addChannel("chat");
  const kept = new Map<string, unknown>();
  const ended = new AbortController();
  let crashedAt: string | undefined;
  let failure: { error: unknown } | undefined;
  let current: { mortal: Mortal; run: Promise<void> } | undefined;
  /** The text of each of the bot's posts and private answers that was expected last. */
  const expected = new Map<string, string>();

  const keep = <Kept>(name: string, make: () => Kept): Kept => {
    if (!kept.has(name)) kept.set(name, make());
    return kept.get(name) as Kept;
  };

  const begin = (at?: number): void => {
    const mortal = createMortal(at, ended.signal);
    const run = (async () => {
      const bot = await makeBot({
        token: service.token,
        options: { url: service.url, fetch: mortal.fetch },
        values: (store = "values") =>
          mortal.mortalValues(typeof store === "string" ? keep(`values ${store}`, memoryValues) : store),
        keep,
      });
      const quiet = { onStart() {}, signals: false, stopTimeoutMs: 0, signal: ended.signal };
      await bot.start({ ...quiet, ...start });
      if (!ended.signal.aborted) throw new Error("the bot has stopped by itself");
    })();
    run.catch((error: unknown) => {
      if (!mortal.isKilled() && !ended.signal.aborted) failure ??= { error };
    });
    void mortal.killed.then((where) => {
      crashedAt ??= where;
      if (!ended.signal.aborted) begin();
    });
    current = { mortal, run };
  };
  begin(crashAt);

  const until = async <Found>(what: string, look: () => Found | undefined | false): Promise<Found> => {
    for (const giveUpAt = Date.now() + timeoutMs; ; await sleep(LOOK_EVERY_MS)) {
      if (failure) throw new Error("the bot has failed", { cause: failure.error });
      const found = look();
      if (found) return found;
      if (Date.now() > giveUpAt) throw new Error(`${what}:\n${transcript().join("\n")}`);
    }
  };
  const settles = async () => {
    await until("the bot has not handled everything", () => {
      const main = log.consumers.list().find(({ name }) => name === "main");
      return main?.position === log.updates.length;
    });
  };
  const isOwn = ({ author }: Post) => author?.id === log.me.id;
  const unexpected = () => service.posts.filter((post) => isOwn(post) && expected.get(post.id) !== post.body);
  const answers = () =>
    service.interactions.flatMap(({ user, responses }) =>
      responses.filter(({ type }) => type === "private").map((answer) => ({ user, answer })),
    );
  const unexpectedAnswers = () => answers().filter(({ answer }) => !expected.has(answer.id));
  const transcript = () => {
    const lines = new Map(service.posts.map(({ id, author_username: who, body }) => [id, `${who}: ${body}`]));
    for (const { user, answer } of answers())
      lines.set(answer.id, `${log.me.username} to ${user.username}: ${answer.body}`);
    return log.said.flatMap((id) => lines.get(id) ?? []);
  };
  const isOrHas = (wanted: string | RegExp, { body = "" }: Pick<InteractionResponse, "body">) =>
    typeof wanted === "string" ? body.includes(wanted) : wanted.test(body);

  const chat: Chat = {
    service,
    channelId,
    async says(who, post) {
      const author = typeof who === "string" ? { username: who, type: "user" as const } : who;
      return service.publish(channelId, post, author);
    },
    edits: async (post, body) => service.edit(post, body),
    deletes: async (post) => service.delete(post),
    async presses(who, componentId, values) {
      const under = await until(`there is no component ${componentId}`, () => {
        const own = answers().flatMap(({ user, answer }) => (user.id === who ? answer : []));
        const shown = new Map([...service.posts, ...own].map((one) => [one.id, one]));
        const found = log.said.findLast((id) => pressable(shown.get(id)?.components, componentId));
        return found === undefined ? undefined : { id: found };
      });
      return service.press(under, componentId, { user: who, ...(values && { values }) });
    },
    async chooses(who, command, options = {}) {
      await until(`the bot offers no command ${command}`, () =>
        log.commands.some(({ name }) => name === command),
      );
      return service.choose(channelId, command, options, { user: who });
    },
    async expectsAnswer(who, text) {
      const { answer } = await until(`the bot has not answered ${who} ${String(text)}`, () =>
        unexpectedAnswers().find((one) => one.user.id === who && isOrHas(text, one.answer)),
      );
      expected.set(answer.id, answer.body ?? "");
      return answer;
    },
    async expects(text) {
      const post = await until(`the bot has not said ${String(text)}`, () =>
        unexpected().find((one) => isOrHas(text, one)),
      );
      expected.set(post.id, post.body);
      return post;
    },
    async expectsNothing() {
      await settles();
      const [said] = [...unexpected(), ...unexpectedAnswers().map(({ answer }) => answer)];
      if (said) throw new Error(`the bot has said ${JSON.stringify(said.body)}:\n${transcript().join("\n")}`);
    },
    settles,
    fails(operation, times = 1) {
      const answer = { status: 503, headers: { "retry-after": "0" }, body: '{"error":"not now"}' };
      service.answerNext(answer, times, ({ method, path }) =>
        operation === "poll"
          ? method === "GET" && path.endsWith("/updates")
          : method === REQUESTS[operation][0] && path.includes(REQUESTS[operation][1]),
      );
    },
    passes: (ms) => service.advance(ms),
    async crashes() {
      current?.mortal.kill();
      // The next process begins when the promise of the last one's death is told.
      await sleep(0);
    },
    transcript,
    async stop() {
      ended.abort();
      // The last step may be one of stopping, such as the end of a save: a process that is killed then never ends.
      await Promise.race([current?.run.catch(() => {}), current?.mortal.killed]);
      await service.stop();
    },
  };
  return { chat, crashedAt: () => crashedAt };
}
