import type { EventType } from "../types.js";
import type { Context } from "./context.js";

/** Runs the handlers after this one, and resolves when they have ended. It must be awaited or returned. */
export type Next = () => Promise<void>;

/**
 * Handles an update. A handler that does not call `next` is the last one.
 *
 * @typeParam More further properties of the context, such as the `match` of a pattern
 */
export type Handler<Kind extends EventType = EventType, More = unknown> = (
  ctx: Context<Kind> & More,
  next: Next,
) => unknown;

/** A handler, and which updates it is for. */
export interface Registered {
  handler: Handler;
  /** Whether it is for this update; it is for all when left out. May set properties of the context. */
  test?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
}

/** Runs the handlers that are for this update, in the order in which they were registered, and then `last`. */
export async function runHandlers(
  registered: readonly Registered[],
  ctx: Context,
  last: Next,
  from = 0,
): Promise<void> {
  let index = from;
  for (; index < registered.length; index++) {
    const test = registered[index]?.test?.(ctx) ?? true;
    if (test === true || (test !== false && (await test))) break;
  }
  const found = registered[index];
  if (!found) return await last();
  let isCalled = false;
  let isRunning = false;
  await found.handler(ctx, async () => {
    if (isCalled) throw new Error("next() was called twice in one handler");
    isCalled = true;
    isRunning = true;
    try {
      await runHandlers(registered, ctx, last, index + 1);
    } finally {
      isRunning = false;
    }
  });
  // The update would count as handled too early.
  if (isRunning) throw new Error("a handler ended before next() had: await it, or return it");
}
