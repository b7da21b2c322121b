import type { Context } from "./context.js";

/** What became of an update: `retry` when it must come again. */
export type Outcome = "done" | "retry";

/** A handler failed; `cause` is what it threw. */
export class BotError extends Error {
  override readonly name = "BotError";
  /** The update in question, with the means to answer it. */
  readonly ctx: Context;
  /** 1, 2, 3 … by polling. By webhook always 1: there the service counts, and repeats. */
  readonly attempt: number;

  constructor(cause: unknown, ctx: Context, attempt: number) {
    const { update_id: id, event_type: event } = ctx.update;
    super(`update ${id} (${event}) failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.ctx = ctx;
    this.attempt = attempt;
  }
}

/**
 * Hears of every failure. Unless it gives (or promises) `"skip"`, the update is not acknowledged: by polling it is handled again after a
 * wait (1 s, doubling up to 60 s), by webhook the service is told and sends it again. `"skip"` gives the update up.
 */
export type ErrorHandler = (error: BotError) => unknown;
