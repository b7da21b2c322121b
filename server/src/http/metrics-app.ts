import { type FastifyInstance, fastify } from "fastify";
import type { AppOptions } from "./api.js";
import { answerExpectAndConnect } from "./connections/connection-errors.js";
import { gateRequests } from "./connections/request-gate.js";
import { serverOptions } from "./connections/server-options.js";
import { sendError, sendRouteNotFound } from "./error-response.js";
import { createRateLimits } from "./limits/rate-limit.js";
import { createRefusalLog, RATE_LIMITED } from "./limits/refusal-log.js";
import { addMetricsRoute, type MetricsAccess } from "./routes/metrics.js";

/** A Prometheus needs one or two; further connections are closed at once. */
const MAX_CONNECTIONS = 100;

/** `/metrics` and nothing else, for an address of its own. */
export async function createMetricsApp(
  access: MetricsAccess,
  options: Pick<AppOptions, "logger" | "trustedProxies" | "rateLimit" | "tally">,
): Promise<FastifyInstance> {
  const { logger, rateLimit, tally } = options;
  const app = fastify(serverOptions(options));
  app.server.maxConnections = MAX_CONNECTIONS;
  answerExpectAndConnect(app.server);
  gateRequests(app.server);
  app.decorateReply("failure");
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendRouteNotFound);
  addMetricsRoute(app, access, createRateLimits(rateLimit, createRefusalLog(logger, RATE_LIMITED, tally)));
  await app.ready();
  return app;
}
