import { USERNAME_PATTERN } from "../domain/bot.js";
import { NotFound } from "../domain/errors.js";
import type { Store } from "../store/store.js";
import { feedOff } from "./read-feed.js";

const NAME = new RegExp(USERNAME_PATTERN);

/**
 * Forgets a bot's consumer; its log stays as it is.
 *
 * @throws NotFound
 */
export async function deleteConsumer(store: Store, botId: string, name: string): Promise<void> {
  if (!NAME.test(name) || !(await store.deleteConsumer(botId, name)))
    throw new NotFound("consumer not found", "consumer_not_found");
}

/**
 * Forgets a consumer of the feed; the feed stays as it is.
 *
 * @throws NotFound without such a consumer, and while the feed is off
 */
export async function deleteFeedConsumer(store: Store, name: string): Promise<void> {
  if (!(await store.hasFeed())) throw feedOff();
  if (!NAME.test(name) || !(await store.deleteFeedConsumer(name)))
    throw new NotFound("the feed has no such consumer", "consumer_not_found");
}
