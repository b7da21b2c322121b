import { SAVE_EVERY_MS } from "../bot/consumer-store.js";
import { createSaver } from "../bot/saver.js";
import type { BotClient } from "../client/bot-client.js";
import { isPassing, ServiceError } from "../errors.js";
import type { Consumer, Update } from "../types.js";
import { memorySeen, type SeenStore } from "./seen.js";

/** What the service knows of the updates that were handled. */
interface Known {
  position: number;
  done: ReadonlySet<number>;
  /** Milliseconds since the epoch; updates recorded later that are not above the position were handled. */
  since: number;
}

/** A request of the service waits 10 seconds for its answer: what is kept of it must not take longer. */
const QUICKLY = { retries: 0, timeoutMs: 2_000 };
/** Most numbers in one move. */
const MOST_DONE = 1_000;
/** How long the service is not asked again after it could not be reached. */
const PAUSE_MS = 30_000;
/** How far the clocks of the service's instances may be apart. */
const CLOCKS_MS = 60_000;

/**
 * Remembers which updates were handled: in memory, and in a consumer of the service, for after a restart. When the service cannot be
 * reached, memory has to do.
 *
 * A new consumer begins behind what the webhook no longer owes, which includes updates that failed for good and may be replayed. So
 * its position says nothing of updates that are older than the consumer itself.
 */
export function consumerSeen(client: BotClient, name: string): SeenStore {
  const memory = memorySeen();
  let known: Known | undefined;
  let loading: Promise<void> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let savedAt = Number.NEGATIVE_INFINITY;
  let pending: number[] = [];

  const learn = ({ position, done, created_at }: Consumer): void => {
    known = { position, done: new Set(done), since: Date.parse(created_at) + CLOCKS_MS };
  };

  const open = async (): Promise<void> => {
    await client.pollUpdates({ consumer: name, limit: 1, ...QUICKLY });
    const { items } = await client.listConsumers(QUICKLY);
    const own = items.find((consumer) => consumer.name.toLowerCase() === name.toLowerCase());
    if (own) learn(own);
  };

  const load = async (): Promise<void> => {
    try {
      await open();
    } catch (error) {
      if (failedAt === Number.NEGATIVE_INFINITY) {
        console.error(
          `botyard: ${(error as Error).message}; until then, updates that were handled before a restart may be handled again`,
        );
      }
      failedAt = Date.now();
    } finally {
      loading = undefined;
    }
  };

  const save = async (): Promise<void> => {
    savedAt = Date.now();
    const done = pending;
    pending = [];
    try {
      // Whatever the position is by now: these numbers are added to what is done.
      learn(await client.moveConsumer(name, { position: 0, done }, QUICKLY));
    } catch (error) {
      if (isPassing(error)) pending = [...done, ...pending].slice(-MOST_DONE);
      else if (error instanceof ServiceError && error.status === 400) await beginAnew();
      else known = undefined;
    }
  };

  /** Too many were handled above one that was not, and will not come again. The service knows best where to go on. */
  const beginAnew = async (): Promise<void> => {
    known = undefined;
    await client
      .deleteConsumer(name, QUICKLY)
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
      // Kept before the service gets its answer; when there is much to do, shortly after it.
      const isQuiet = saver.isIdle() && Date.now() - savedAt >= SAVE_EVERY_MS;
      const saved = saver.schedule();
      if (isQuiet) await saved;
    },
  };
}
