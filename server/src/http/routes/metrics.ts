import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Unauthenticated } from "../../domain/errors.js";
import { givenToken } from "../credentials/authentication.js";
import { createTokenCheck } from "../credentials/shared-tokens.js";
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
  const isExpected = token === undefined ? undefined : createTokenCheck([token]);

  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const given = givenToken(request);
    if (!isExpected || (given !== undefined && isExpected(given))) return;
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
