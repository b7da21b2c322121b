import { InvalidInput, type NotFound, Unauthenticated } from "../../domain/errors.js";
import { MAX_CONSUMERS_PER_LOG } from "../../domain/limits.js";
import { FEED, type PositionIn, type Store } from "../../store/store.js";
import { feedOff } from "./feed-errors.js";

/**
 * The position of a consumer; one that does not exist is created.
 *
 * @param log the bot whose consumer it is, or {@link FEED}
 * @throws InvalidInput when the log has too many
 * @throws Unauthenticated when the bot was deleted meanwhile; NotFound while the feed is off
 */
export async function openConsumer<Log extends string>(
  store: Store,
  log: Log,
  name: string,
): Promise<PositionIn<Log>> {
  const consumer = (await store.findConsumer(log, name)) ?? (await store.openConsumer(log, name, Date.now()));
  if (!consumer) throw logGone(log);
  if (consumer === "too many") throw tooManyConsumers(log);
  return consumer;
}

export function logGone(log: string): NotFound | Unauthenticated {
  return log === FEED ? feedOff() : new Unauthenticated("the bot token is not valid: the bot was deleted");
}

export function tooManyConsumers(log: string): InvalidInput {
  const [has, most] = log === FEED ? ["the feed has", "it may have"] : ["the bot has", "one may have"];
  return new InvalidInput(
    `${has} ${MAX_CONSUMERS_PER_LOG} consumers, the most that ${most}: delete one first`,
    "too_many_consumers",
  );
}
