import type { Context, SessionData } from "../bot/context.js";
import { channelIdOf } from "../bot/context.js";
import type { Handler } from "../bot/handlers.js";
import { createTurns } from "./in-turn.js";
import { memoryValues, type ValueStore } from "./values.js";

export interface SessionOptions {
  /** What a session is at first; `{}` unless given. */
  initial?: () => SessionData;
  /** Where sessions are kept. In memory unless given. */
  store?: ValueStore;
  /**
   * Which session an update belongs to; undefined for none. Unless given, everybody has one in each channel, and an event without
   * an author belongs to that of its channel.
   */
  key?: (ctx: Context) => string | undefined;
}

/** What is stored: the session, and the newest updates that have changed it. */
interface Stored {
  data: SessionData | undefined;
  handled: number[];
}

/** As many as the service sends at once. */
const REMEMBERED = 16;

/**
 * Middleware that gives the handlers after it `ctx.session`: an object that they change, and find again at the next update. It is
 * written when they have succeeded, before the update counts as handled; a handler that fails has changed nothing. When the
 * process is killed after that, the update comes again, but not to the handlers.
 *
 * @example
 * bot.use(session({ initial: () => ({ count: 0 }), store: fileValues("sessions") }));
 */
export function session({
  initial = () => ({}),
  store = memoryValues(),
  key: keyOf = defaultKey,
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
      ctx.openSession(opened);
      await next();
      if (JSON.stringify(opened.data) === before) return;
      // A removed session is kept as an empty one, or the update could come again and not be known.
      await store.write(key, {
        data: opened.data,
        handled: [...handled, id].slice(-REMEMBERED),
      } satisfies Stored);
    });
  };
}

function defaultKey({ update }: Context): string | undefined {
  const channel = channelIdOf(update);
  if (channel === undefined) return undefined;
  const { author } = update.payload as { author?: { type?: string; id?: string } };
  return author?.id === undefined ? channel : `${channel}:${author.type}:${author.id}`;
}
