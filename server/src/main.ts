import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { isLoopback } from "./config/egress.js";
import { type Config, loadConfig } from "./config.js";
import { consoleLink } from "./process/console-link.js";
import { createLogger } from "./process/log.js";
import { signOwnerToken } from "./process/sign-owner-token.js";
import { VERSION } from "./process/version.js";
import { welcome } from "./process/welcome.js";
import { type RunningService, startService } from "./service.js";

/** The promise is an exit within 5 s; what is not drained by then is cut off. */
const DRAIN_DEADLINE_MS = 4500;
/** Long enough to look around. */
const WELCOME_LINK_MS = 3_600_000;
/** Ctrl-C under npm arrives twice, from the terminal and from npm: signals this close together are one. */
const ONE_SIGNAL_MS = 500;

/**
 * Runs the service in this process, configured by the environment, until a signal ends it.
 *
 * Exit codes: 0 after SIGINT or SIGTERM and a drain; 1 when the service cannot start, fails, or is told to stop twice, or when
 * the drain is cut off. If a statement of SQLite is under way even then, the process ends itself by SIGKILL.
 */
export async function runService(): Promise<void> {
  keepNewObjectsApart();
  try {
    const config = loadConfig();
    const logger = createLogger(config.logLevel);
    dieOfTheUnexpected(logger);
    for (const warning of config.warnings) logger.warn(warning);
    const service = await startService(config, logger);
    drainOnSignal(service, logger);
    logger.info(
      {
        event: "started",
        url: service.url,
        metricsUrl: service.metricsUrl,
        dataDir: config.dataDir,
        database: config.database?.name,
        version: VERSION,
      },
      "started",
    );
    process.stderr.write(welcome(config, service.url, VERSION, await linkForAlice(config, service.url)));
  } catch (error) {
    process.stderr.write(`botyard cannot start: ${(error as Error).message.replaceAll(/\s*\n\s*/g, " ")}\n`);
    process.exit(1);
  }
}

/**
 * Whatever V8 sees survive its first collections of garbage, it may from then on make among the old objects at once. What
 * every request makes was among it in each seventh process: then nearly all that hangs on a request grows old with it
 * and waits for a full collection, for as long as the process runs. It stored a third fewer posts, each for 55 µs of
 * processor time instead of 34 (9 of 62 starts; none of 48 with this).
 */
function keepNewObjectsApart(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/**
 * A link that signs the reader of the welcome in, as the owner of the quick start. Only where the service has its own
 * secret and nobody but this machine can reach it: elsewhere what it writes is collected as a log, where no token belongs.
 */
async function linkForAlice(config: Config, url: string): Promise<string | undefined> {
  if (config.ownerTokens.trust || !isLoopback(config.host)) return undefined;
  const signed = await signOwnerToken(config, "alice", Date.now() + WELCOME_LINK_MS);
  return signed && consoleLink(url, signed.token);
}

function drainOnSignal(service: RunningService, logger: Logger): void {
  let stoppingSince = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince === 0) {
      stoppingSince = Date.now();
      void drain(service, logger, signal);
    } else if (Date.now() - stoppingSince > ONE_SIGNAL_MS) {
      process.exit(1);
    }
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
}

async function drain(service: RunningService, logger: Logger, signal: NodeJS.Signals): Promise<void> {
  setTimeout(() => {
    logger.error({ event: "drain_cut_off" }, "draining took too long; what was under way is cut off");
    process.exit(1);
  }, DRAIN_DEADLINE_MS);
  logger.info({ event: "draining", signal }, "draining");
  await service.stop();
  logger.info({ event: "stopped" }, "stopped");
  process.exit(0);
}

/** A state nobody foresaw is not one to go on from: the log says why, and whoever supervises the process restarts it. */
function dieOfTheUnexpected(logger: Logger): void {
  const die = (err: unknown) => {
    logger.fatal({ event: "unexpected_failure", err }, "unexpected failure");
    process.exit(1);
  };
  process.on("uncaughtException", die).on("unhandledRejection", die);
}
