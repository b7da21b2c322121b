import type { Consumer, MoveConsumerRequest } from "../types.js";

/** The consumers of a fake service: as the real one keeps them, but for their limit. */
export interface FakeConsumers {
  list(): Consumer[];
  /** Finds or creates. */
  open(name: string): Consumer;
  /** @returns the message of a refusal */
  move(name: string, to: MoveConsumerRequest): Consumer | string;
  delete(name: string): boolean;
}

/** @param head gives the last number of the log */
export function createFakeConsumers(head: () => number): FakeConsumers {
  const all = new Map<string, Omit<Consumer, "lag">>();
  const whole = (consumer: Omit<Consumer, "lag">): Consumer => ({
    ...consumer,
    lag: head() - consumer.position - consumer.done.length,
  });
  const open = (name: string): Omit<Consumer, "lag"> => {
    const found = all.get(name.toLowerCase());
    if (found) return found;
    const position = Math.max(0, ...[...all.values()].map((one) => one.position));
    const created = { name, position, done: [], created_at: new Date().toISOString() };
    all.set(name.toLowerCase(), created);
    return created;
  };
  return {
    list: () => [...all.values()].map(whole),
    open: (name) => whole(open(name)),
    move(name, { position, done = [], rewind = false }) {
      if (Math.max(position, ...done) > head())
        return `position and done must not be beyond ${head()}, the last update_id of the bot`;
      const current = rewind ? undefined : all.get(name.toLowerCase());
      if (current && position < current.position)
        return `position must not be below ${current.position}, where consumer "${current.name}" is: to go back, send "rewind": true`;
      const consumer = open(name);
      const beyond = [...new Set([...(current?.done ?? []), ...done])].sort((a, b) => a - b);
      consumer.position = position;
      consumer.done = beyond.filter((id) => {
        if (id === consumer.position + 1) consumer.position = id;
        return id > consumer.position;
      });
      return whole(consumer);
    },
    delete: (name) => all.delete(name.toLowerCase()),
  };
}
