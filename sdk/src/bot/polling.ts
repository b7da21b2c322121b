import type { BotClient } from "../client/bot-client.js";
import type { RequestOptions } from "../client/connection.js";
import { type LogReset, nextUpdates, type PollFailure, printLogReset } from "../client/next-updates.js";
import { backoffMs, wait } from "../client/wait.js";
import { checkOptions } from "../similar.js";
import type { BotIdentity, Update } from "../types.js";
import { type BotError, type ErrorHandler, isOutage, type Outcome } from "./bot-error.js";
import { consumerStore, headOf, SAVE_EVERY_MS } from "./consumer-store.js";
import type { Context } from "./context.js";
import { checkOrder, type Order, orderKey } from "./order.js";
import { createOrderQueues } from "./order-queues.js";
import { createProgress, type Position, type PositionStore, type Progress } from "./position.js";
import type { Running } from "./running.js";
import { createSaver } from "./saver.js";
import { hasTerminal, printStarted, type Started } from "./terminal.js";

export interface StartOptions {
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

/** The parts of a bot that polling needs. */
export interface PolledBot {
  api: BotClient;
  me(options: RequestOptions): Promise<BotIdentity>;
  /** @param isLast whether a failure is final; undefined when none is */
  attempt(
    update: Update,
    attempt: number,
    isLast: boolean | undefined,
    onGivenUp: ErrorHandler | undefined,
  ): Promise<Outcome | "outage">;
  running: Running;
  /** Whether a handler has an order of its own, and that of the handler for an update. */
  hasOrders(): boolean;
  orderOf(update: Update): Promise<Order | undefined>;
}

const OPTIONS = [
  "signal",
  "signals",
  "consumer",
  "store",
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
const CONSUMER = "main";
const ATTEMPTS = 10;
const CONCURRENCY = 16;
const STOP_TIMEOUT_MS = 10_000;
/** How long handlers may take to end after their signal was aborted. */
const CANCELLED_MS = 1_000;
/** A handler that runs for longer is named. */
const SLOW_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const PAGE_UPDATES = 100;
/** How often a consumer is polled by its name at least, so that its owner sees that somebody reads. */
const CONSUMER_POLLED_MS = 10_000;

/** Reads ahead of the handlers and saves the position behind them, until `stopping` is aborted or an error is final. */
export async function runPolling(
  bot: PolledBot,
  options: StartOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { attempts = ATTEMPTS, concurrency = CONCURRENCY, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
  const { onExpired = printExpired, onPollFailure = printPollFailure, onLogReset = printLogReset } = options;
  checkOptions("start", options, OPTIONS);
  if (attempts !== Number.POSITIVE_INFINITY) checkCount("attempts", attempts);
  checkCount("concurrency", concurrency);
  const { order = "channel", afterFailure = "pass", onGivenUp } = options;
  checkOrder(order);
  if (!["pass", "hold"].includes(afterFailure))
    throw new TypeError(`afterFailure must be "pass" or "hold", not ${JSON.stringify(afterFailure)}`);
  if (options.consumer !== undefined && options.store)
    throw new TypeError("give a store or a consumer, not both");
  if (stopping.aborted) return;
  // Checks the token and the address before anything else, and returns the id for the position.
  const reach = options.wait ? untilReached : once;
  const me = await reach(() => bot.me({ signal: stopping }), stopping).catch(unlessStopped(stopping));
  if (!me) return;
  const { id } = me;
  const consumer = options.store ? undefined : (options.consumer ?? CONSUMER);
  const store = options.store ?? consumerStore(bot.api, consumer as string, id, stopping, options.from);
  const loaded = await reach(() => load(store, bot, id, options), stopping).catch(unlessStopped(stopping));
  if (!loaded || stopping.aborted) return;
  void tellStarted(bot, me, options, stopping);
  let progress = createProgress(id, loaded.position);
  const saver = createSaver(
    () => store.save(progress.position()),
    (error) => fail(error),
    consumer === undefined ? 0 : SAVE_EVERY_MS,
  );
  if (loaded.isNew) void saver.schedule();
  /** The log that each update was read from: after a reset the same numbers are other updates. */
  const readIn = new Map<Update, Progress>();

  /** Aborted to end reading: for a stop, or for a failure, which is thrown when all handlers have ended. */
  const ending = new AbortController();
  let failure: { error: unknown } | undefined;
  let roomMade = () => {};
  /** Handlers that end after the stop's time-out are ignored: the next run may have begun. */
  let isOver = false;
  const fail = (error: unknown) => {
    failure ??= { error };
    ending.abort();
  };
  const stop = () => ending.abort();
  stopping.addEventListener("abort", stop, { once: true });
  ending.signal.addEventListener("abort", () => roomMade(), { once: true });

  const queues = createOrderQueues({
    concurrency,
    attempts,
    holds: afterFailure === "hold",
    work: (update, attempt, isLast) => bot.attempt(update, attempt, isLast, onGivenUp),
    onDone(update) {
      if (isOver) return;
      readIn.get(update)?.settle(update.update_id);
      readIn.delete(update);
      void saver.schedule();
      roomMade();
    },
    onError: fail,
  });

  const add = (update: Update, own: Order | undefined): void => {
    if (own === undefined) queues.add(update, concurrency === 1 ? "" : orderKey(order, update), false);
    else {
      const key = orderKey(own, update);
      // Its keys are not those of other handlers.
      queues.add(update, key && `own ${key}`, key === undefined);
    }
  };

  const known = new WeakSet<Context>();
  const watch = setInterval(() => bot.running.slow(known).forEach(printSlow), SLOW_MS);
  let isFirst = true;
  let polledAt = Date.now();
  try {
    while (!ending.signal.aborted) {
      // With less room, each update would need a poll of its own while handlers are slow.
      if (progress.room() < PAGE_UPDATES) {
        await new Promise<void>((resolve) => {
          roomMade = resolve;
        });
        continue;
      }
      // The first poll does not wait: it checks whether the log still reaches the saved position.
      const timeout = isFirst ? 0 : undefined;
      isFirst = false;
      // Once everything is handled and saved, the consumer's own position is the same, and shows that it is polled.
      const isByConsumer = consumer !== undefined && progress.isDone() && saver.isIdle();
      const from = isByConsumer ? { consumer } : { offset: progress.readTo() };
      if (consumer !== undefined && (isByConsumer || Date.now() - polledAt > CONSUMER_POLLED_MS)) {
        if (!isByConsumer) touch(bot.api, consumer, ending.signal);
        polledAt = Date.now();
      }
      const page = { ...from, limit: PAGE_UPDATES, timeout, signal: ending.signal };
      const updates = await nextUpdates((poll) => bot.api.pollUpdates(poll), page, {
        onPollFailure,
        onLogReset(reset) {
          onLogReset(reset);
          progress = createProgress(id, { bot_id: id, offset: reset.head, handled: [] });
          void saver.schedule();
        },
      });
      const first = updates[0]?.update_id ?? Number.POSITIVE_INFINITY;
      // The consumer was rewound meanwhile.
      if (first <= progress.readTo())
        progress = createProgress(id, { bot_id: id, offset: first - 1, handled: [] });
      const missing = { first: progress.readTo() + 1, last: (updates[0]?.update_id ?? 0) - 1 };
      // Gaps are updates that expired, or numbers skipped after a loss of data. A new bot has missed nothing.
      if (missing.first > 1 && missing.last >= missing.first) onExpired(missing);
      for (const update of updates) {
        if (!progress.read(update.update_id)) continue;
        bot.running.arrived(update, readIn.keys());
        readIn.set(update, progress);
        add(update, bot.hasOrders() ? await bot.orderOf(update) : undefined);
      }
    }
  } catch (error) {
    fail(error);
  }
  stopping.removeEventListener("abort", stop);
  const drained = queues.drain();
  if (!(await endedWithin(drained, stopTimeoutMs))) {
    bot.running.stop();
    await endedWithin(drained, CANCELLED_MS);
  }
  isOver = true;
  clearInterval(watch);
  await saver.finish();
  if (failure) throw failure.error;
}

/** The position to begin with, and whether it is to be saved. */
async function load(
  store: PositionStore,
  { api }: PolledBot,
  botId: string,
  { from }: StartOptions,
): Promise<{ position: Position | undefined; isNew: boolean }> {
  const position = await store.load();
  if (position || from === undefined) return { position, isNew: false };
  const offset = from === "now" ? await headOf(api) : 0;
  return { position: { bot_id: botId, offset, handled: [] }, isNew: true };
}

/** Reads the channels only if they are shown or passed on; the bot does not wait for that. */
async function tellStarted(
  { api }: PolledBot,
  me: BotIdentity,
  { onStart }: StartOptions,
  signal: AbortSignal,
): Promise<void> {
  const tell = onStart ?? (hasTerminal() ? printStarted : undefined);
  if (!tell) return;
  const channels = await api.listMyChannels({ signal }).catch(() => undefined);
  if (channels) tell({ me, channels: channels.items });
}

/** Polls by the consumer's name, so that the owner sees that it is read, also while the bot is behind and reads by offset. */
function touch(api: BotClient, consumer: string, signal: AbortSignal): void {
  api.pollUpdates({ consumer, limit: 1, signal, retries: 0 }).catch(() => {});
}

function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new TypeError(`${name} must be an integer from 1, not ${value}`);
}

/** @returns whether it has ended */
async function endedWithin(ended: Promise<void>, timeoutMs: number): Promise<boolean> {
  const late = new AbortController();
  const isLate = wait(timeoutMs, late.signal).catch(() => {});
  const hasEnded = await Promise.race([ended.then(() => true), isLate.then(() => false)]);
  late.abort();
  return hasEnded;
}

async function once<Result>(work: () => Promise<Result>): Promise<Result> {
  return await work();
}

/** Tries until the service can be reached. Rejects with what is no outage, and when `stopping` is aborted. */
async function untilReached<Result>(work: () => Promise<Result>, stopping: AbortSignal): Promise<Result> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (failures === 1) console.error(`botyard: ${(error as Error).message}: waiting for the service`);
      await wait(backoffMs(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS), stopping);
    }
  }
}

function printSlow({ update: { update_id: id, event_type: event } }: Context): void {
  console.error(
    `botyard: the handler of update ${id} (${event}) has been running for more than a minute: does it await something that never ends?`,
  );
}

function unlessStopped(stopping: AbortSignal) {
  return (error: unknown): undefined => {
    if (!stopping.aborted) throw error;
  };
}

function printExpired({ first, last }: { first: number; last: number }): void {
  console.error(`botyard: updates ${first} to ${last} have expired, or were skipped after a loss of data`);
}

function printPollFailure({ error, waitMs }: PollFailure): void {
  const seconds = (waitMs / 1000).toFixed(1);
  console.error(`botyard: ${(error as Error).message} (next try in ${seconds} s)`);
}
