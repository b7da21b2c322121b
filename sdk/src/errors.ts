import type { ErrorCode } from "./types.js";

/** The service refused the request. */
export class ServiceError extends Error {
  /** `ServiceError` */
  override readonly name = "ServiceError";
  /** The HTTP status, such as 401. */
  readonly status: number;
  /** The service's own error message. */
  readonly reason: string;
  /**
   * Why it refused, for programs, such as `revision_conflict`. Later versions of the service may have codes that are not in
   * {@link ErrorCode}; undefined when something in front of it refused.
   */
  readonly code: ErrorCode | (string & {}) | undefined;
  /** How long the service asked to wait before the next try, if it did, as with a 429. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, status: number, reason: string, retryAfterMs?: number, code?: string) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.code = code;
  }
}

/** There was no answer: the URL is wrong, the service is down, the connection broke or took too long. */
export class NetworkError extends Error {
  /** `NetworkError` */
  override readonly name = "NetworkError";
  /** Whether the service may have received the request and carried it out. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { mayHaveArrived: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** The answer is not Botyard's: a proxy's HTML, half a document, another service. */
export class AnswerError extends Error {
  /** `AnswerError` */
  override readonly name = "AnswerError";
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Whether the failure is temporary. */
  readonly isPassing: boolean;

  constructor(message: string, options: { status: number; isPassing: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.isPassing = options.isPassing;
  }
}

/** Whether a failure is temporary (the network, a limit, an outage), so that the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 429 || error.status >= 500;
  if (error instanceof AnswerError) return error.isPassing;
  return error instanceof NetworkError;
}
