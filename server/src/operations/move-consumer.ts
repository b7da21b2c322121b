import type { Consumer, ConsumerMove, MoveRefusal } from "../domain/consumer.js";
import type { ErrorCode } from "../domain/error-codes.js";
import { InvalidInput, Unauthenticated } from "../domain/errors.js";
import { MAX_DONE_UPDATES } from "../domain/limits.js";
import type { Store } from "../store/store.js";
import { BOT_GONE, TOO_MANY_CONSUMERS } from "./open-consumer.js";

/**
 * Moves a bot's consumer; a consumer that does not exist is created at the position.
 *
 * @throws InvalidInput when it would go backwards without `rewind`, or beyond the log
 * @throws Unauthenticated when the bot was deleted meanwhile
 */
export async function moveConsumer(
  store: Store,
  botId: string,
  name: string,
  move: ConsumerMove,
): Promise<Consumer> {
  const moved = await store.moveConsumer(botId, name, move, Date.now());
  if (!moved) throw new Unauthenticated(BOT_GONE);
  if ("refused" in moved) throw new InvalidInput(messageOf(moved, name), CODES[moved.refused]);
  return moved;
}

const CODES = {
  backwards: "position_backwards",
  "beyond the log": "beyond_log",
  "too many done": "too_many_done",
  "too many consumers": "too_many_consumers",
} as const satisfies Record<MoveRefusal["refused"], ErrorCode>;

function messageOf(refusal: MoveRefusal, name: string): string {
  switch (refusal.refused) {
    case "backwards":
      return `position must not be below ${refusal.position}, where consumer "${name}" is: to go back, send "rewind": true`;
    case "beyond the log":
      return `position and done must not be beyond ${refusal.head}, the last update_id of the bot`;
    case "too many done":
      return `done must not have more than ${MAX_DONE_UPDATES} numbers beyond the position, those sent before included: move the position first`;
    case "too many consumers":
      return TOO_MANY_CONSUMERS;
  }
}
