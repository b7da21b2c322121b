import type { BotClient } from "../client/bot-client.js";
import type { RequestOptions } from "../client/connection.js";
import { type LogReset, nextUpdates, type PollFailure, printLogReset } from "../client/next-updates.js";
import { wait } from "../client/wait.js";
import type { BotIdentity, Update } from "../types.js";
import type { Outcome } from "./bot-error.js";
import { createChannelQueues } from "./channel-queues.js";
import { consumerStore, headOf, SAVE_EVERY_MS } from "./consumer-store.js";
import { createProgress, type Position, type PositionStore, type Progress } from "./position.js";
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
  /** Handlers that run at once, for different channels. 16 unless given; 1 handles all updates in order. */
  concurrency?: number;
  /**
   * How long a stop waits for running handlers, in milliseconds; unfinished updates are handled again at the next
   * start. 10,000 unless given.
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
  attempt(update: Update, attempt: number, isLast: boolean | undefined): Promise<Outcome | "outage">;
}

const CONSUMER = "main";
const ATTEMPTS = 10;
const CONCURRENCY = 16;
const STOP_TIMEOUT_MS = 10_000;
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
  if (attempts !== Number.POSITIVE_INFINITY) checkCount("attempts", attempts);
  checkCount("concurrency", concurrency);
  if (options.consumer !== undefined && options.store)
    throw new TypeError("give a store or a consumer, not both");
  if (stopping.aborted) return;
  // Checks the token and the address before anything else, and returns the id for the position.
  const me = await bot.me({ signal: stopping }).catch(unlessStopped(stopping));
  if (!me) return;
  const { id } = me;
  const consumer = options.store ? undefined : (options.consumer ?? CONSUMER);
  const store = options.store ?? consumerStore(bot.api, consumer as string, id, stopping, options.from);
  const loaded = await load(store, bot, id, options).catch(unlessStopped(stopping));
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

  const queues = createChannelQueues({
    concurrency,
    attempts,
    work: (update, attempt, isLast) => bot.attempt(update, attempt, isLast),
    onDone(update) {
      if (isOver) return;
      readIn.get(update)?.settle(update.update_id);
      readIn.delete(update);
      void saver.schedule();
      roomMade();
    },
    onError: fail,
  });

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
        readIn.set(update, progress);
        queues.add(update);
      }
    }
  } catch (error) {
    fail(error);
  }
  stopping.removeEventListener("abort", stop);
  await endedWithin(queues.drain(), stopTimeoutMs);
  isOver = true;
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

async function endedWithin(ended: Promise<void>, timeoutMs: number): Promise<void> {
  const late = new AbortController();
  await Promise.race([ended, wait(timeoutMs, late.signal).catch(() => {})]);
  late.abort();
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
