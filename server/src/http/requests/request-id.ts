import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Cause, encodeCause, REQUEST_ID } from "../../domain/events/cause.js";

/** Distinguishes the ids of this process from others'; a counter follows, because a random id per request costs more. */
const prefix = randomBytes(6).toString("hex");
let count = 0;

/** The id under which a request is logged and answered: the caller's `X-Request-Id` when it is acceptable. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  if (typeof given === "string" && REQUEST_ID.test(given)) return given;
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}

/** What a request says of itself, for the webhooks of the event that it causes. Of most it is nothing. */
export function causeOf(headers: IncomingHttpHeaders): Cause | undefined {
  const { traceparent, "x-request-id": requestId } = headers;
  return traceparent === undefined && requestId === undefined
    ? undefined
    : encodeCause(traceparent, requestId);
}
