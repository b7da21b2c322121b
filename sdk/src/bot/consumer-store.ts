import type { BotClient } from "../client/bot-client.js";
import { retryWaitMs } from "../client/next-updates.js";
import { wait } from "../client/wait.js";
import { isPassing, ServiceError } from "../errors.js";
import type { Consumer } from "../types.js";
import type { Position, PositionStore } from "./position.js";

/**
 * Keeps a bot's position in a consumer of the service, which is created if there is none.
 *
 * @param botId the bot of the client's token
 * @param stopping ends the tries to save while the service cannot be reached
 */
export function consumerStore(
  client: BotClient,
  name: string,
  botId: string,
  stopping: AbortSignal,
): PositionStore {
  const find = async (): Promise<Consumer | undefined> => {
    const { items } = await client.listConsumers();
    return items.find((consumer) => consumer.name.toLowerCase() === name.toLowerCase());
  };

  /** A later position that the service already keeps is left: another process reads with the same consumer. */
  const move = async ({ offset: position, handled: done }: Position): Promise<void> => {
    try {
      await client.moveConsumer(name, { position, done });
    } catch (error) {
      if (!(error instanceof ServiceError && error.status === 400)) throw error;
      const kept = await find();
      if (!kept || kept.position < position) throw error;
    }
  };

  return {
    async load() {
      // Creates it, and says that somebody reads.
      await client.pollUpdates({ consumer: name, limit: 1, signal: stopping });
      const consumer = await find();
      return consumer && { bot_id: botId, offset: consumer.position, handled: consumer.done };
    },
    async save(position) {
      for (let failures = 1; ; failures++) {
        try {
          await move(position);
          return;
        } catch (error) {
          if (!isPassing(error)) throw error;
          // What is not saved is handled again.
          if (stopping.aborted) return;
          await wait(retryWaitMs(error, failures), stopping).catch(() => {});
        }
      }
    },
  };
}
