import type { Api, AppOptions } from "../api.js";
import { createReadiness } from "../readiness.js";
import { sendRefusal } from "../refusal.js";

/**
 * `/livez`, `/readyz` and its alias `/healthz`: for supervisors and load balancers, without credential or rate limit, and
 * not in the OpenAPI document.
 */
export function addHealthRoutes(app: Api, { store, isReady, deliveries, cells }: AppOptions): void {
  const options = { schema: { hide: true } };

  const readiness = createReadiness(() => store.ping());

  app.get("/livez", options, () => ({ status: "ok" }));

  for (const path of ["/readyz", "/healthz"]) {
    app.get(path, options, async (_request, reply) => {
      if (!isReady()) {
        sendRefusal(reply, "stopping", "the service is stopping");
        return reply;
      }
      await readiness();
      const away = cells?.away() ?? [];
      return {
        status: "ready",
        ...(deliveries === "off" && { deliveries }),
        ...(away.length > 0 && { cells_away: away }),
        ...(cells?.isDirectoryAway() && { directory_away: true }),
      };
    });
  }
}
