import { EventEmitter } from "node:events";
import type { Cause } from "../domain/events/cause.js";
import type { Update } from "../domain/events/update.js";

/**
 * Hints of changes. A change is durable and visible before its hint is emitted. Hints may be late or lost, so every
 * listener also reads the store from time to time.
 */
export interface StoreEvents {
  /** Logs grew. */
  appended: [heads: LogHead[]];
  /**
   * What is delivered to the bot's webhook, or where, has changed: the webhook was set, removed, paused or resumed,
   * failures were replayed, or the bot was disabled, enabled or deleted.
   */
  laneChanged: [botId: string];
  /** The bot's credentials have changed: its token was replaced, or it was disabled, enabled or deleted. */
  credentialsChanged: [botId: string];
  /** The platform has decided something about the owner. */
  ownerChanged: [ownerUserId: string];
  /** The owner is being moved to another cell, or has moved there. */
  ownerMoved: [ownerUserId: string];
  /**
   * A consumer of the bot, or of the platform's feed (`FEED`), may have been rewound: polls that wait for it read its
   * position again.
   */
  consumerRewound: [botId: string];
  /** A post, or posts of a channel, were erased: copies in memory must not be sent any more. */
  postsErased: [postOrChannelId: string];
  /** Another instance waits for something to be erased. */
  upkeepWanted: [];
  /** Hints of other instances are received from now on. Earlier ones, since the store was opened, may have been missed. */
  listeningBegan: [];
  /** Hints of other instances were missed for a while, and are received again. */
  hintsLost: [];
  /** The database was set back: by a fail-over to a standby, or by a restore. What was written last may be lost. */
  failedOver: [Failover];
}

/** PostgreSQL's timelines before and after. The same one twice: the storage was restored beneath the server. */
export interface Failover {
  fromTimeline: number;
  toTimeline: number;
}

/** Receives what a listener threw. */
export type OnListenerError = (error: unknown) => void;

/**
 * Creates the emitter of a store. An error of a listener goes to `onError` and not to the writer: the write is
 * committed by then, and the writer would repeat it. The other listeners are still called.
 *
 * @param onError by default the error is an uncaught exception
 */
export function createStoreEvents(onError: OnListenerError = throwUncaught): EventEmitter<StoreEvents> {
  const events = new EventEmitter<StoreEvents>();
  events.emit = (name: keyof StoreEvents, ...parameters: unknown[]) => {
    const listeners = events.rawListeners(name);
    for (const listener of listeners) {
      try {
        Reflect.apply(listener, events, parameters);
      } catch (error) {
        onError(error);
      }
    }
    return listeners.length > 0;
  };
  return events;
}

function throwUncaught(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/** A log that grew. */
export interface LogHead extends LogGrowth {
  /** The bot whose log it is; `FEED` for a log of the platform's feed. */
  botId: string;
  /** Whether the lane of the bot's webhook `default` can be claimed: it is set, the bot enabled, and the lane not held. */
  isClaimable: boolean;
  /** Whether a lane of another of its webhooks can; left out when it has no other that is open. */
  isFurtherClaimable?: boolean;
}

export interface LogGrowth {
  /** The number of the newest update. */
  lastUpdateId: number;
  /** The events of the newest updates, up to that of `lastUpdateId`; absent when they are not in memory. */
  events?: readonly PushedEvent[];
}

export interface PushedEvent {
  /** The kind of event; left out of a post. */
  eventType?: string;
  /** The event as JSON text. */
  payload: string;
  createdAt: number;
  cause?: Cause | undefined;
}

/** All updates numbered above `offset`, if their events are in memory; otherwise none, and the caller has to read them. */
export function updatesAbove(offset: number, { lastUpdateId, events = [] }: LogGrowth): Update[] {
  const before = lastUpdateId - events.length;
  if (before > offset) return [];
  return events.slice(offset - before).map(({ eventType, payload, createdAt, cause }, index) => ({
    updateId: offset + 1 + index,
    ...(eventType !== undefined && { eventType }),
    payload,
    createdAt,
    ...(cause !== undefined && { cause }),
  }));
}
