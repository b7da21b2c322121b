import { NotFound } from "../domain/errors.js";

/**
 * The value that the store found for a caller.
 *
 * @throws NotFound when there is none, or it is another owner's: the caller is not told which
 */
export function found<T>(value: T | undefined, what: "bot" | "channel" | "update"): T {
  if (value === undefined) throw new NotFound(`${what} not found`, `${what}_not_found`);
  return value;
}
