/** The service answered and said no. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** The HTTP status, such as 401. */
  readonly status: number;
  /** What the service said, in its own words alone. */
  readonly reason: string;
  /** How long the service asked to wait before the next try; only where it did, as with 429. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, status: number, reason: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came: the address is wrong, the service is down, the connection broke or took too long. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** Whether the service may have got the request, and may have done what it asked. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { mayHaveArrived: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** Something answered, but not as Botyard does: a proxy's HTML, half a document, another service. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Whether the next try may bring a better answer. */
  readonly isPassing: boolean;

  constructor(message: string, options: { status: number; isPassing: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.isPassing = options.isPassing;
  }
}

/** Whether the same request, sent again later, may succeed: the network, a limit, an outage; not a refusal. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 429 || error.status >= 500;
  if (error instanceof AnswerError) return error.isPassing;
  return error instanceof NetworkError;
}
