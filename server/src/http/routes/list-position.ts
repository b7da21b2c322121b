import { InvalidInput } from "../../domain/errors.js";
import { isId } from "../../domain/ids.js";

/**
 * The `after` of a list of bots or channels. Ids are in the order of creation, so each is a position, whatever has it or had it: who pages goes on after what was
 * deleted or detached since, and nobody learns whether another owner's id exists.
 *
 * @param what the items of the list, for the error message
 * @throws InvalidInput for what is no id
 */
export function positionAfter(after: string | undefined, what: "bot" | "channel"): string | undefined {
  if (after === undefined || isId(after)) return after;
  throw new InvalidInput(`after must be the id of a ${what}, from an earlier answer`, "invalid_cursor");
}
