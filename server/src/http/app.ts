import type { Server } from "node:http";
import { join } from "node:path";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { TooManyPolls } from "../polling/log-waits.js";
import type { Api, AppOptions } from "./api.js";
import { answerExpectAndConnect } from "./connections/connection-errors.js";
import { answerHalfClosed } from "./connections/hang-up.js";
import { endConnection, gateRequests, rememberOwner } from "./connections/request-gate.js";
import { serverOptions } from "./connections/server-options.js";
import { trackUnsentAnswer } from "./connections/unsent-answers.js";
import {
  authenticateFromCache,
  botAuthentication,
  confirmAuthentication,
  ownerAuthentication,
  type PlatformAccess,
  platformAuthentication,
} from "./credentials/authentication.js";
import { refuseSuspended } from "./credentials/owner-standings.js";
import { createTokenCheck } from "./credentials/shared-tokens.js";
import { refuseUnknownRoutes, sendError } from "./error-response.js";
import { boundBatchMemory } from "./limits/batch-memory.js";
import { endTurn, parseInTurn, shedPosts } from "./limits/owner-turns.js";
import { createPlatformLimit, createRateLimits, type RateLimits } from "./limits/rate-limit.js";
import { CONNECTIONS_FULL, createRefusalLog, POLL_REFUSED, RATE_LIMITED } from "./limits/refusal-log.js";
import { addDocsRoutes } from "./pages/docs-page.js";
import { describeApi } from "./pages/openapi.js";
import { acceptJsonBodies } from "./requests/json-body.js";
import { watchPlatform } from "./requests/platform-log.js";
import { readIntegersOfQuery } from "./requests/query-integers.js";
import { countResponses, logRequest } from "./requests/request-log.js";
import { traceRequests } from "./requests/request-spans.js";
import { addAttachmentRoutes } from "./routes/bot-api/bots/channels.js";
import { addBotConsumerRoute } from "./routes/bot-api/bots/consumers.js";
import { addBotGivenUpRoutes } from "./routes/bot-api/bots/given-up.js";
import { addSubscriptionRoutes } from "./routes/bot-api/bots/subscription.js";
import { addTimelineRoutes } from "./routes/bot-api/bots/timeline.js";
import { addTokenRoutes } from "./routes/bot-api/bots/token.js";
import { addUpdateStreamRoutes } from "./routes/bot-api/bots/update-stream.js";
import { addHistoryRoutes } from "./routes/bot-api/bots/updates.js";
import { addWebhookRoutes } from "./routes/bot-api/bots/webhook.js";
import { addWebhookErrorRoutes } from "./routes/bot-api/bots/webhook-errors.js";
import { addWebhookSecretRoute } from "./routes/bot-api/bots/webhook-secret.js";
import { addWebhookUpdateRoutes } from "./routes/bot-api/bots/webhook-updates.js";
import { addBotRoutes } from "./routes/bot-api/bots.js";
import { addCommandRoutes } from "./routes/bot-api/commands.js";
import { addConsumerRoutes } from "./routes/bot-api/consumers.js";
import { addBotEventRoutes } from "./routes/bot-api/events.js";
import { addGivenUpRoutes } from "./routes/bot-api/given-up.js";
import { addResponseRoutes } from "./routes/bot-api/interactions.js";
import { addOwnIdentityRoutes } from "./routes/bot-api/me.js";
import { addOverviewRoute } from "./routes/bot-api/overview.js";
import { addBotPostRoutes, addOwnPostRoutes } from "./routes/bot-api/posts.js";
import { addPollRoutes } from "./routes/bot-api/updates.js";
import { addListedBotRoutes } from "./routes/bots.js";
import { addChannelBotRoutes } from "./routes/channels/bots.js";
import { addChannelCommandRoutes } from "./routes/channels/commands.js";
import { addDirectChannelRoutes } from "./routes/channels/direct.js";
import { addCustomEventRoutes } from "./routes/channels/events.js";
import { addExternalChannelRoutes } from "./routes/channels/external.js";
import { addChannelBatchRoutes } from "./routes/channels/external-batch.js";
import { addInteractionRoutes } from "./routes/channels/interactions.js";
import { addPostUpdateRoutes } from "./routes/channels/post-updates.js";
import { addChannelPostRoutes } from "./routes/channels/posts.js";
import { addChannelRoutes } from "./routes/channels.js";
import { addConsoleRoutes } from "./routes/console.js";
import { addHealthRoutes } from "./routes/health.js";
import { addMetricsRoute } from "./routes/metrics.js";
import { addAlertRoutes } from "./routes/owner/alerts.js";
import { addOwnerAuditRoute } from "./routes/owner/audit.js";
import { addLimitRoutes } from "./routes/owner/limits.js";
import { addUsageRoutes } from "./routes/owner/usage.js";
import { addOwnerRoutes } from "./routes/owner.js";
import { addAuditRoute } from "./routes/platform/audit.js";
import { addBatchRoutes } from "./routes/platform/batches.js";
import { addFeedRoutes } from "./routes/platform/feed.js";
import { addFeedWebhookRoutes } from "./routes/platform/feed-webhook.js";
import { addPlatformOwnerRoutes } from "./routes/platform/owners.js";
import { addReviewRoutes } from "./routes/platform/reviews.js";
import { addPlatformUsageRoutes } from "./routes/platform/usage.js";
import { addPlatformUserRoutes } from "./routes/platform/users.js";
import { BATCH_SURFACE, BOT_SURFACE, configureSurface, OWNER_SURFACE, PLATFORM_SURFACE } from "./surface.js";

