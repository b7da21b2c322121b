import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config.js";
import { loadOrCreateKey, makeDataDir } from "./data-dir.js";
import { createDispatcher, type Dispatcher } from "./delivery/dispatcher.js";
import { createSecretBox } from "./domain/secret-box.js";
import { createApp } from "./http/app.js";
import { createOwnerTokenVerifier } from "./http/owner-tokens.js";
import { createLogger } from "./log.js";
import { openStore } from "./open-store.js";
import { type Retention, startRetention } from "./operations/expire-updates.js";
import { createUpdatePolls, type UpdatePolls } from "./polling/update-polls.js";
import type { Store } from "./store/store.js";
import { VERSION } from "./version.js";

export interface RunningService {
  /** Where a client on this machine reaches the service. */
  url: string;
  /** Drains and closes everything, within 5 s. */
  stop(): Promise<void>;
}

/** What runs, in the order in which it is started; a start that fails halfway has only the first of them. */
interface Parts {
  store?: Store;
  polls?: UpdatePolls;
  app?: FastifyInstance;
  dispatcher?: Dispatcher;
  retention?: Retention;
}

/**
 * How long requests and webhook attempts that are under way may take to finish once the service stops. Writing down
 * the last outcomes may take 2 s more, and all of it must fit into 5 s.
 */
const DRAIN_MS = 2000;
/** How often connections that have become idle while draining are closed. */
const IDLE_SWEEP_MS = 50;

/**
 * Builds the service from its parts and listens.
 *
 * @throws Error whose message says in one line what stands in the way; whatever had been opened is closed again
 */
export async function startService(
  config: Config,
  logger: Logger = createLogger(config.logLevel),
): Promise<RunningService> {
  const parts: Parts = {};
  let draining = false;
  try {
    const app = await build(config, logger, parts, () => !draining);
    const url = await listen(app, config);
    parts.dispatcher?.start();
    return {
      url,
      async stop() {
        draining = true;
        await drain(parts);
      },
    };
  } catch (error) {
    await drain(parts).catch((err: unknown) => logger.error({ err }, "what was opened could not be closed"));
    throw error;
  }
}

async function build(
  config: Config,
  logger: Logger,
  parts: Parts,
  isReady: () => boolean,
): Promise<FastifyInstance> {
  makeDataDir(config.dataDir);
  const secretBox = createSecretBox(config.secretKeys ?? [ownSecretKey(config.dataDir)]);
  const ownerTokens = await createOwnerTokenVerifier({
    ...config.ownerTokens,
    trust: config.ownerTokens.trust ?? { kind: "secret", secret: ownOwnerSecret(config.dataDir) },
    logger,
  });
  const store = await openStore(config, logger);
  parts.store = store;
  const polls = createUpdatePolls(store, config.caps.pollsPerBot);
  parts.polls = polls;
  const app = await createApp({
    store,
    polls,
    ownerTokens,
    secretBox,
    reach: config.webhooks.reach,
    caps: config.caps,
    trustedProxies: config.trustedProxies,
    rateLimit: config.rateLimit,
    isReady,
    logger,
    version: VERSION,
  });
  parts.app = app;
  parts.dispatcher = createDispatcher({
    store,
    secretBox,
    settings: config.webhooks,
    logger,
    userAgent: `Botyard/${VERSION}`,
  });
  parts.retention = startRetention({ store, retentionDays: config.retentionDays, logger });
  return app;
}

function ownSecretKey(dataDir: string): Buffer {
  return Buffer.from(loadOrCreateKey(dataDir, "secret.key").text, "base64");
}

function ownOwnerSecret(dataDir: string): Uint8Array {
  return Buffer.from(loadOrCreateKey(dataDir, "owner-jwt.secret").text);
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new Error(whyNotListening(error as NodeJS.ErrnoException, host, port), { cause: error });
  }
  const address = app.server.address();
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const name = reachable.includes(":") ? `[${reachable}]` : reachable;
  return `http://${name}:${typeof address === "object" && address ? address.port : port}`;
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${host} is taken by another program: stop that one or set PORT`;
    case "EACCES":
      return `port ${port} of ${host} needs more rights than this user has: set PORT to 1024 or above`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST ${host} is no address of this machine`;
    default:
      return `cannot listen on port ${port} of ${host}: ${message}`;
  }
}

/**
 * From the outside in. The waiting polls are answered before the app closes, because it waits for their requests; the
 * store closes last, because the others write to it until they are done.
 */
async function drain({ store, polls, app, dispatcher, retention }: Parts): Promise<void> {
  polls?.close();
  retention?.stop();
  await Promise.all([app && closeApp(app), dispatcher?.stop(DRAIN_MS)]);
  await store?.close();
}

/** Lets running requests finish; a connection that a poll leaves open for reuse would keep the server up for a minute. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cut);
}
