import { isUsername } from "../../domain/bots/bot.js";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_USERNAME_CHARS } from "../../domain/limits.js";
import type { Skip, Store } from "../../store/store.js";

/** Which undelivered updates a webhook that is newly set is sent. */
export type DeliverFrom = "backlog" | "now" | { updateId: number } | { consumer: string };

const DELIVER_FROM_RULE = `must be "backlog", "now", "consumer:" and a name, or the number of an update like "42"`;

/** No log ever has numbers of more than 15 digits. */
const UPDATE_ID = /^[1-9]\d{0,14}$/;
const CONSUMER = "consumer:";

/** @throws InvalidInput */
export function parseDeliverFrom(value: string): DeliverFrom {
  if (value === "backlog" || value === "now") return value;
  if (UPDATE_ID.test(value)) return { updateId: Number(value) };
  if (value.startsWith(CONSUMER)) {
    const consumer = value.slice(CONSUMER.length);
    if (consumer.length <= MAX_USERNAME_CHARS && isUsername(consumer)) return { consumer };
  }
  throw new InvalidInput(`deliver_from ${DELIVER_FROM_RULE}`);
}

/**
 * The updates that a newly set webhook skips. By default those that any consumer of the bot has handled; none without
 * consumers.
 *
 * @throws InvalidInput when the choice is beyond the log, or a consumer that does not exist
 */
export async function skipFor(
  store: Store,
  botId: string,
  from: DeliverFrom | undefined,
): Promise<Skip | undefined> {
  if (from === "backlog") return undefined;
  if (from === "now") return { through: Number.MAX_SAFE_INTEGER, done: [] };
  if (from === undefined) return await handledByAny(store, botId);
  if ("updateId" in from) {
    const next = ((await store.readLogHead(botId)) ?? 0) + 1;
    if (from.updateId <= next) return { through: from.updateId - 1, done: [] };
    throw new InvalidInput(
      `deliver_from must not be beyond ${next}, the next update_id of the bot`,
      "beyond_log",
    );
  }
  const consumer = await store.findConsumer(botId, from.consumer);
  if (consumer) return { through: consumer.position, done: consumer.done };
  throw new InvalidInput(
    `deliver_from names consumer "${from.consumer}", which the bot does not have`,
    "unknown_consumer",
  );
}

async function handledByAny(store: Store, botId: string): Promise<Skip | undefined> {
  const consumers = await store.listConsumers(botId);
  if (consumers.length === 0) return undefined;
  const through = Math.max(...consumers.map(({ position }) => position));
  const done = new Set(consumers.flatMap((consumer) => consumer.done));
  return { through, done: [...done].filter((updateId) => updateId > through) };
}
