import type { BotClient } from "../client/bot-client.js";
import type { RequestOptions } from "../client/connection.js";
import { type LogReset, nextUpdates, type PollFailure, printLogReset } from "../client/next-updates.js";
import { wait } from "../client/wait.js";
import type { BotIdentity, Update } from "../types.js";
import type { Outcome } from "./bot-error.js";
import { createChannelQueues } from "./channel-queues.js";
import { consumerStore } from "./consumer-store.js";
import { createProgress, memoryStore, type Position, type PositionStore, type Progress } from "./position.js";

export interface StartOptions {
  /** Stops the bot gracefully, like `stop()`. */
  signal?: AbortSignal;
  /** Where the position is kept. In memory unless given. */
  store?: PositionStore;
  /**
   * Extension: the name of a consumer, in which the service keeps the position instead of a store. It moves behind the updates
   * whose handlers have finished.
   */
  consumer?: string;
  /** Handlers that run at once, for different channels. 16 unless given; 1 handles all updates in order. */
  concurrency?: number;
  /** How long a stop waits for running handlers; unfinished updates are handled again at the next start. 10,000 unless given. */
  stopTimeoutMs?: number;
  /**
   * Called with numbers that are missing in the log: updates that expired before the bot read them, or numbers that the
   * service passed over after a loss of data. Unless given, it prints a line.
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
interface PolledBot {
  client: BotClient;
  me(options: RequestOptions): Promise<BotIdentity>;
  process(update: Update, attempt: number): Promise<Outcome>;
}

const CONCURRENCY = 16;
const STOP_TIMEOUT_MS = 10_000;
const PAGE_UPDATES = 100;

/** Reads ahead of the handlers and saves the position behind them, until `stopping` is aborted or an error is final. */
export async function runPolling(
  bot: PolledBot,
  options: StartOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { concurrency = CONCURRENCY, stopTimeoutMs = STOP_TIMEOUT_MS, consumer } = options;
  const { onExpired = printExpired, onPollFailure = printPollFailure, onLogReset = printLogReset } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new TypeError(`concurrency must be an integer from 1, not ${concurrency}`);
  }
  if (consumer !== undefined && options.store) throw new TypeError("give a store or a consumer, not both");
  if (stopping.aborted) return;
  // Tests the token and the address before anything else, and gives the id for the position.
  const { id } = await bot.me({ signal: stopping }).catch(unlessStopped(stopping));
  if (!id) return;
  const store =
    consumer === undefined
      ? (options.store ?? memoryStore())
      : consumerStore(bot.client, consumer, id, stopping);
  const saved = await store.load().catch((error: unknown): undefined => {
    if (!stopping.aborted) throw error;
  });
  if (stopping.aborted) return;
  let progress = createProgress(id, saved);
  const saver = createSaver(
    store,
    () => progress.position(),
    (error) => fail(error),
  );
  /** The log that each update was read from: after a reset the same numbers are other updates. */
  const readIn = new WeakMap<Update, Progress>();

  /** Ends reading: for a stop, or for a failure, which is thrown when all handlers have ended. */
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
    work: (update, attempt) => bot.process(update, attempt),
    onDone(update) {
      if (isOver) return;
      readIn.get(update)?.settle(update.update_id);
      saver.schedule();
      roomMade();
    },
    onError: fail,
  });

  let isFirst = true;
  try {
    while (!ending.signal.aborted) {
      const room = progress.room();
      if (room === 0) {
        await new Promise<void>((resolve) => {
          roomMade = resolve;
        });
        continue;
      }
      // The first poll does not wait: it checks whether the log still reaches the saved position.
      const timeout = isFirst ? 0 : undefined;
      isFirst = false;
      const limit = Math.min(PAGE_UPDATES, room);
      // Once everything is handled and saved, the consumer's own position is the same, and shows that it is polled.
      const isByConsumer = consumer !== undefined && progress.isDone() && saver.isIdle();
      const from = isByConsumer ? { consumer } : { offset: progress.readTo() };
      const page = { ...from, limit, timeout, signal: ending.signal };
      const updates = await nextUpdates((poll) => bot.client.pollUpdates(poll), page, {
        onPollFailure,
        onLogReset(reset) {
          onLogReset(reset);
          progress = createProgress(id, { bot_id: id, offset: reset.head, handled: [] });
          saver.schedule();
        },
      });
      const first = updates[0]?.update_id ?? Number.POSITIVE_INFINITY;
      // Somebody has rewound the consumer meanwhile.
      if (first <= progress.readTo())
        progress = createProgress(id, { bot_id: id, offset: first - 1, handled: [] });
      const missing = { first: progress.readTo() + 1, last: (updates[0]?.update_id ?? 0) - 1 };
      // Gaps are updates that expired, or numbers passed over after a loss of data. A new bot has missed nothing.
      if (missing.first > 1 && missing.last >= missing.first) onExpired(missing);
      for (const update of updates) {
        readIn.set(update, progress);
        if (progress.read(update.update_id)) queues.add(update);
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

interface Saver {
  /** Whether the last change is saved. */
  isIdle(): boolean;
  /** The position has changed. */
  schedule(): void;
  /** Resolves when the last change is saved. */
  finish(): Promise<void>;
}

/** Saves one position at a time; changes during a save share the next one. */
function createSaver(
  store: PositionStore,
  position: () => Position,
  onError: (error: unknown) => void,
): Saver {
  let isDue = false;
  let saving: Promise<void> | undefined;

  const saveAll = async () => {
    try {
      while (isDue) {
        isDue = false;
        await store.save(position());
      }
    } catch (error) {
      onError(error);
    } finally {
      saving = undefined;
    }
  };

  return {
    isIdle: () => saving === undefined,
    schedule() {
      isDue = true;
      saving ??= Promise.resolve().then(saveAll);
    },
    async finish() {
      await saving;
    },
  };
}

async function endedWithin(ended: Promise<void>, timeoutMs: number): Promise<void> {
  const late = new AbortController();
  await Promise.race([ended, wait(timeoutMs, late.signal).catch(() => {})]);
  late.abort();
}

function unlessStopped(stopping: AbortSignal) {
  return (error: unknown) => {
    if (stopping.aborted) return { id: undefined };
    throw error;
  };
}

function printExpired({ first, last }: { first: number; last: number }): void {
  console.error(
    `botyard: updates ${first} to ${last} are not in the log: they expired before this bot read them, or the service passed over these numbers after a loss of data`,
  );
}

function printPollFailure({ error, waitMs }: PollFailure): void {
  const seconds = (waitMs / 1000).toFixed(1);
  console.error(`botyard: ${(error as Error).message} (next try in ${seconds} s)`);
}
