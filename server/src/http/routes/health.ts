import type { Api, AppOptions } from "../api.js";
import { createReadiness } from "../readiness.js";

/**
 * `/livez`, `/readyz` and its alias `/healthz`: for supervisors and load balancers, without credential or rate limit, and
 * not in the OpenAPI document.
 */
export function addHealthRoutes(app: Api, { store, isReady }: AppOptions): void {
  const options = { exposeHeadRoute: true, schema: { hide: true } };

  const readiness = createReadiness(() => store.ping());

  app.get("/livez", options, () => ({ status: "ok" }));

  for (const path of ["/readyz", "/healthz"]) {
    app.get(path, options, async (_request, reply) => {
      if (!isReady()) {
        reply.code(503);
        return { error: "the service is stopping" };
      }
      await readiness();
      return { status: "ready" };
    });
  }
}
