import type { Consumer, MoveConsumerRequest } from "../types.js";

const MOST_DONE = 1_000;

/** The consumers of a fake service, which work like the real ones, except for the limit on their number. */
export interface FakeConsumers {
  list(): Consumer[];
  /** Finds or creates, for a poll. */
  open(name: string): Consumer;
  /** @returns the message of a refusal */
  move(name: string, to: MoveConsumerRequest): Consumer | string;
  delete(name: string): boolean;
  /**
   * Keeps that a process reads for it, unless another one does.
   *
   * @returns the other one
   */
  hold(name: string, reader: string, until: number, now: number): string | undefined;
}

/**
 * @param head returns the last number of the log
 * @param delivered returns the number up to which everything was delivered by webhook
 */
export function createFakeConsumers(head: () => number, delivered: () => number): FakeConsumers {
  const all = new Map<string, Omit<Consumer, "lag">>();
  const readers = new Map<string, { reader: string; until: number }>();
  const whole = (consumer: Omit<Consumer, "lag">): Consumer => ({
    ...consumer,
    lag: head() - consumer.position - consumer.done.length,
  });
  const open = (name: string): Omit<Consumer, "lag"> => {
    const found = all.get(name.toLowerCase());
    if (found) return found;
    const position = Math.max(delivered(), ...[...all.values()].map((one) => one.position));
    const created = { name, position, done: [], created_at: new Date().toISOString() };
    all.set(name.toLowerCase(), created);
    return created;
  };
  return {
    list: () => [...all.values()].map(whole),
    open(name) {
      const polled = open(name);
      polled.last_polled_at = new Date().toISOString();
      return whole(polled);
    },
    move(name, { position, done = [], rewind = false }) {
      if (Math.max(position, ...done) > head())
        return `position and done must not be beyond ${head()}, the last update_id of the bot`;
      const current = rewind ? undefined : all.get(name.toLowerCase());
      if (current && position < current.position && done.length === 0)
        return `position must not be below ${current.position}, where consumer "${current.name}" is: to go back, send "rewind": true`;
      const every = [...new Set([...(current?.done ?? []), ...done])].sort((a, b) => a - b);
      let reached = Math.max(position, current?.position ?? 0);
      const beyond = every.filter((id) => {
        if (id === reached + 1) reached = id;
        return id > reached;
      });
      if (beyond.length > MOST_DONE)
        return `done must not have more than ${MOST_DONE} numbers beyond the position, those sent before included: move the position first`;
      const consumer = open(name);
      consumer.position = reached;
      consumer.done = beyond;
      return whole(consumer);
    },
    delete: (name) => all.delete(name.toLowerCase()),
    hold(name, reader, until, now) {
      const held = readers.get(name.toLowerCase());
      if (held && held.reader !== reader && held.until > now) return held.reader;
      readers.set(name.toLowerCase(), { reader, until });
      return undefined;
    },
  };
}
