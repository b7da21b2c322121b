import type { BotClient } from "../client/bot-client.js";
import type { RequestOptions } from "../client/connection.js";
import { type LogReset, nextUpdates, type PollFailure, sayLogReset } from "../client/next-updates.js";
import { wait } from "../client/wait.js";
import type { BotIdentity, Update } from "../types.js";
import type { Outcome } from "./bot-error.js";
import { createLanes } from "./lanes.js";
import { createProgress, memoryStore, type Position, type PositionStore, type Progress } from "./position.js";

export interface StartOptions {
  /** Stops the bot in good order, like `stop()`. */
  signal?: AbortSignal;
  /** Where the position is kept. In memory unless given. */
  store?: PositionStore;
  /** Handlers under way at once, of different channels. 16 unless given; 1 for all in order. */
  concurrency?: number;
  /** How long a stop waits for handlers under way; what has not ended then comes again. 10,000 unless given. */
  stopTimeoutMs?: number;
  /**
   * Hears of numbers that are not in the log: updates that came and expired while the bot was away, or numbers that the
   * service passed over after it had lost data. Unless given, a line.
   */
  onExpired?(range: { first: number; last: number }): void;
  /**
   * Hears that the log ends before the last update that was read: the service has lost data, such as by a restored backup,
   * and gives those numbers out again. The bot goes on from that end, since the updates to come are none that it has read;
   * those that came between the loss and now are missed. Unless given, a line; throw to stop the bot instead.
   */
  onLogReset?(reset: LogReset): void;
  /** Hears of polls that failed and will be repeated. Unless given, a line on `console.error`. */
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

/** Reads ahead of the handlers and saves behind them, until `stopping` is aborted or something cannot be mended. */
export async function runPolling(
  bot: PolledBot,
  options: StartOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { concurrency = CONCURRENCY, stopTimeoutMs = STOP_TIMEOUT_MS, store = memoryStore() } = options;
  const { onExpired = sayExpired, onPollFailure = sayPollFailure, onLogReset = sayLogReset } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new TypeError(`concurrency must be an integer from 1, not ${concurrency}`);
  }
  if (stopping.aborted) return;
  // The token and the address are tried before anything else, and a restarted bot has its id from here.
  const { id } = await bot.me({ signal: stopping }).catch(unlessStopped(stopping));
  if (!id) return;
  let progress = createProgress(id, await store.load());
  const saver = createSaver(
    store,
    () => progress.position(),
    (error) => fail(error),
  );
  /** Where each update was read: one of before a reset has its number from another log. */
  const readIn = new WeakMap<Update, Progress>();

  /** Ends the reading: a stop, or a failure that is thrown when everything has come to rest. */
  const ending = new AbortController();
  let failure: { error: unknown } | undefined;
  let roomMade = () => {};
  /** What ends after the time-out of a stop counts no more: the next run may have begun. */
  let isOver = false;
  const fail = (error: unknown) => {
    failure ??= { error };
    ending.abort();
  };
  const stop = () => ending.abort();
  stopping.addEventListener("abort", stop, { once: true });
  ending.signal.addEventListener("abort", () => roomMade(), { once: true });

  const lanes = createLanes({
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
      // The first poll asks without waiting whether the log still reaches as far as the position that was kept.
      const timeout = isFirst ? 0 : undefined;
      isFirst = false;
      const limit = Math.min(PAGE_UPDATES, room);
      const page = { offset: progress.readTo(), limit, timeout, signal: ending.signal };
      const updates = await nextUpdates((poll) => bot.client.pollUpdates(poll), page, {
        onPollFailure,
        onLogReset(reset) {
          onLogReset(reset);
          progress = createProgress(id, { bot_id: id, offset: reset.head, handled: [] });
          saver.schedule();
        },
      });
      const missing = { first: progress.readTo() + 1, last: (updates[0]?.update_id ?? 0) - 1 };
      // Logs have no gaps but what expired, and what was passed over after a loss. A bot that begins anew has missed nothing.
      if (missing.first > 1 && missing.last >= missing.first) onExpired(missing);
      for (const update of updates) {
        readIn.set(update, progress);
        if (progress.read(update.update_id)) lanes.add(update);
      }
    }
  } catch (error) {
    fail(error);
  }
  stopping.removeEventListener("abort", stop);
  await endedWithin(lanes.drain(), stopTimeoutMs);
  isOver = true;
  await saver.finish();
  if (failure) throw failure.error;
}

interface Saver {
  /** The position has changed. */
  schedule(): void;
  /** Resolves when the last change is saved. */
  finish(): Promise<void>;
}

/** Saves one position at a time; what changes meanwhile shares the next save. */
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

function sayExpired({ first, last }: { first: number; last: number }): void {
  console.error(
    `botyard: updates ${first} to ${last} are not in the log: they expired before this bot came for them, or the service passed over these numbers after it had lost data`,
  );
}

function sayPollFailure({ error, waitMs }: PollFailure): void {
  const seconds = (waitMs / 1000).toFixed(1);
  console.error(`botyard: ${(error as Error).message} (the next try comes in ${seconds} s)`);
}
