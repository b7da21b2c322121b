import { isUsername } from "../../domain/bots/bot.js";
import { NotFound } from "../../domain/errors.js";
import { type Audited, FEED, type Store } from "../../store/store.js";
import { feedOff } from "./feed-errors.js";

/**
 * Forgets a consumer; the log stays as it is.
 *
 * @param log the bot whose consumer it is, or {@link FEED}
 * @throws NotFound without such a consumer, and while the feed is off
 */
export async function deleteConsumer(store: Store, log: string, name: string, by?: Audited): Promise<void> {
  if (log === FEED && !(await store.hasFeed())) throw feedOff();
  if (isUsername(name) && (await store.deleteConsumer(log, name, by))) return;
  throw new NotFound(
    log === FEED ? "the feed has no such consumer" : "consumer not found",
    "consumer_not_found",
  );
}
