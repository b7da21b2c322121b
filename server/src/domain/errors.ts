/**
 * The four ways a request can be wrong. The caller gets the message unchanged, so it names what is wrong and how to fix it,
 * and carries no secret. `http/error-response.ts` turns each kind into its status.
 */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
}

/** Somebody else has changed it meanwhile. */
export class RevisionConflict extends InvalidInput {
  readonly code = "revision_conflict";
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
