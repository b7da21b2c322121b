import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, isErrorCode } from "../domain/error-codes.js";
import { Forbidden, InvalidInput, NotFound, RevisionConflict, Unauthenticated } from "../domain/errors.js";
import { TooMuchWork } from "../fairness/announced-work.js";
import { TooManyPosts } from "../fairness/fairness.js";
import { TooManyEdits } from "../operations/posts/change-post.js";
import { TooManyPolls } from "../polling/log-waits.js";
import {
  Contended,
  NotCarriedYet,
  NotErasedYet,
  OwnerMoving,
  StoreDamaged,
  StoreUnavailable,
} from "../store/store.js";
import { BotLoop } from "./limits/bot-loop-limit.js";
import { OwnerPostLimit } from "./limits/post-limit.js";
import type { RateLimits } from "./limits/rate-limit.js";
import { ERROR_HEADER, sendRefusal } from "./refusal.js";
import { invalidInput } from "./requests/input-message.js";
import { NO_PROTOTYPE_KEYS } from "./requests/json-body.js";

/** The status of each kind of error. No other file decides one. */
const STATUS_BY_KIND = new Map<unknown, number>([
  [InvalidInput, 400],
  [RevisionConflict, 400],
  [Unauthenticated, 401],
  [Forbidden, 403],
  [NotFound, 404],
  [TooManyPolls, 429],
  [TooManyPosts, 429],
  [TooMuchWork, 429],
  [OwnerMoving, 429],
  [TooManyEdits, 429],
  [BotLoop, 429],
  [OwnerPostLimit, 429],
  [StoreUnavailable, 503],
  [StoreDamaged, 503],
  [NotErasedYet, 503],
  [NotCarriedYet, 503],
  [Contended, 503],
]);

/** Of those with 503, what is said to the caller. What the database says of others is for the log. */
const SAID_AS_IT_IS = [StoreDamaged, NotErasedYet, NotCarriedYet, Contended];

/** Messages and codes for Fastify's errors about bodies, by its own codes. */
const FRAMEWORK_ERRORS: Readonly<Record<string, { message: string; code: ErrorCode }>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: { message: "the body must be a JSON object, not empty", code: "invalid_json" },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    message: `the body must be valid JSON, ${NO_PROTOTYPE_KEYS}`,
    code: "invalid_json",
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    message: "Content-Type must be application/json",
    code: "unsupported_media_type",
  },
};

/** After a 503: a full disk or a locked file rarely passes sooner. */
const RETRY_AFTER_UNAVAILABLE_S = 5;
/** After a 429 because too many polls or posts are waiting, a post was edited too often, or bots answer each other. */
const RETRY_AFTER_FULL_S = 1;

/** The error handler of the whole API: gives every error its status and the Error body. */
export function sendError(
  error: Error & Partial<FastifyError>,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { status, code, message } = refusalOf(error);
  if (status >= 500) reply.failure = error;
  if (status === 401) reply.header("www-authenticate", "Bearer");
  if (status === 429)
    reply.header("retry-after", error instanceof TooMuchWork ? error.retryAfterS : RETRY_AFTER_FULL_S);
  if (status === 503) reply.header("retry-after", RETRY_AFTER_UNAVAILABLE_S);
  reply.code(status).header(ERROR_HEADER, code).send({ error: message });
}

/** The status, the code and the message with which the API answers an error. */
export function refusalOf(error: Error & Partial<FastifyError>): {
  status: number;
  code: ErrorCode;
  message: string;
} {
  const [invalid] = error.validation ?? [];
  if (invalid) return refusalOf(invalidInput(invalid, error.validationContext));
  const status = statusOf(error);
  return { status, code: codeOf(error, status), message: messageOf(error, status) };
}

/** Whether an error is the service's own, and not the caller's. */
export function isFailure(error: Error): boolean {
  return statusOf(error) >= 500;
}

/** The answer for unknown paths and wrong methods. Nobody is asked for a credential there, so they count for the address. */
export function refuseUnknownRoutes({ admitFailure }: RateLimits) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (admitFailure(reply, request.ip)) sendRouteNotFound(request, reply);
  };
}

export function sendRouteNotFound(request: FastifyRequest, reply: FastifyReply): void {
  sendRefusal(reply, "route_not_found", `there is no ${request.method} at this path: see /docs`);
}

function statusOf(error: Error & Partial<FastifyError>): number {
  const status = STATUS_BY_KIND.get(error.constructor);
  if (status) return status;
  // Fastify's other client errors (413, 415 …) count as malformed input.
  return error.statusCode && error.statusCode < 500 ? 400 : 500;
}

/** The error's own code; those of other libraries have none of ours. */
function codeOf({ code }: Error & Partial<FastifyError>, status: number): ErrorCode {
  if (status === 500) return "internal_error";
  if (isErrorCode(code)) return code;
  return FRAMEWORK_ERRORS[code ?? ""]?.code ?? "invalid_input";
}

function messageOf(error: Error & Partial<FastifyError>, status: number): string {
  if (status === 500) return "internal error";
  if (SAID_AS_IT_IS.some((kind) => error instanceof kind)) return error.message;
  if (status === 503) return "the service cannot reach its storage now: try again later";
  return FRAMEWORK_ERRORS[error.code ?? ""]?.message ?? error.message;
}
