import { findConsumer, SAVE_EVERY_MS } from "../bot/consumer-store.js";
import { createSaver } from "../bot/saver.js";
import type { BotClient } from "../client/bot-client.js";
import { isPassing, ServiceError } from "../errors.js";
import type { Consumer, Update } from "../types.js";
import { memorySeen, type SeenStore } from "./seen.js";

/** What the service knows of the updates that were handled. */
interface Known {
  position: number;
  done: ReadonlySet<number>;
  /** Milliseconds since the epoch. Updates that were recorded later and are not above the position were handled. */
  since: number;
}

/** The service waits 10 seconds for the answer to a delivery; storing that it was handled must not take longer. */
const WITHIN_DELIVERY = { retries: 0, timeoutMs: 2_000 };
/** Most numbers in one move. */
const MOST_DONE = 1_000;
/** How long the service is not asked again after it could not be reached. */
const PAUSE_MS = 30_000;
/** How far the clocks of the service's instances may be apart. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Remembers which updates were handled: in memory, and in a consumer of the service, which survives a restart. While
 * the service cannot be reached, only memory is used.
 *
 * A new consumer begins after everything that the webhook need not send again. That includes updates that failed for
 * good and may be replayed, so its position says nothing about updates that are older than the consumer.
 */
export function consumerSeen(client: BotClient, name: string): SeenStore {
  const memory = memorySeen();
  let known: Known | undefined;
  let loading: Promise<void> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let savedAt = Number.NEGATIVE_INFINITY;
  let pending: number[] = [];

  const learn = ({ position, done, created_at }: Consumer): void => {
    known = { position, done: new Set(done), since: Date.parse(created_at) + CLOCK_TOLERANCE_MS };
  };

  const open = async (): Promise<void> => {
    await client.pollUpdates({ consumer: name, limit: 1, ...WITHIN_DELIVERY });
    const own = await findConsumer(client, name, WITHIN_DELIVERY);
    if (own) learn(own);
  };

  const load = async (): Promise<void> => {
    try {
      await open();
    } catch (error) {
      if (failedAt === Number.NEGATIVE_INFINITY) {
        console.error(`botyard: ${(error as Error).message}; after a restart, updates may be handled again`);
      }
      failedAt = Date.now();
    } finally {
      loading = undefined;
    }
  };

  const save = async (): Promise<void> => {
    savedAt = Date.now();
    // What more was handled during a slow save goes with the next one.
    const done = pending.splice(0, MOST_DONE);
    try {
      // With position 0 the stored position does not change; the numbers are added to `done`.
      learn(await client.moveConsumer(name, { position: 0, done }, WITHIN_DELIVERY));
    } catch (error) {
      if (isPassing(error)) pending = [...done, ...pending].slice(-MOST_DONE);
      else if (error instanceof ServiceError && error.status === 400) await beginAnew();
      else known = undefined;
    }
  };

  /**
   * Too many updates were handled above one that was not handled and will not come again. The consumer is deleted and
   * created again, so that the service decides where it begins.
   */
  const beginAnew = async (): Promise<void> => {
    known = undefined;
    await client
      .deleteConsumer(name, WITHIN_DELIVERY)
      .then(open)
      .catch(() => {});
  };

  const saver = createSaver(save, () => {}, SAVE_EVERY_MS);

  return {
    async has(updateId, update: Update) {
      if (memory.has(updateId)) return true;
      if (!known && Date.now() - failedAt >= PAUSE_MS) {
        loading ??= load();
        await loading;
      }
      if (!known) return false;
      if (known.done.has(updateId)) return true;
      return updateId <= known.position && Date.parse(update.created_at) > known.since;
    },
    async add(updateId) {
      memory.add(updateId);
      if (!known) return;
      pending.push(updateId);
      // Saved before the service gets its answer; under load shortly after it.
      const isQuiet = saver.isIdle() && Date.now() - savedAt >= SAVE_EVERY_MS;
      const saved = saver.schedule();
      if (isQuiet) await saved;
    },
  };
}
