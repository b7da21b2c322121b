import { commandIn } from "../bot/command-line.js";
import type { Context } from "../bot/context.js";
import { authorIn } from "../bot/interaction.js";
import { Router } from "../bot/router.js";
import { checkOptions } from "../similar.js";
import { createTurns } from "../state/in-turn.js";
import { authorKey } from "../state/session.js";
import { memoryValues, type ValueStore } from "../state/values.js";
import { type Begun, ConversationChanged, type Dialogue, openQuestion, runDialogue } from "./dialogue.js";

export interface ConversationOptions {
  /** Letters, digits, `_`, `.` and `-`: tells the conversations of a bot apart. `conversation` unless given. */
  name?: string;
  /** Where conversations are kept; those of one bot share it. In memory unless given, so that a restart ends them. */
  store?: ValueStore;
  /** Posts of the author that end it, in any case, such as `/cancel`. */
  cancel?: string | readonly string[];
  /** Called when it was cancelled, to say so. */
  onCancel?(ctx: Context<"channel.post_created">): unknown;
  /**
   * How long an answer is waited for, in milliseconds; what comes later is an ordinary post. A day unless given.
   */
  timeoutMs?: number;
}

/** A router that takes the answers, and a handler that begins it. Add it before the other handlers for posts. */
export interface Conversation extends Router {
  /**
   * Begins the conversation with the author of an update, in its channel, and ends the one that they are in.
   *
   * @throws {TypeError} when the update has no channel or no author
   */
  begin(ctx: Context): Promise<void>;
}

/** What is stored for an author in a channel: the conversation, until it has ended, and the newest updates that were its own. */
interface Stored {
  begun?: Begun;
  /** The update that began the last one. */
  start?: number;
  handled: number[];
}

const OPTIONS = ["name", "store", "cancel", "onCancel", "timeoutMs"];
const NAME = /^[\w.-]{1,64}$/;
const DAY_MS = 86_400_000;
/** The service sends at most this many updates of a bot at once. */
const REMEMBERED = 16;

/**
 * A conversation with one author in one channel, which survives restarts. Its work runs again from the beginning with each answer, and
 * the steps `c.ask`, `c.say` and `c.do` that were taken give what they gave then. So what is between them must depend on nothing else.
 *
 * @example
 * const order = conversation(async (c) => {
 *   const size = await c.ask("Which size?");
 *   await c.say(`A pizza of size ${size} is on its way.`);
 * }, { name: "order", store: sqliteValues("bot.db"), cancel: "/cancel" });
 * bot.use(order);
 * bot.command("order", order.begin);
 * @throws {TypeError} for an option that cannot be
 */
export function conversation(
  work: (c: Dialogue) => unknown,
  options: ConversationOptions = {},
): Conversation {
  const {
    name = "conversation",
    store = memoryValues(),
    cancel = [],
    onCancel,
    timeoutMs = DAY_MS,
  } = options;
  checkOptions("a conversation", options, OPTIONS);
  if (!NAME.test(name))
    throw new TypeError(`${JSON.stringify(name)} is no name: use letters, digits, _, . and -`);
  const endings = new Set([cancel].flat().map((word) => word.trim().toLowerCase()));
  const inTurn = createTurns();

  const read = async (key: string) => ((await store.read(key)) ?? { handled: [] }) as Stored;
  const withUpdate = ({ handled }: Stored, id: number) => [...new Set([...handled, id])].slice(-REMEMBERED);

  const go = async (ctx: Context, key: string, begun: Begun, before: Stored): Promise<void> => {
    const handled = withUpdate(before, ctx.update.update_id);
    const { start } = begun;
    const save = () => store.write(key, { begun, start, handled } satisfies Stored);
    try {
      const hasEnded = await runDialogue(work, begun, ctx, save, finite(timeoutMs));
      await (hasEnded ? store.write(key, { start, handled } satisfies Stored) : save());
    } catch (error) {
      // The answer stays an answer: a post that comes before this one is tried again is not taken for it.
      const keep =
        error instanceof ConversationChanged ? store.write(key, { handled: before.handled }) : save();
      // The first failure says more.
      await keep.catch(() => {});
      throw error;
    }
  };

  /** @returns whether the post was for this conversation */
  const take = async (ctx: Context<"channel.post_created">, key: string): Promise<boolean> => {
    const { update_id: id, created_at: at } = ctx.update;
    const { body } = ctx.payload;
    const stored = await read(key);
    const { begun, start, handled } = stored;
    // The handler that began it runs again, and comes to `begin`.
    if (id === start) return false;
    const isOurs = begun?.name === name;
    if (handled.includes(id)) {
      if (isOurs) await go(ctx, key, begun, stored);
      return isOurs || begun === undefined;
    }
    const question = isOurs ? openQuestion(begun) : undefined;
    if (!isOurs || Date.parse(at) > (question?.until ?? Number.POSITIVE_INFINITY)) return false;
    if (endings.has(body.trim().toLowerCase())) {
      await onCancel?.(ctx);
      await store.write(key, { start, handled: withUpdate(stored, id) });
      return true;
    }
    if (!question || commandIn(body)) return false;
    question.answer = body;
    await go(ctx, key, begun, stored);
    return true;
  };

  const router = new Router();
  router.onPost(async (ctx, next) => {
    const key = keyOf(ctx);
    if (key !== undefined && (await inTurn(key, () => take(ctx, key)))) return;
    await next();
  });
  return Object.assign(router, {
    async begin(ctx: Context) {
      const key = keyOf(ctx);
      const author = authorIn(ctx.update);
      if (key === undefined || !author) {
        throw new TypeError(
          `${ctx.update.event_type} has no channel or no author to begin a conversation with`,
        );
      }
      await inTurn(key, async () => {
        const stored = await read(key);
        const { update_id: start } = ctx.update;
        const isAgain = stored.start === start;
        if (isAgain && stored.begun?.name !== name) return;
        const begun = isAgain ? stored.begun : undefined;
        await go(ctx, key, begun ?? { name, start, args: ctx.args, author, steps: [] }, stored);
      });
    },
  });
}

function keyOf(ctx: Context): string | undefined {
  const key = authorKey(ctx);
  return key && `conversation:${key}`;
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? ms : undefined;
}
