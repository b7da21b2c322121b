import type { BotClient } from "../client/bot-client.js";
import type { RequestOptions } from "../client/connection.js";
import { storePosition } from "../client/store-position.js";
import { ServiceError } from "../errors.js";
import type { Consumer } from "../types.js";
import type { PositionStore } from "./position.js";

/** A consumer is moved at most four times a second: each move is a durable write of the service. */
export const SAVE_EVERY_MS = 250;

/**
 * Keeps a bot's position in a consumer of the service, which is created if there is none.
 *
 * @param botId the bot of the client's token
 * @param stopping when aborted, ends the attempts to save while the service cannot be reached
 * @param from where a new consumer begins; by default the service decides
 */
export function consumerStore(
  client: BotClient,
  name: string,
  botId: string,
  stopping: AbortSignal,
  from: "now" | "start" | undefined,
): PositionStore {
  const create = async (): Promise<Consumer | undefined> => {
    if (from !== undefined) {
      const position = from === "now" ? await headOf(client) : 0;
      // Refused when another process has created it meanwhile with a higher position.
      await client.moveConsumer(name, { position }).catch(unlessRefused);
    } else {
      await client.pollUpdates({ consumer: name, limit: 1, signal: stopping });
    }
    return await findConsumer(client, name);
  };

  return {
    async load() {
      const consumer = (await findConsumer(client, name)) ?? (await create());
      return consumer && { bot_id: botId, offset: consumer.position, handled: consumer.done };
    },
    // Refused when another process with the same consumer has a higher position, or when the log ends before the position,
    // which the next poll reports.
    save: ({ offset: position, handled: done }) =>
      storePosition(() => client.moveConsumer(name, { position, done }).catch(unlessRefused), stopping),
  };
}

/** The consumer of this name, in whatever case; undefined when there is none. */
export async function findConsumer(
  client: BotClient,
  name: string,
  options?: RequestOptions,
): Promise<Consumer | undefined> {
  const { items } = await client.listConsumers(options).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.status === 404)) throw error;
    throw new Error("this service keeps no positions: update it, or set the option store or seen", {
      cause: error,
    });
  });
  return items.find((consumer) => consumer.name.toLowerCase() === name.toLowerCase());
}

/** The last number of the log: the service says it to a poll that asks beyond the end. */
export async function headOf(client: BotClient): Promise<number> {
  const { logHead = 0 } = await client.pollUpdates({ offset: Number.MAX_SAFE_INTEGER, limit: 1 });
  return logHead;
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof ServiceError && error.status === 400)) throw error;
}
