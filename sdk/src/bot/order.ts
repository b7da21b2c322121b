import type { Update } from "../types.js";
import { channelIdOf, postIdOf } from "./context.js";
import { authorIn } from "./interaction.js";

/**
 * Which updates wait for each other: those of a channel, of an author in a channel, about the same post, none, or those for which
 * a function returns the same text (undefined: it waits for none).
 */
export type Order = "channel" | "author" | "post" | "none" | ((update: Update) => string | undefined);

const NAMES = ["channel", "author", "post", "none"];

/** @throws {TypeError} when it is no order */
export function checkOrder(order: unknown): void {
  if (typeof order === "function" || NAMES.includes(order as string)) return;
  throw new TypeError(
    `order must be one of ${NAMES.join(", ")}, or a function, not ${JSON.stringify(order)}`,
  );
}

/** Updates with the same key are handled one after the other; one without a key waits for none. */
export function orderKey(order: Order, update: Update): string | undefined {
  if (typeof order === "function") return order(update);
  if (order === "none") return undefined;
  // Updates without a channel share a key.
  const channel = channelIdOf(update) ?? "";
  if (order === "author") return `${channel} ${authorIn(update)?.id ?? ""}`;
  return order === "post" ? (postIdOf(update) ?? channel) : channel;
}
