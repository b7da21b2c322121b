import { isUserId, MAX_USER_ID_CHARS } from "../../domain/bots/user-id.js";
import { InvalidInput } from "../../domain/errors.js";

/** The header that names the owner a platform acts as. */
export const OWNER_HEADER = "botyard-owner";

/**
 * The user id in a `Botyard-Owner` header.
 *
 * @throws InvalidInput when it is no user id
 */
export function ownerNamedBy(header: string): string {
  const userId = decoded(header);
  if (userId !== undefined && isUserId(userId)) return userId;
  throw new InvalidInput(
    `Botyard-Owner must be one user id of 1 to ${MAX_USER_ID_CHARS} characters without control characters, percent-encoded`,
    "invalid_owner_header",
  );
}

/**
 * Printable ASCII without a comma: a header that was sent twice arrives as both values with a comma between them, and
 * other bytes arrive decoded as Latin-1.
 */
const ENCODED = /^[\x20-\x2b\x2d-\x7e]*$/;

function decoded(text: string): string | undefined {
  if (!ENCODED.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
