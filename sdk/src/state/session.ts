import { type Context, channelIdOf, openSession, type SessionData } from "../bot/context.js";
import type { Handler } from "../bot/handlers.js";
import { authorIn } from "../bot/interaction.js";
import { createTurns } from "./in-turn.js";
import { memoryValues, type ValueStore } from "./values.js";

export interface SessionOptions {
  /** Creates the initial session; `{}` unless given. */
  initial?: () => SessionData;
  /** Where sessions are kept. In memory unless given. */
  store?: ValueStore;
  /**
   * The key of an update's session; undefined for none. By default everybody has one session in each channel, and an
   * event without an author belongs to a session of its channel.
   */
  key?: (ctx: Context) => string | undefined;
}

/** What is stored: the session, and the newest updates that have changed it. */
interface Stored {
  data: SessionData | undefined;
  handled: number[];
}

/** The service sends at most this many updates of a bot at once. */
const REMEMBERED = 16;

/**
 * Middleware that gives the handlers after it `ctx.session`: an object that they may change, and that they get again
 * with the next update. It is stored after they have succeeded and before the update counts as handled; a failed
 * handler changes nothing. When the process is killed in between, the update comes again, but the handlers are not
 * called.
 *
 * @example
 * bot.use(session({ initial: () => ({ count: 0 }), store: fileValues("sessions") }));
 */
export function session({
  initial = () => ({}),
  store = memoryValues(),
  key: keyOf = authorKey,
}: SessionOptions = {}): Handler {
  const inTurn = createTurns();
  return async (ctx, next) => {
    const key = keyOf(ctx);
    if (key === undefined) return await next();
    // Two updates at the same time would undo each other's changes.
    await inTurn(key, async () => {
      const { update_id: id } = ctx.update;
      const { data, handled = [] } = ((await store.read(key)) ?? {}) as Partial<Stored>;
      if (handled.includes(id)) return;
      const opened: { data: SessionData | undefined } = { data: data ?? initial() };
      const before = JSON.stringify(opened.data);
      openSession(ctx, opened);
      await next();
      if (JSON.stringify(opened.data) === before) return;
      // A removed session is stored as an empty one, so that its updates are recognised when they come again.
      await store.write(key, {
        data: opened.data,
        handled: [...handled, id].slice(-REMEMBERED),
      } satisfies Stored);
    });
  };
}

/** One key for everybody in each channel; for an event without an author one for its channel. */
export function authorKey({ update }: Context): string | undefined {
  const channel = channelIdOf(update);
  if (channel === undefined) return undefined;
  const author = authorIn(update);
  return author?.id === undefined ? channel : `${channel}:${author.type}:${author.id}`;
}
