import type { ConsumerPoll } from "../domain/events/consumer.js";
import { CONSUMER_POLLS_NOTED_MS } from "../domain/limits.js";
import type { Store } from "../store/store.js";

/** Records when consumers were polled. */
export interface ConsumerPolls {
  /** @param botId the bot whose consumer it is; `FEED` for a consumer of the platform's feed */
  note(botId: string, name: string): void;
  /** Writes what was collected. */
  close(): Promise<void>;
}

/** Consumers in one write at most. */
const POLLS_PER_WRITE = 500;

/**
 * Collects poll times in memory and writes those of all consumers together, at most once in {@link
 * CONSUMER_POLLS_NOTED_MS}, so a poll costs no write. Times that cannot be written are dropped; the next poll gives new
 * ones.
 */
export function createConsumerPolls(store: Pick<Store, "noteConsumerPolls">): ConsumerPolls {
  let noted = new Map<string, ConsumerPoll>();
  let timer: NodeJS.Timeout | undefined;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let writing = Promise.resolve();

  const write = async (polls: readonly ConsumerPoll[]): Promise<void> => {
    for (let from = 0; from < polls.length; from += POLLS_PER_WRITE)
      await store.noteConsumerPolls(polls.slice(from, from + POLLS_PER_WRITE)).catch(() => {});
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    wroteAt = performance.now();
    const polls = [...noted.values()];
    noted = new Map();
    writing = writing.then(() => write(polls));
  };

  return {
    note(botId, name) {
      noted.set(`${botId} ${name.toLowerCase()}`, { botId, name, at: Date.now() });
      timer ??= setTimeout(flush, Math.max(0, wroteAt + CONSUMER_POLLS_NOTED_MS - performance.now())).unref();
    },
    async close() {
      flush();
      await writing;
    },
  };
}
