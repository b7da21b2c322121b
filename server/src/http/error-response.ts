import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { Forbidden, InvalidInput, NotFound, RevisionConflict, Unauthenticated } from "../domain/errors.js";
import { TooManyPosts } from "../operations/bound-posts.js";
import { TooManyEdits } from "../operations/change-post.js";
import { TooManyPolls } from "../polling/update-polls.js";
import { StoreUnavailable } from "../store/store.js";
import { inputMessage } from "./requests/input-message.js";

/** The status of each kind of error. No other file decides one. */
const STATUS_BY_KIND = new Map<unknown, number>([
  [InvalidInput, 400],
  [RevisionConflict, 400],
  [Unauthenticated, 401],
  [Forbidden, 403],
  [NotFound, 404],
  [TooManyPolls, 429],
  [TooManyPosts, 429],
  [TooManyEdits, 429],
  [StoreUnavailable, 503],
]);

/** Messages for Fastify's errors about bodies, by code. */
const FRAMEWORK_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: "the body must be a JSON object, not empty",
  FST_ERR_CTP_INVALID_JSON_BODY: "the body must be valid JSON, without __proto__ keys",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Content-Type must be application/json",
};

/** After a 503: a full disk or a locked file rarely passes sooner. */
const RETRY_AFTER_UNAVAILABLE_S = 5;
/** After a 429 because too many polls or posts are waiting, or a post was edited too often. */
const RETRY_AFTER_FULL_S = 1;

/** The error handler of the whole API: gives every error its status and the Error body. */
export function sendError(
  error: Error & Partial<FastifyError>,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const status = statusOf(error);
  if (status >= 500) reply.failure = error;
  if (error instanceof RevisionConflict) reply.header("botyard-error", error.code);
  if (status === 401) reply.header("www-authenticate", "Bearer");
  if (status === 429) reply.header("retry-after", RETRY_AFTER_FULL_S);
  if (status === 503) reply.header("retry-after", RETRY_AFTER_UNAVAILABLE_S);
  reply.code(status).send({ error: messageOf(error, status) });
}

/** The answer for unknown paths and wrong methods. */
export function sendRouteNotFound(request: FastifyRequest, reply: FastifyReply): void {
  reply.code(404).send({ error: `there is no ${request.method} at this path: see /docs` });
}

function statusOf(error: Error & Partial<FastifyError>): number {
  const status = STATUS_BY_KIND.get(error.constructor);
  if (status) return status;
  // Fastify's other client errors (413, 415 …) count as malformed input.
  return error.statusCode && error.statusCode < 500 ? 400 : 500;
}

function messageOf(error: Error & Partial<FastifyError>, status: number): string {
  if (status === 500) return "internal error";
  if (status === 503) return "the service cannot reach its storage now: try again later";
  const [invalid] = error.validation ?? [];
  if (invalid) return inputMessage(invalid, error.validationContext);
  return FRAMEWORK_MESSAGES[error.code ?? ""] ?? error.message;
}
