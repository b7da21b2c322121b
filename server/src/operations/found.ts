import { NotFound } from "../domain/errors.js";
import type { WebhookRef } from "../store/store.js";

type What = "bot" | "webhook" | "channel" | "update";

/**
 * The value that the store found for a caller.
 *
 * @throws NotFound when there is none, or it is another owner's: the caller is not told which
 */
export function found<T>(value: T | undefined, what: What): T {
  if (value === undefined) throw notFound(what);
  return value;
}

/** The same of one of a bot's webhooks; the one of the contract is always there if its bot is. */
export function foundWebhook<T>(value: T | undefined, { name }: Pick<WebhookRef, "name">): T {
  return found(value, name === undefined ? "bot" : "webhook");
}

export function notFound(what: What): NotFound {
  return new NotFound(`${what} not found`, `${what}_not_found`);
}
