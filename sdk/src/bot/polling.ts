import type { BotClient } from "../client/bot-client.js";
import type { RequestOptions } from "../client/connection.js";
import { nextUpdates, type PollFailure, printLogReset } from "../client/next-updates.js";
import { backoffMs, wait } from "../client/wait.js";
import type { BotIdentity, Update } from "../types.js";
import { type ErrorHandler, isOutage, type Outcome } from "./bot-error.js";
import { consumerStore, headOf, SAVE_EVERY_MS } from "./consumer-store.js";
import type { Context } from "./context.js";
import { type Order, orderKey } from "./order.js";
import { createOrderQueues } from "./order-queues.js";
import { createProgress, type Position, type PositionStore, type Progress } from "./position.js";
import type { Reach } from "./reader.js";
import type { Running } from "./running.js";
import { createSaver } from "./saver.js";
import { type CheckedOptions, checkedOptions, type StartOptions } from "./start-options.js";
import { hasTerminal } from "./terminal.js";

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
  /** Says which commands products are to offer, if there are any. */
  registerCommands(options: RequestOptions): Promise<void>;
  /** Whether a handler has an order of its own, and that of the handler for an update. */
  hasOrders(): boolean;
  orderOf(update: Update): Promise<Order | undefined>;
}

/** How long handlers may take to end after their signal was aborted. */
const CANCELLED_MS = 1_000;
/** A handler that runs for longer is named. */
const SLOW_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const PAGE_UPDATES = 100;

/** Reads ahead of the handlers and saves the position behind them, until `stopping` is aborted or an error is final. */
export async function runPolling(bot: PolledBot, given: StartOptions, stopping: AbortSignal): Promise<void> {
  const options = checkedOptions(given);
  if (stopping.aborted) return;
  const reach: Reach = (work) =>
    (options.wait || options.standby ? untilReached(work, stopping) : work()).catch((error: unknown) => {
      if (!stopping.aborted) throw error;
      return undefined;
    });
  // Checks the token and the address before anything else, and returns the id for the position.
  const me = await reach(() => bot.me({ signal: stopping }));
  if (!me) return;
  const { consumer } = options;
  const read = () => readUpdates(bot, me, options, stopping, reach);
  if (consumer === undefined) return await read();
  // Loaded here, so that a bundled program whose bot has a webhook does without.
  const { readAlone } = await import("./reader.js");
  await readAlone(bot.api, consumer, options, stopping, reach, read);
}

async function readUpdates(
  bot: PolledBot,
  me: BotIdentity,
  options: CheckedOptions,
  stopping: AbortSignal,
  reach: Reach,
): Promise<void> {
  const { attempts, concurrency, consumer, order, afterFailure, stopTimeoutMs } = options;
  const { onExpired = printExpired, onPollFailure = printPollFailure, onLogReset = printLogReset } = options;
  const { id } = me;
  const store = options.store ?? consumerStore(bot.api, consumer as string, id, stopping, options.from);
  const loaded = await reach(() => load(store, bot, id, options));
  await reach(() => bot.registerCommands({ signal: stopping }));
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
    work: (update, attempt, isLast) => bot.attempt(update, attempt, isLast, givenUp.onGivenUp),
    onDone(update) {
      if (isOver) return;
      givenUp.onDone(update);
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

  const handIn = async (update: Update): Promise<void> => add(update, await bot.orderOf(update));
  const { keepGivenUp } = await import("./given-up.js");
  const givenUp = keepGivenUp(bot.api, options, untilReached, handIn, ending.signal);

  const known = new WeakSet<Context>();
  const watch = setInterval(() => bot.running.slow(known).forEach(printSlow), SLOW_MS);
  let isFirst = true;
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
  // Loaded only where somebody sits in front of it.
  const tell = onStart ?? (hasTerminal() ? (await import("./started.js")).printStarted : undefined);
  if (!tell) return;
  const channels = await api.listMyChannels({ signal }).catch(() => undefined);
  if (channels) tell({ me, channels: channels.items });
}

/** @returns whether it has ended */
async function endedWithin(ended: Promise<void>, timeoutMs: number): Promise<boolean> {
  const late = new AbortController();
  const isLate = wait(timeoutMs, late.signal).catch(() => {});
  const hasEnded = await Promise.race([ended.then(() => true), isLate.then(() => false)]);
  late.abort();
  return hasEnded;
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
  console.error(`botyard: the handler of update ${id} (${event}) has run for over a minute`);
}

function printExpired({ first, last }: { first: number; last: number }): void {
  console.error(`botyard: updates ${first} to ${last} have expired, or were skipped after a loss of data`);
}

function printPollFailure({ error, waitMs }: PollFailure): void {
  const seconds = (waitMs / 1000).toFixed(1);
  console.error(`botyard: ${(error as Error).message} (next try in ${seconds} s)`);
}
