import { InvalidInput } from "../../domain/errors.js";
import { createKeyedTurns } from "../keyed-turns.js";

/**
 * A try fails only when another instance changes the same webhook between our read and our write; here the calls for one bot
 * take turns. So each failure is a success of the other instance, and this many in a row do not happen.
 */
const MAX_TRIES = 100;

/** By bot, for all calls of the process. */
const inTurn = createKeyedTurns();

/**
 * Changes a webhook by what is stored of it.
 *
 * @param change reads and writes; undefined when what it has read was outdated by then
 */
export function changeInTurn<Result>(
  botId: string,
  change: () => Promise<Result | undefined>,
): Promise<Result> {
  return inTurn(botId, async () => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const result = await change();
      if (result !== undefined) return result;
    }
    throw new InvalidInput(
      "the webhook is being set by others at the same time: try again",
      "webhook_conflict",
    );
  });
}
