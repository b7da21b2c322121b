import { EventEmitter } from "node:events";
import type { Update } from "../domain/update.js";

/**
 * Hints: what they say is durable and visible when they fire, but they may come late or not at all, so every listener
 * also has a slow way to find out.
 */
export interface StoreEvents {
  /** Logs grew. */
  appended: [heads: LogHead[]];
  /**
   * What is delivered to the bot's webhook, or where, has changed: the webhook was set, removed, paused, resumed or replayed,
   * or the bot disabled, enabled or deleted.
   */
  laneChanged: [botId: string];
  /** The bot's credentials have changed: its token was replaced, or it was disabled, enabled or deleted. */
  credentialsChanged: [botId: string];
  /** Hints of other instances are received from now on. Those sent before, since the store was opened, may have been missed. */
  listeningBegan: [];
  /** Hints of other instances were missed for a while, and are received again. */
  hintsLost: [];
}

/** Hears of what a listener threw. */
export type OnListenerError = (error: unknown) => void;

/**
 * Makes the emitter of a store. A listener that throws is told to `onError` and to nobody else: what the hint speaks of is
 * committed by then, and whoever wrote it would take it for failed and write it again. The other listeners still hear it.
 *
 * @param onError by default the process ends by it, as by every error that nobody catches
 */
export function createStoreEvents(onError: OnListenerError = throwApart): EventEmitter<StoreEvents> {
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

function throwApart(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/** What a bot's log has grown to. */
export interface LogHead extends LogGrowth {
  botId: string;
  /** Whether the bot's lane is there to be claimed: its webhook is set, the bot enabled, and the lane not held. */
  isClaimable: boolean;
}

export interface LogGrowth {
  /** The number of the newest update. */
  lastUpdateId: number;
  /** What the newest updates are about, the last of them up to `lastUpdateId`; absent where that is not at hand. */
  posts?: readonly AppendedPost[];
}

export interface AppendedPost {
  /** The event as JSON text. */
  payload: string;
  createdAt: number;
}

/** All updates numbered above `offset`, if the posts of these are at hand; else none, and they are to be read. */
export function updatesAbove(offset: number, { lastUpdateId, posts = [] }: LogGrowth): Update[] {
  const before = lastUpdateId - posts.length;
  if (before > offset) return [];
  return posts
    .slice(offset - before)
    .map(({ payload, createdAt }, index) => ({ updateId: offset + 1 + index, payload, createdAt }));
}
