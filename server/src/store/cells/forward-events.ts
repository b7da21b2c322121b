import type { EventEmitter } from "node:events";
import type { StoreEvents } from "../store.js";

const FORWARDED = [
  "appended",
  "laneChanged",
  "credentialsChanged",
  "ownerChanged",
  "consumerRewound",
  "postsErased",
  "upkeepWanted",
  "listeningBegan",
  "hintsLost",
  "failedOver",
] as const;

/** Emits what a cell's store tells as the store of all cells. Who moves is for that store itself. */
export function forwardEvents(from: EventEmitter<StoreEvents>, to: EventEmitter<StoreEvents>): void {
  const emit = to.emit.bind(to) as (name: string, ...parameters: unknown[]) => boolean;
  for (const name of FORWARDED) from.on(name, (...parameters: unknown[]) => void emit(name, ...parameters));
}
