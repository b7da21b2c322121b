/**
 * Why a request was refused.
 *
 * - `missing-header`, `repeated-header`: one of the three headers is missing, or was sent more than once
 * - `wrong-secret`: the secret token is none of those given
 * - `wrong-signature`: the body is not the one that was signed
 * - `wrong-time`: signed too long ago or in the future, by this machine's clock
 * - `no-update`: genuine, but not an update
 */
export type VerificationReason =
  | "missing-header"
  | "repeated-header"
  | "wrong-secret"
  | "wrong-signature"
  | "wrong-time"
  | "no-update";

/** A webhook request that must not be processed; the message says what to do about it. */
export class VerificationError extends Error {
  /** `VerificationError` */
  override readonly name = "VerificationError";
  /** Why the request was refused. */
  readonly reason: VerificationReason;

  constructor(reason: VerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
