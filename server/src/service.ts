import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config.js";
import { deliveriesOf, refuseToSend } from "./deliveries-off.js";
import { createDispatcher, type Dispatcher } from "./delivery/dispatcher.js";
import { createSingleSender, type SingleSender } from "./delivery/single-sender.js";
import { boundPages, createAnswerMemory } from "./fairness/answer-memory.js";
import { shareReads } from "./fairness/fair-reads.js";
import { createFairness } from "./fairness/fairness.js";
import { createApp } from "./http/app.js";
import { createOwnerTokenVerifier } from "./http/credentials/owner-tokens.js";
import { createOwnerLimits } from "./http/limits/post-limit.js";
import { createRefusalLog, POSTS_REFUSED } from "./http/limits/refusal-log.js";
import { createMetricsApp } from "./http/metrics-app.js";
import { createResponseTaker } from "./http/requests/webhook-response.js";
import type { MetricsAccess } from "./http/routes/metrics.js";
import { encodeFeedPage } from "./http/schemas/events/feed.js";
import { createHttpTally } from "./http/tally.js";
import { createMetrics, type Metrics } from "./metrics/metrics.js";
import { checkSecretKeys, openOwnerSecret, openSecretKeys } from "./open-keys.js";
import { openStores } from "./open-store.js";
import { type FeedKeeper, keepFeed, servedFeed } from "./operations/logs/keep-feed.js";
import type { Upkeep } from "./operations/upkeep/upkeep.js";
import { type FeedSender, startFeedSender } from "./operations/webhooks/send-feed.js";
import { type ConsumerPolls, createConsumerPolls } from "./polling/consumer-polls.js";
import { createFeedPolls, type FeedPolls } from "./polling/feed-polls.js";
import { createUpdatePolls, type UpdatePolls } from "./polling/update-polls.js";
import { makeDataDir, readKeyFiles } from "./process/data-dir.js";
import { listen, stopListening } from "./process/listen.js";
import { createLogger } from "./process/log.js";
import { PACKAGE_FOLDER } from "./process/package-folder.js";
import { VERSION } from "./process/version.js";
import { serveCell } from "./serve-cell.js";
import { type ScheduledBackups, startBackups } from "./store/backup/scheduled-backups.js";
import { UNOBSERVED } from "./store/observer.js";
import type { Store } from "./store/store.js";
import { openTracing } from "./tracing/tracing.js";

export interface RunningService {
  /** Where a client on this machine reaches the service. */
  url: string;
  /** Where the metrics are, when they have an address of their own. */
  metricsUrl: string | undefined;
  /** From now on the service says that it is not ready, and goes on. */
  announceStop(): void;
  /** Accepts no more connections, and goes on for a moment with those that there are. */
  stopListening(): Promise<void>;
  /** Drains and closes everything, within 5 s. */
  stop(): Promise<void>;
}

/** The running parts, in the order in which they start; a start that fails has only the first of them. */
interface Parts {
  store?: Store;
  polls?: UpdatePolls;
  consumerPolls?: ConsumerPolls;
  feedPolls?: FeedPolls;
  feedKeeper?: FeedKeeper;
  feedSender?: FeedSender;
  singleSender?: SingleSender;
  app?: FastifyInstance;
  metrics?: Metrics;
  metricsApp?: FastifyInstance;
  dispatcher?: Dispatcher;
  /** One for each cell. */
  upkeeps: Set<Upkeep>;
  backups?: ScheduledBackups;
}

/**
 * How long requests and webhook attempts in progress may take to finish once the service stops. Recording the last outcomes
 * and releasing the lanes may take 0.5 s each after that (`store-delivery.ts`), and all of it must fit into 5 s.
 */
const DRAIN_MS = 2000;
/** How often connections that have become idle while draining are closed. */
const IDLE_SWEEP_MS = 50;

/**
 * Builds the service from its parts and listens.
 *
 * @throws Error with one line that says why the service cannot start; everything that was opened is closed again
 */
export async function startService(
  config: Config,
  logger: Logger = createLogger(config),
): Promise<RunningService> {
  const parts: Parts = { upkeeps: new Set() };
  let isStopping = false;
  try {
    const { app, deliveries } = await build(config, logger, parts, () => !isStopping);
    const metricsUrl = await listenForMetrics(config, parts);
    const url = await listen(app, { ...config, hostSetting: "HOST", portSetting: "PORT" });
    if (deliveries === "on") {
      parts.dispatcher?.start();
      parts.feedSender = sendFeed(config, logger, parts);
    }
    return {
      url,
      metricsUrl,
      announceStop() {
        isStopping = true;
      },
      stopListening: () => stopListening(app),
      async stop() {
        isStopping = true;
        await drain(parts);
      },
    };
  } catch (error) {
    await drain(parts).catch((err: unknown) =>
      logger.error({ err }, "closing after the failed start failed too"),
    );
    throw error;
  }
}

