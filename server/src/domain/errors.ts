/**
 * The four ways a request can be wrong. The message reaches the caller as it stands, so it names what is wrong and
 * how to mend it, and carries no secret. `http/error-response.ts` turns each kind into its status.
 */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
}

export class Unauthenticated extends Error {
  override readonly name = "Unauthenticated";
}

export class Forbidden extends Error {
  override readonly name = "Forbidden";
}

export class NotFound extends Error {
  override readonly name = "NotFound";
}
