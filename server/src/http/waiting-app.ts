import { type FastifyInstance, fastify } from "fastify";
import type { AppOptions } from "./api.js";
import { answerExpectAndConnect } from "./connections/connection-errors.js";
import { gateRequests } from "./connections/request-gate.js";
import { serverOptions } from "./connections/server-options.js";
import { sendRefusal } from "./refusal.js";

/** Each holds an open file; further connections are closed at once. */
const MAX_CONNECTIONS = 1_000;
const RETRY_AFTER_S = 5;

/** What answers while the service waits for its database: it lives, and is not ready. */
export async function createWaitingApp(
  options: Pick<AppOptions, "logger" | "trustedProxies">,
): Promise<FastifyInstance> {
  const app = fastify(serverOptions(options));
  app.server.maxConnections = MAX_CONNECTIONS;
  answerExpectAndConnect(app.server);
  gateRequests(app.server);
  app.addHook("onRequest", (_request, reply, done) => {
    // The service itself listens in its place soon.
    reply.header("connection", "close");
    done();
  });
  app.get("/livez", () => ({ status: "ok" }));
  app.setNotFoundHandler((_request, reply) => {
    reply.header("retry-after", RETRY_AFTER_S);
    sendRefusal(reply, "unavailable", "the service is waiting for its database");
  });
  await app.ready();
  return app;
}
