import { AnswerError, NetworkError, ServiceError } from "../errors.js";
import type { Context } from "./context.js";

/** The outcome of an update: `retry` when it must be handled again. */
export type Outcome = "done" | "retry";

/** A handler failed; `cause` is what it threw. */
export class BotError extends Error {
  /** `BotError` */
  override readonly name = "BotError";
  /** The update that failed, and the means to answer it. */
  readonly ctx: Context;
  /** 1, 2, 3 … with polling. Always 1 with a webhook, where the service repeats and counts the attempts. */
  readonly attempt: number;
  /**
   * Whether the update is given up: it is not handled again, and the bot continues with the next one. Never with a
   * webhook.
   */
  readonly isFinal: boolean;

  constructor(cause: unknown, ctx: Context, isFinal = false) {
    const { update_id: id, event_type: event } = ctx.update;
    super(`update ${id} (${event}) failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.ctx = ctx;
    this.attempt = ctx.attempt;
    this.isFinal = isFinal;
  }
}

/**
 * Called for every failure. The update is handled again, unless the handler returns (or resolves to) `"skip"`, which
 * drops the update, or the failure `isFinal`: with polling after a wait (1 s, doubling up to 60 s), with a webhook when
 * the service sends it again. An error that the handler throws ends `bot.start()`.
 */
export type ErrorHandler = (error: BotError) => unknown;

/**
 * Statuses of requests that would be refused again: the text is too long, the bot is not in the channel, the post was
 * deleted.
 */
const REFUSED_FOR_GOOD = new Set([400, 403, 404]);
/** Statuses that say that the service cannot serve now, whatever the request is. */
const OUTAGES = new Set([429, 503]);

/** Whether a handler that threw this would fail again. */
export function cannotSucceed(cause: unknown): boolean {
  return cause instanceof ServiceError && REFUSED_FOR_GOOD.has(cause.status);
}

/** Whether the service could not be reached. This is not the update's fault, so it is handled when the service is back. */
export function isOutage(cause: unknown): boolean {
  if (cause instanceof ServiceError) return OUTAGES.has(cause.status);
  return cause instanceof NetworkError || (cause instanceof AnswerError && cause.isPassing);
}

/** The default without `bot.catch`: prints a line for each failure, and the stack for the first and the last one. */
export function printFailure({ message, cause, attempt, isFinal }: BotError): void {
  const count = attempt === 1 ? "" : ` (attempt ${attempt})`;
  const what = isFinal ? "; it is given up, and the bot goes on" : "; it will be handled again";
  const line = `botyard: ${message}${count}${what}`;
  if (attempt === 1 || isFinal) console.error(line, cause);
  else console.error(line);
}
