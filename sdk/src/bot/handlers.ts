import type { EventType } from "../types.js";
import type { Context } from "./context.js";

/** Runs the handlers after this one, and resolves when they have ended. It must be awaited or returned. */
export type Next = () => Promise<void>;

/** Handles an update. A handler that does not call `next` is the last one. */
export type Handler<Event extends EventType = EventType> = (ctx: Context<Event>, next: Next) => unknown;

/** A handler and the kind of events it is for; undefined for all. */
export interface Registered {
  event: string | undefined;
  handler: Handler;
}

/** Runs the handlers of this update's kind, in the order in which they were registered. */
export async function runHandlers(registered: readonly Registered[], ctx: Context, from = 0): Promise<void> {
  let index = from;
  while (index < registered.length && !isFor(registered[index], ctx)) index++;
  const found = registered[index];
  if (!found) return;
  let isCalled = false;
  let isRunning = false;
  await found.handler(ctx, async () => {
    if (isCalled) throw new Error("next() was called twice in one handler");
    isCalled = true;
    isRunning = true;
    try {
      await runHandlers(registered, ctx, index + 1);
    } finally {
      isRunning = false;
    }
  });
  // Otherwise the update would count as handled too early.
  if (isRunning) throw new Error("a handler ended before next() had: await it, or return it");
}

function isFor(registered: Registered | undefined, ctx: Context): boolean {
  return registered?.event === undefined || registered.event === ctx.update.event_type;
}
