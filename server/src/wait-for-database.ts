import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config.js";
import { createLogThrottle } from "./domain/log-throttle.js";
import { createWaitingApp } from "./http/waiting-app.js";
import { reasonToWait } from "./open-store.js";
import { listen } from "./process/listen.js";

const ASK_AGAIN_MS = 1_000;
const LOG_INTERVAL_MS = 60_000;

/**
 * Waits until the shared database serves. Meanwhile the service's address answers: `/livez` with 200, so that a supervisor
 * does not restart what waits, and everything else with 503.
 *
 * @param atMostMs may be infinite
 * @throws Error with one line when the database does not serve within that time, or the address cannot be listened on
 */
export async function waitForDatabase(config: Config, logger: Logger, atMostMs: number): Promise<void> {
  const startedAt = performance.now();
  const mayLog = createLogThrottle(LOG_INTERVAL_MS);
  let meanwhile: FastifyInstance | undefined;
  try {
    for (;;) {
      const reason = await reasonToWait(config);
      if (reason === undefined) return;
      const waitedMs = Math.round(performance.now() - startedAt);
      if (waitedMs >= atMostMs)
        throw new Error(`the database of DATABASE_URL does not serve after ${waitedMs} ms: ${reason}`);
      if (mayLog("waiting"))
        logger.warn(
          { event: "waiting_for_database", database: config.database?.name, waitedMs, reason },
          "waiting for the database",
        );
      meanwhile ??= await answerMeanwhile(config, logger);
      await sleep(Math.min(ASK_AGAIN_MS, atMostMs - waitedMs));
    }
  } finally {
    await meanwhile?.close();
  }
}

async function answerMeanwhile(config: Config, logger: Logger): Promise<FastifyInstance> {
  const app = await createWaitingApp({ ...config, logger });
  await listen(app, { ...config, hostSetting: "HOST", portSetting: "PORT" });
  return app;
}
