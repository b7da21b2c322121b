import type { Context, OwnPost } from "../bot/context.js";
import type { BotClient } from "../client/bot-client.js";
import type { Author, BotPost, CreateChannelPostRequest } from "../types.js";

export interface AskOptions {
  /** By which the answer is found when the work runs again. The question's text unless given. */
  name?: string;
  /** How long an answer is waited for, in milliseconds; that of the conversation unless given. */
  timeoutMs?: number;
}

/** What the work of a conversation does its steps with. */
export interface Dialogue {
  /** What followed the command that began the conversation. */
  readonly args: readonly string[];
  /** Who is talked to. */
  readonly author: Author;
  /** The channel that it happens in. */
  readonly channelId: string;
  /** All operations of a bot. Call those that change something within {@link do}. */
  readonly api: BotClient;
  /** Publishes a question, and waits for the author's next post in the channel, which is no command. Resolves to its text. */
  ask(question: string | CreateChannelPostRequest, options?: AskOptions): Promise<string>;
  /** Publishes a post. */
  say(post: string | CreateChannelPostRequest): Promise<OwnPost>;
  /**
   * Does work, and keeps its result, a JSON value. Killed between the two, it is done again, with the same key: pass it on to services
   * that know idempotency keys.
   */
  do<Result>(work: (key: string) => Promise<Result> | Result): Promise<Result>;
}

/** A conversation was begun by other steps than the work has now. It has ended; the author has to begin again. */
export class ConversationChanged extends Error {
  /** `ConversationChanged` */
  override readonly name = "ConversationChanged";
}

/** A step that was taken. */
export type Step =
  /** `until`: the time of the last answer that counts, in milliseconds since the epoch; undefined for no limit. */
  | { kind: "ask"; name: string; until?: number; answer?: string }
  | { kind: "say"; post: OwnPost }
  | { kind: "do"; result?: unknown };

/** What the store has of a conversation that runs. */
export interface Begun {
  /** The name of the conversation. */
  name: string;
  /** The `update_id` of the update that began it. */
  start: number;
  args: readonly string[];
  author: Author;
  steps: Step[];
}

/** A conversation ends at the latest after this many steps: a loop that never ends would fill the store. */
const MOST_STEPS = 1_000;

/**
 * Runs the work from its beginning: steps that were taken before give what they gave then.
 *
 * @param begun gets the further steps
 * @param save makes `begun` durable
 * @returns whether the work has ended; otherwise it waits for an answer
 * @throws {ConversationChanged} when the steps are not those that were taken
 */
export async function runDialogue(
  work: (c: Dialogue) => unknown,
  begun: Begun,
  ctx: Context,
  save: () => Promise<void>,
  timeoutMs: number | undefined,
): Promise<boolean> {
  const { name, start, steps } = begun;
  let taken = 0;
  let isInStep = false;
  /** What a step threw: none may follow, since the next run would not know that it failed. */
  let failure: { error: unknown } | undefined;
  let suspend = () => {};
  const suspended = new Promise<boolean>((resolve) => {
    suspend = () => resolve(false);
  });

  /** @param called which of two steps of a kind it is */
  const step = async <Kind extends Step["kind"]>(
    kind: Kind,
    take: (key: string) => Promise<Extract<Step, { kind: Kind }>>,
    called?: string,
  ) => {
    if (failure) throw failure.error;
    isInStep = failTwoAtOnce(isInStep);
    try {
      if (taken === MOST_STEPS)
        throw new Error(`the conversation "${name}" has more than ${MOST_STEPS} steps`);
      const before = steps[taken];
      if (before && titleOf(before) !== title(kind, called)) {
        throw new ConversationChanged(changed(begun, taken, title(kind, called)));
      }
      const number = taken;
      taken += 1;
      if (before) return before as Extract<Step, { kind: Kind }>;
      const key = `${(await ctx.me()).id}:${start}:${name}:${number}`;
      const made = await take(key);
      steps.push(made);
      // Posts are found again by their keys; what work has done is not.
      if (kind === "do") await save();
      return made;
    } catch (error) {
      failure ??= { error };
      throw error;
    } finally {
      isInStep = false;
    }
  };
  const publish = (post: string | CreateChannelPostRequest, idempotencyKey: string): Promise<BotPost> => {
    // The first one responds to the interaction that may have begun it. More might be more than that takes.
    const isFirst = steps.every(({ kind }) => kind === "do");
    return isFirst ? ctx.reply(post, { idempotencyKey }) : ctx.channel.post(post, { idempotencyKey });
  };

  const dialogue: Dialogue = {
    args: begun.args,
    author: begun.author,
    channelId: ctx.channel.id,
    api: ctx.api,
    async ask(question, options = {}) {
      const called = options.name ?? (typeof question === "string" ? question : question.body);
      const limit = options.timeoutMs ?? timeoutMs;
      const take = async (key: string) => {
        const { created_at: at } = await publish(question, key);
        // The service's own time, as that of the answer: a bot that was down takes an answer that was in time.
        const until = limit === undefined ? {} : { until: Date.parse(at) + limit };
        return { kind: "ask" as const, name: called, ...until };
      };
      const { answer } = await step("ask", take, called);
      if (answer !== undefined) return answer;
      isInStep = true;
      suspend();
      return await new Promise<never>(() => {});
    },
    async say(post) {
      const take = async (key: string) => {
        const { id, channel_id } = await publish(post, key);
        return { kind: "say" as const, post: { id, channel_id } };
      };
      return (await step("say", take)).post;
    },
    async do<Result>(doIt: (key: string) => Promise<Result> | Result) {
      const take = async (key: string) => ({ kind: "do" as const, result: (await doIt(key)) as unknown });
      return (await step("do", take)).result as Result;
    },
  };

  const ended = (async () => {
    await work(dialogue);
    return true;
  })();
  // Once it is suspended, nobody listens any more.
  ended.catch(() => {});
  const hasEnded = await Promise.race([ended, suspended]);
  if (failure) throw failure.error;
  if (hasEnded && taken < steps.length) throw new ConversationChanged(changed(begun, taken, "the end"));
  return hasEnded;
}

/** The question that an answer is waited for. */
export function openQuestion({ steps }: Begun): Extract<Step, { kind: "ask" }> | undefined {
  const last = steps.at(-1);
  return last?.kind === "ask" && last.answer === undefined ? last : undefined;
}

function failTwoAtOnce(isInStep: boolean): true {
  if (!isInStep) return true;
  throw new TypeError("a step of a conversation begins before the one before has ended: await each of them");
}

function title(kind: Step["kind"], called: string | undefined): string {
  return called === undefined ? kind : `${kind} ${JSON.stringify(called)}`;
}

function titleOf(step: Step): string {
  return title(step.kind, step.kind === "ask" ? step.name : undefined);
}

function changed({ name, start, steps }: Begun, index: number, now: string): string {
  const before = titleOf(steps[index] as Step);
  return `the code of the conversation "${name}" has changed since update ${start} began it: step ${index + 1} was ${before} and is now ${now}; it has ended, and can be begun again`;
}