export type { AppOptions } from "./api.js";

/** The HTTP server of the service, ready to listen. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app: Api = fastify(serverOptions(options));
  limitConnections(app.server, options);
  answerExpectAndConnect(app.server);
  answerHalfClosed(app.server);
  gateRequests(app.server, options.answerMemory);
  app.decorateRequest("owner");
  app.decorateRequest("isPlatform", false);
  app.decorateRequest("bot");
  app.decorateRequest("tokenHash");
  app.decorateRequest("turn");
  app.decorateRequest("endPost");
  app.decorateReply("failure");
  app.setErrorHandler(sendError);
  if (options.spans) traceRequests(app, options.spans);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  // One hook for all: each costs every request a hundredth of its time.
  app.addHook("onSend", (request, reply, payload, done) => {
    endTurn(request, payload, options.fairness);
    rememberOwner(request);
    if (!options.isReady()) endConnection(reply);
    trackUnsentAnswer(reply, payload, options.answerMemory);
    done(null, payload);
  });
  app.addHook("onError", logRefusedPolls(options));
  app.addHook("onResponse", countResponses(options.tally));
  app.addHook("onResponse", logRequest);
  app.addHook("onRoute", readIntegersOfQuery);
  acceptJsonBodies(app);

  await describeApi(app, options.version);
  addDocsRoutes(app, join(options.pagesFolder, "scalar.js"));
  await addConsoleRoutes(app, join(options.pagesFolder, "console"));
  addHealthRoutes(app, options);
  const logRefusal = createRefusalLog(options.logger, RATE_LIMITED, options.tally);
  const limits = createRateLimits(options.rateLimit, logRefusal);
  app.setNotFoundHandler(refuseUnknownRoutes(limits));
  const platform: PlatformAccess = {
    isToken: createTokenCheck(options.platform.tokens),
    admit: createPlatformLimit(options.platform.rateLimit, logRefusal),
  };
  if (options.metrics) addMetricsRoute(app, options.metrics, limits);
  const ownerTokens = refuseSuspended(options.ownerTokens, options.standings);
  await addOperations(app, { ...options, ownerTokens }, limits, platform);
  await app.ready();
  return app;
}

/**
 * Closes connections beyond the limit immediately: each holds a file descriptor, and the store and deliveries need some
 * too.
 */
function limitConnections(server: Server, { caps, logger, tally }: AppOptions): void {
  const logFull = createRefusalLog(logger, CONNECTIONS_FULL, tally);
  server.maxConnections = caps.connections;
  server.on("drop", () => logFull("clients"));
}

