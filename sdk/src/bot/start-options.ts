import type { LogReset, PollFailure } from "../client/next-updates.js";
import { checkOptions } from "../similar.js";
import type { BotError } from "./bot-error.js";
import { checkOrder, type Order } from "./order.js";
import type { PositionStore } from "./position.js";
import type { ReaderOptions } from "./reader.js";
import type { Started } from "./started.js";

export interface StartOptions extends ReaderOptions {
  /** Stops the bot gracefully, like `stop()`. */
  signal?: AbortSignal;
  /** Whether SIGINT and SIGTERM stop the bot gracefully; a second one ends the process. True unless given. */
  signals?: boolean;
  /**
   * The name of a consumer, in which the service keeps the position. It moves forward when handlers have finished.
   * `main` unless given.
   */
  consumer?: string;
  /** Keeps the position somewhere else, instead of a consumer. */
  store?: PositionStore;
  /**
   * Where the first start begins, when there is no position yet: `"now"` with the next update, `"start"` with the
   * oldest that is kept. By default after everything that a webhook or another consumer of the bot has handled; with a
   * store, at the oldest.
   */
  from?: "now" | "start";
  /**
   * How often an update is handled at most, when its handler keeps failing; then it is given up. 10 unless given. An update whose
   * handler fails with a 400, 403 or 404 of the service is given up at once; while the service cannot be reached, none is.
   * `Infinity` gives up nothing.
   */
  attempts?: number;
  /** Handlers that run at once. 16 unless given; 1 handles all updates in order. */
  concurrency?: number;
  /**
   * Which updates wait for each other; those of a channel unless given. Handlers may have an order of their own (`bot.order`).
   */
  order?: Order;
  /**
   * Whether the updates behind one whose handler fails go on after its second failure (`"pass"`, unless given), while it is tried
   * again beside them, or wait until it is handled or given up (`"hold"`).
   */
  afterFailure?: "pass" | "hold";
  /** Called for an update that is given up, after the error handler. The update counts as handled when this has ended. */
  onGivenUp?(error: BotError): unknown;
  /** Whether to wait for a service that cannot be reached at the start. It is tried again and again, and said once. False unless given. */
  wait?: boolean;
  /**
   * How long a stop waits for running handlers, in milliseconds; then their `ctx.signal` is aborted. Unfinished updates are
   * handled again at the next start. 10,000 unless given.
   */
  stopTimeoutMs?: number;
  /** Called once when the bot has started, with its identity and its channels. By default a line is printed on a terminal. */
  onStart?(started: Started): void;
  /**
   * Called with numbers that are missing in the log: updates that expired before the bot read them, or numbers that the
   * service skipped after a loss of data. Unless given, it prints a line.
   */
  onExpired?(range: { first: number; last: number }): void;
  /**
   * Called when the log ends before the last update that was read: the service has lost data, for example by a restored
   * backup, and gives those numbers out again. The bot continues from the end of the log, since the next updates are new;
   * those recorded between the loss and now are missed. Unless given, it prints a line; throw to stop the bot instead.
   */
  onLogReset?(reset: LogReset): void;
  /** Called for polls that failed and will be repeated. Unless given, it prints a line on `console.error`. */
  onPollFailure?(failure: PollFailure): void;
}

/** The options with what is meant where they leave something out. */
export type CheckedOptions = Omit<StartOptions, "consumer"> & { consumer: string | undefined } & Required<
    Pick<StartOptions, "attempts" | "concurrency" | "order" | "afterFailure" | "stopTimeoutMs">
  >;

const OPTIONS = [
  "signal",
  "signals",
  "consumer",
  "store",
  "standby",
  "onSecondReader",
  "from",
  "attempts",
  "concurrency",
  "order",
  "afterFailure",
  "onGivenUp",
  "wait",
  "stopTimeoutMs",
  "onStart",
  "onExpired",
  "onLogReset",
  "onPollFailure",
];
/**
 * @returns the options; without a consumer only when there is a store
 * @throws {TypeError} for what cannot be meant
 */
export function checkedOptions(options: StartOptions): CheckedOptions {
  checkOptions("start", options, OPTIONS);
  const { store, consumer = store ? undefined : "main", stopTimeoutMs = 10_000 } = options;
  const { attempts = 10, concurrency = 16, order = "channel", afterFailure = "pass" } = options;
  if (attempts !== Number.POSITIVE_INFINITY) checkCount("attempts", attempts);
  checkCount("concurrency", concurrency);
  checkOrder(order);
  if (!["pass", "hold"].includes(afterFailure)) throw new TypeError('afterFailure must be "pass" or "hold"');
  if (consumer !== undefined && store) throw new TypeError("give a consumer or store, not both");
  return { ...options, consumer, stopTimeoutMs, attempts, concurrency, order, afterFailure };
}

function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new TypeError(`${name} must be an integer from 1, not ${value}`);
}
