import { pino } from "pino";
import { loadConfig } from "#botyard/config.js";
import { startService } from "#botyard/service.js";
import type { Environment } from "./program.js";

/** A service within the process of the tests. */
export interface InProcessService {
  url: string;
  /** Its log so far, as it would be on stdout. */
  stdout(): string;
  /** Drains it, once. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service on a free port within this process, which takes a fraction of the second of processor time that
 * one of its own takes (`startServiceProcess`). For tests that neither signal nor kill it, and leave its data folder alone.
 */
export async function startInProcessService(
  dataDir: string,
  env: Environment = {},
): Promise<InProcessService> {
  const config = loadConfig({ DATA_DIR: dataDir, PORT: "0", ...env });
  let log = "";
  const logger = pino(
    { level: config.logLevel, formatters: { level: (level) => ({ level }) } },
    { write: (line) => (log += line) },
  );
  for (const warning of config.warnings) logger.warn(warning);
  const { url, metricsUrl, stop } = await startService(config, logger);
  logger.info({ event: "started", url, metricsUrl }, "started");
  let stopped: Promise<void> | undefined;
  return {
    url,
    stdout: () => log,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
