import { setImmediate, setTimeout as sleep } from "node:timers/promises";
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
import { waitForDatabase } from "./wait-for-database.js";

/** The service promises to exit within 5 s; what is not drained by then is cut off. */
const DRAIN_DEADLINE_MS = 4500;
/** How long the console link of the start message is valid. */
const WELCOME_LINK_MS = 3_600_000;
/** Under npm, Ctrl-C arrives twice, from the terminal and from npm: signals this close together count as one. */
const ONE_SIGNAL_MS = 500;
const WARM_UP_CALLS = 20_000;

export interface RunOptions {
  /** How long to wait, in milliseconds, for a database that cannot be reached yet; it is not waited for when left out. */
  waitMs?: number | undefined;
}

/**
 * Runs the service in this process, configured by the environment, until a signal ends it.
 *
 * Exit codes: 0 after SIGINT or SIGTERM and a drain; 1 when the service cannot start, fails, or is told to stop twice, or when
 * the drain is cut off. If a statement of SQLite is still running then, the process ends itself by SIGKILL.
 */
export async function runService({ waitMs = 0 }: RunOptions = {}): Promise<void> {
  disableSitePretenuring();
  collectGarbageEarlier();
  await warmUpNextTick();
  try {
    const config = loadConfig();
    const logger = createLogger(config);
    exitOnUnhandledError(logger);
    for (const warning of config.warnings) logger.warn(warning);
    if (waitMs > 0) await endOnSignal(logger, () => waitForDatabase(config, logger, waitMs));
    const service = await startService(config, logger);
    drainOnSignal(service, config, logger);
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
 * When objects of an allocation site survive their first garbage collections, V8 may allocate later ones in the old
 * generation (site pretenuring). In every seventh process this hit objects of every request: nearly everything that they
 * refer to was promoted too, and stayed until a full collection, for as long as the process ran. Such a process stored a
 * third fewer posts, each for 55 µs of processor time instead of 34 (9 of 62 starts; none of 48 with this flag).
 */
function disableSitePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/**
 * V8 lets a heap grow to several times what is in use before a full collection, more on a machine with much memory: answers of
 * 32 KiB to 900 clients that read nothing added 410 MB, with this limit 240 MB.
 */
function collectGarbageEarlier(): void {
  setFlagsFromString("--heap-growing-percent=50");
}

/**
 * V8 compiles `process.nextTick` while the service starts. From the few calls until then it often compiles a version that
 * creates each of its objects by a call into the runtime, and keeps that for as long as the process runs: 2 µs for a post, of
 * 40, as Node calls it five times for a request. After these calls, a few milliseconds, it compiles the better one.
 */
async function warmUpNextTick(): Promise<void> {
  for (let calls = 0; calls < WARM_UP_CALLS; calls += 1) process.nextTick(() => {});
  await setImmediate();
}

/**
 * The console link of the start message, for the owner of the quick start. Only when the service uses its own secret,
 * listens on loopback, and a person reads it on a terminal: a token must not get into a log or journal.
 */
async function linkForAlice(config: Config, url: string): Promise<string | undefined> {
  if (config.ownerTokens.trust || !isLoopback(config.host) || !process.stderr.isTTY) return undefined;
  const signed = await signOwnerToken(config, "alice", Date.now() + WELCOME_LINK_MS);
  return signed && consoleLink(url, signed.token);
}

/**
 * Ends the process at once when a signal arrives during `work`. Without a listener, the first process of a container would
 * not notice SIGTERM.
 */
async function endOnSignal(logger: Logger, work: () => Promise<void>): Promise<void> {
  const end = () => {
    logger.info({ event: "stopped" }, "stopped");
    process.exit(0);
  };
  process.on("SIGINT", end).on("SIGTERM", end);
  try {
    await work();
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

function drainOnSignal(service: RunningService, config: Config, logger: Logger): void {
  let stoppingSince = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince === 0) {
      stoppingSince = Date.now();
      void drain(service, config, logger, signal);
    } else if (Date.now() - stoppingSince > ONE_SIGNAL_MS) {
      process.exit(1);
    }
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
}

async function drain(
  service: RunningService,
  { drainDelayMs }: Config,
  logger: Logger,
  signal: NodeJS.Signals,
): Promise<void> {
  logger.info({ event: "draining", signal, ...(drainDelayMs > 0 && { afterMs: drainDelayMs }) }, "draining");
  service.announceStop();
  if (drainDelayMs > 0) {
    await sleep(drainDelayMs);
    await service.stopListening();
  }
  setTimeout(() => {
    logger.error({ event: "drain_cut_off" }, "draining took too long; what was in progress is cut off");
    process.exit(1);
  }, DRAIN_DEADLINE_MS);
  await service.stop();
  logger.info({ event: "stopped" }, "stopped");
  process.exit(0);
}

/** After an unhandled error the state of the process is unknown: it logs the error and exits, to be restarted. */
function exitOnUnhandledError(logger: Logger): void {
  const exit = (err: unknown) => {
    logger.fatal({ event: "unexpected_failure", err }, "unexpected failure");
    process.exit(1);
  };
  process.on("uncaughtException", exit).on("unhandledRejection", exit);
}