function logRefusedPolls({ logger, tally }: AppOptions) {
  const logRefusal = createRefusalLog(logger, POLL_REFUSED, tally);
  return async (_request: FastifyRequest, _reply: FastifyReply, error: Error): Promise<void> => {
    if (error instanceof TooManyPolls) logRefusal(error.log);
  };
}

async function addOperations(
  app: Api,
  options: AppOptions,
  limits: RateLimits,
  access: PlatformAccess,
): Promise<void> {
  const batchMemory = boundBatchMemory(parseInTurn(options.fairness));
  await app.register(async (owners: Api) => {
    configureSurface(
      owners,
      OWNER_SURFACE,
      ownerAuthentication(options.ownerTokens, access, limits),
      options.fairness,
    );
    watchPlatform(owners, options.tally);
    addBotRoutes(owners, options);
    addListedBotRoutes(owners, options);
    addOverviewRoute(owners, options);
    addAttachmentRoutes(owners, options);
    addTokenRoutes(owners, options);
    addHistoryRoutes(owners, options);
    addTimelineRoutes(owners, options);
    addUpdateStreamRoutes(owners, options);
    addBotConsumerRoute(owners, options);
    addBotGivenUpRoutes(owners, options);
    addWebhookRoutes(owners, options);
    addWebhookErrorRoutes(owners, options);
    addWebhookSecretRoute(owners, options);
    addWebhookUpdateRoutes(owners, options);
    addChannelRoutes(owners, options);
    addExternalChannelRoutes(owners, options);
    addChannelBatchRoutes(owners, options, batchMemory);
    addDirectChannelRoutes(owners, options);
    addChannelBotRoutes(owners, options);
    addChannelCommandRoutes(owners, options);
    addChannelPostRoutes(owners, options);
    addPostUpdateRoutes(owners, options);
    addCustomEventRoutes(owners, options);
    addInteractionRoutes(owners, options);
    addSubscriptionRoutes(owners, options);
    addOwnerRoutes(owners, options);
    addAlertRoutes(owners, options);
    addLimitRoutes(owners, options);
    addOwnerAuditRoute(owners, options);
    addUsageRoutes(owners, options);
  });

  await app.register(async (platform: Api) => {
    configureSurface(
      platform,
      BATCH_SURFACE,
      ownerAuthentication(options.ownerTokens, access, limits, true),
      options.fairness,
    );
    watchPlatform(platform, options.tally);
    addBatchRoutes(platform, options, batchMemory);
  });

  await app.register(async (platform: Api) => {
    configureSurface(platform, PLATFORM_SURFACE, platformAuthentication(access, limits), options.fairness);
    watchPlatform(platform, options.tally);
    addFeedRoutes(platform, options);
    addFeedWebhookRoutes(platform, options);
    addReviewRoutes(platform, options);
    addPlatformUserRoutes(platform, options);
    addPlatformOwnerRoutes(platform, options);
    addAuditRoute(platform, options);
    addPlatformUsageRoutes(platform, options);
  });

  await app.register(async (bots: Api) => {
    configureSurface(bots, BOT_SURFACE, botAuthentication(options.store, limits), options.fairness);
    addOwnIdentityRoutes(bots, options);
    addPollRoutes(bots, options);
    addOwnPostRoutes(bots, options);
    addConsumerRoutes(bots, options);
    addCommandRoutes(bots, options);
    addGivenUpRoutes(bots, options);
  });

  // Their writes check the token again: of a bot whose token is no longer valid they say so, as of one whose token never was.
  await app.register(async (emitters: Api) => {
    configureSurface(emitters, BOT_SURFACE, botAuthentication(options.store, limits), options.fairness);
    emitters.setErrorHandler(confirmAuthentication(options.store, limits));
    addBotEventRoutes(emitters, options);
  });

  await app.register(async (authors: Api) => {
    configureSurface(authors, BOT_SURFACE, authenticateFromCache(options.store, limits), options.fairness);
    authors.addHook("onRequest", shedPosts(options.fairness));
    authors.setErrorHandler(confirmAuthentication(options.store, limits));
    addBotPostRoutes(authors, options);
    addResponseRoutes(authors, options);
  });
}
