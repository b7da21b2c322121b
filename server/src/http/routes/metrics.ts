import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Unauthenticated } from "../../domain/errors.js";
import { givenToken } from "../credentials/authentication.js";
import type { RateLimits } from "../limits/rate-limit.js";

/** Who may read the metrics, and where they come from. */
export interface MetricsAccess {
  /** Undefined: no token is needed. */
  token: string | undefined;
  /** All metrics as text, in the format that `contentType` names. */
  scrape(): Promise<string>;
  contentType: string;
}

/**
 * `/metrics`, for Prometheus: not in the OpenAPI document, and not rate-limited, except for requests with a wrong token.
 */
export function addMetricsRoute(
  app: FastifyInstance,
  { token, scrape, contentType }: MetricsAccess,
  limits: RateLimits,
): void {
  const expected = token === undefined ? undefined : digest(token);

  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (!expected || isGiven(expected, request)) return;
    if (!limits.admitFailure(reply, request.ip)) return reply;
    throw new Unauthenticated("the metrics take the token of METRICS_TOKEN: Authorization: Bearer <token>");
  };

  app.get("/metrics", { schema: { hide: true }, onRequest: admit }, async (_request, reply) => {
    return reply
      .header("cache-control", "no-store")
      .type(contentType)
      .send(await scrape());
  });
}

function isGiven(expected: Buffer, request: FastifyRequest): boolean {
  const given = givenToken(request);
  return given !== undefined && timingSafeEqual(digest(given), expected);
}

/** Digests have one length, so comparing takes the same time for every guess and tells nothing about the token. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
