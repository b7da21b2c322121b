import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** Distinguishes the ids of this process from others'; a counter follows, because a random id per request costs more. */
const prefix = randomBytes(6).toString("hex");
let count = 0;

/** The id under which a request is logged and answered: the caller's `X-Request-Id` when it is acceptable. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  if (typeof given === "string" && ACCEPTED.test(given)) return given;
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}