async function build(
  config: Config,
  logger: Logger,
  parts: Parts,
  isReady: () => boolean,
): Promise<{ app: FastifyInstance; deliveries: Config["deliveries"] }> {
  makeDataDir(config.dataDir, config.database ? "keys" : "database");
  const tally = createHttpTally();
  if (config.metrics)
    parts.metrics = createMetrics(VERSION, logger, config.database ? undefined : config.dataDir);
  const tracing = openTracing(VERSION);
  const opened = await openStores(config, logger, (cell) => {
    const observer = parts.metrics?.observe(cell) ?? UNOBSERVED;
    return tracing ? tracing.observeStore(observer) : observer;
  });
  const { store } = opened;
  parts.store = store;
  // After the database was opened: when it was used with keys before, no new key is generated.
  const secretBox = await openSecretKeys(config, store);
  await checkSecretKeys(config, store, secretBox, logger);
  const deliveries = await deliveriesOf(config, store, logger);
  const ownerTokens = await createOwnerTokenVerifier({
    ...config.ownerTokens,
    trust: config.ownerTokens.trust ?? {
      kind: "secret",
      secret: await openOwnerSecret(config, store, logger),
    },
    logger,
    tally,
  });
  const answerMemory = createAnswerMemory();
  const logRefusal = createRefusalLog(logger, POSTS_REFUSED, tally);
  const fairness = createFairness(store, config.caps.waitingPosts, (owner) => logRefusal(`owner ${owner}`));
  const readers = shareReads(boundPages(store, answerMemory), fairness.turns);
  const polls = createUpdatePolls(readers, config.caps.pollsPerBot, () => answerMemory.pageBytes);
  parts.polls = polls;
  const consumerPolls = createConsumerPolls(store);
  parts.consumerPolls = consumerPolls;
  parts.feedKeeper = await keepFeed(store, config.platform.feed, logger);
  const feedPolls = createFeedPolls(store, config.caps.pollsPerBot);
  parts.feedPolls = feedPolls;
  const userAgent = `Botyard/${VERSION}`;
  const singleSender = createSingleSender(secretBox, logger, {
    ...config.webhooks,
    userAgent,
    spans: tracing?.attempts,
  });
  parts.singleSender = singleSender;
  const limits = createOwnerLimits(readers, config.caps);
  const access = parts.metrics && metricsAccess(parts.metrics, config.metrics?.token);
  const app = await createApp({
    store: readers,
    fairness,
    polls,
    consumerPolls,
    feedPolls,
    feedStore: servedFeed(readers, config.platform.feed?.isOn === true, logger),
    answerMemory,
    ownerTokens,
    secretBox,
    sendOnce: deliveries === "off" ? refuseToSend : singleSender.send,
    deliveries,
    reach: config.webhooks.reach,
    ...limits,
    caps: config.caps,
    maxPostCharacters: config.maxPostCharacters,
    trustedProxies: config.trustedProxies,
    rateLimit: config.rateLimit,
    platform: config.platform,
    tally,
    ...(access && !config.metrics?.address ? { metrics: access } : {}),
    isReady,
    cells: opened,
    spans: tracing?.requests,
    logger,
    pagesFolder: join(PACKAGE_FOLDER, "pages"),
    version: VERSION,
  });
  parts.app = app;
  const dispatcher = createDispatcher({
    secretBox,
    settings: config.webhooks,
    logger,
    userAgent,
    spans: tracing?.attempts,
    onAttempt: fairness.countAttempt,
    takeResponse: createResponseTaker({ ...config, ...limits, store, fairness, logger }),
  });
  parts.dispatcher = dispatcher;
  const { dataDir } = config;
  const keyFiles = () => readKeyFiles(dataDir);
  if (config.backups)
    parts.backups = startBackups(config.backups, { dataDir, version: VERSION, keyFiles }, logger);
  if (access && config.metrics?.address)
    parts.metricsApp = await createMetricsApp(access, { ...config, logger, tally });
  parts.metrics?.watch({
    cells: opened.cells().some(({ name }) => name !== "") ? opened : undefined,
    tally,
    polls,
    delivery: dispatcher,
    deliveries,
    backups: parts.backups,
  });
  const { metrics, upkeeps } = parts;
  opened.each((cell) => serveCell(cell, { dispatcher, metrics, upkeeps }, config, logger));
  return { app, deliveries };
}

/** The feed's webhook has slots of its own to wait in, which clients cannot take. */
function sendFeed(
  { webhooks }: Config,
  logger: Logger,
  { store, singleSender }: Parts,
): FeedSender | undefined {
  if (!store || !singleSender) return undefined;
  return startFeedSender({
    store,
    send: singleSender.sendPage,
    encode: encodeFeedPage,
    waits: createFeedPolls(store, 1).follow(),
    retrySchedule: webhooks.retrySchedule,
    logger,
  });
}

function metricsAccess({ scrape, contentType }: Metrics, token: string | undefined): MetricsAccess {
  return { token, scrape, contentType };
}

async function listenForMetrics({ metrics }: Config, { metricsApp }: Parts): Promise<string | undefined> {
  if (!metricsApp || !metrics?.address) return undefined;
  const at = { ...metrics.address, hostSetting: "METRICS_HOST", portSetting: "METRICS_PORT" };
  return `${await listen(metricsApp, at)}/metrics`;
}

/**
 * Stops the parts from the outside in. Waiting polls are answered before the app closes, because it waits for their
 * requests. The store closes last, because the other parts write to it until they have ended.
 */
async function drain({
  store,
  polls,
  consumerPolls,
  feedPolls,
  feedKeeper,
  feedSender,
  singleSender,
  app,
  dispatcher,
  upkeeps,
  backups,
  metrics,
  metricsApp,
}: Parts): Promise<void> {
  polls?.close();
  feedPolls?.close();
  feedKeeper?.stop();
  for (const upkeep of upkeeps) upkeep.stop();
  metrics?.stop();
  await Promise.all([
    app && closeApp(app),
    metricsApp && closeApp(metricsApp),
    dispatcher?.stop(DRAIN_MS),
    feedSender?.stop(DRAIN_MS),
    backups?.stop(),
  ]);
  await Promise.all([singleSender?.close(), consumerPolls?.close()]);
  await store?.close();
}

/**
 * Lets running requests finish. Idle keep-alive connections are closed; otherwise they would keep the server open for a
 * minute.
 */
async function closeApp(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cut);
}
