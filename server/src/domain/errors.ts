import type { ErrorCode } from "./error-codes.js";

/**
 * The ways in which a request can be wrong. The caller gets the message unchanged, so it says what is wrong and how to
 * fix it, and contains no secret. Programs distinguish refusals by the code. `http/error-response.ts` turns each kind
 * into its status.
 */
abstract class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export class InvalidInput extends Refusal {
  override readonly name: string = "InvalidInput";

  constructor(message: string, code: ErrorCode = "invalid_input") {
    super(message, code);
  }
}

/** Somebody else has changed the resource since the caller read it. */
export class RevisionConflict extends InvalidInput {
  constructor(message: string) {
    super(message, "revision_conflict");
  }
}

export class Unauthenticated extends Refusal {
  override readonly name = "Unauthenticated";

  constructor(message: string, code: ErrorCode = "token_invalid", options?: ErrorOptions) {
    super(message, code, options);
  }
}

export class Forbidden extends Refusal {
  override readonly name = "Forbidden";

  constructor(message: string, code: ErrorCode = "forbidden") {
    super(message, code);
  }
}

export class NotFound extends Refusal {
  override readonly name = "NotFound";

  constructor(message: string, code: ErrorCode = "not_found") {
    super(message, code);
  }
}
