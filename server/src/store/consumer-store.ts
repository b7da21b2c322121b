import type {
  Consumer,
  ConsumerMove,
  ConsumerPoll,
  ConsumerPosition,
  MoveRefusal,
} from "../domain/consumer.js";
import type { Update } from "../domain/update.js";

/** A consumer's position and the updates above it, those in `done` included. */
export interface ConsumedRead extends ConsumerPosition {
  updates: Update[];
}

/** The part of the store that is about consumers: named positions in a bot's log. A name is compared without case. */
export interface ConsumerStore {
  /** @returns undefined without such a consumer */
  findConsumer(botId: string, name: string): Promise<ConsumerPosition | undefined>;
  /**
   * A consumer's position and, read with it, the updates above that, ascending.
   *
   * @returns undefined without such a consumer
   */
  readConsumed(
    botId: string,
    name: string,
    limit: number,
    maxBytes?: number,
  ): Promise<ConsumedRead | undefined>;
  /**
   * Finds a consumer or creates it. A new one begins after everything that another consumer of the bot has handled and
   * that its webhook has been sent and need not send again; without either, at the oldest update that is kept.
   *
   * @returns undefined without such a bot; "too many" when it has `MAX_CONSUMERS_PER_BOT`
   */
  openConsumer(botId: string, name: string, now: number): Promise<ConsumerPosition | "too many" | undefined>;
  /**
   * Moves a consumer, or creates it there. Of two concurrent moves the higher number wins.
   *
   * @returns undefined without such a bot
   */
  moveConsumer(
    botId: string,
    name: string,
    move: ConsumerMove,
    now: number,
  ): Promise<Consumer | MoveRefusal | undefined>;
  /** A bot's consumers, by creation, oldest first. */
  listConsumers(botId: string): Promise<Consumer[]>;
  /** @returns false without such a consumer */
  deleteConsumer(botId: string, name: string): Promise<boolean>;
  /** Stores when consumers were last polled. */
  noteConsumerPolls(polls: readonly ConsumerPoll[]): Promise<void>;
}
