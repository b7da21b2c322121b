import type { Context } from "./context.js";

/** The outcome of an update: `retry` when it must be handled again. */
export type Outcome = "done" | "retry";

/** A handler failed; `cause` is what it threw. */
export class BotError extends Error {
  override readonly name = "BotError";
  /** The update that failed, and the means to answer it. */
  readonly ctx: Context;
  /** 1, 2, 3 … with polling. With a webhook always 1: there the service repeats and counts. */
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
 * Called for every failure. Unless it returns (or resolves to) `"skip"`, the update is not acknowledged: with polling it is
 * handled again after a wait (1 s, doubling up to 60 s), with a webhook the service sends it again. `"skip"` drops the update.
 */
export type ErrorHandler = (error: BotError) => unknown;
