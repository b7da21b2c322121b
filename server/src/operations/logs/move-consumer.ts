import { InvalidInput } from "../../domain/errors.js";
import { isRefusal, type MoveRefusal } from "../../domain/events/consumer.js";
import { decodeFeedCursor } from "../../domain/events/feed.js";
import { MAX_DONE_UPDATES } from "../../domain/limits.js";
import { type ConsumerIn, FEED, type MoveIn, type Store } from "../../store/store.js";
import { anotherFeed, feedOff, invalidCursor } from "./feed-errors.js";
import { logGone, tooManyConsumers } from "./open-consumer.js";

/**
 * Moves a consumer; one that does not exist is created at the position.
 *
 * @param log the bot whose consumer it is, or {@link FEED}
 * @throws InvalidInput when it would go backwards without `rewind`, beyond the log or into another feed, or when the log
 *   has too many consumers
 * @throws Unauthenticated when the bot was deleted meanwhile; NotFound while the feed is off
 */
export async function moveConsumer<Log extends string>(
  store: Store,
  log: Log,
  name: string,
  to: MoveIn<Log>,
): Promise<ConsumerIn<Log>> {
  const moved = await store.moveConsumer(log, name, to, Date.now());
  if (!moved) throw logGone(log);
  if (isRefusal(moved)) throw refusalOf(moved, log, name);
  return moved;
}

/**
 * Moves a consumer of the feed to a cursor.
 *
 * @throws as {@link moveConsumer}; InvalidInput also for a text that is no cursor
 */
export async function moveFeedConsumer(
  store: Store,
  name: string,
  text: string,
  rewind: boolean,
): Promise<ConsumerIn<typeof FEED>> {
  const cursor = decodeFeedCursor(text);
  if (!cursor) throw (await store.hasFeed()) ? invalidCursor() : feedOff();
  return await moveConsumer(store, FEED, name, { ...cursor, rewind });
}

function refusalOf(refusal: MoveRefusal, log: string, name: string): InvalidInput {
  switch (refusal.refused) {
    case "another feed":
      return anotherFeed();
    case "beyond the log":
      if (log === FEED) return anotherFeed();
      return new InvalidInput(
        `position and done must not be beyond ${refusal.head}, the last update_id of the bot`,
        "beyond_log",
      );
    case "backwards": {
      const rule =
        log === FEED
          ? `cursor must not be behind the one where consumer "${name}" is`
          : `position must not be below ${refusal.position}, where consumer "${name}" is`;
      return new InvalidInput(`${rule}: to go back, send "rewind": true`, "position_backwards");
    }
    case "too many done":
      return new InvalidInput(
        `done must not have more than ${MAX_DONE_UPDATES} numbers beyond the position, those sent before included: move the position first`,
        "too_many_done",
      );
    case "too many consumers":
      return tooManyConsumers(log);
  }
}
