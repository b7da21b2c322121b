import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SignJWT } from "jose";
import { pino } from "pino";
import { createSingleSender } from "#botyard/delivery/single-sender.js";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { createAnswerMemory } from "#botyard/fairness/answer-memory.js";
import { createFairness } from "#botyard/fairness/fairness.js";
import type { OwnerTurns } from "#botyard/fairness/owner-turns.js";
import { type AppOptions, createApp } from "#botyard/http/app.js";
import { createOwnerTokenVerifier } from "#botyard/http/credentials/owner-tokens.js";
import { createOwnerLimits } from "#botyard/http/limits/post-limit.js";
import { createHttpTally } from "#botyard/http/tally.js";
import { createConsumerPolls } from "#botyard/polling/consumer-polls.js";
import { createFeedPolls, type FeedPolls } from "#botyard/polling/feed-polls.js";
import { createUpdatePolls, type UpdatePolls } from "#botyard/polling/update-polls.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "./engines.js";
import { repository } from "./program.js";
import { ANYWHERE } from "./senders.js";

/** The real HTTP server on a loopback port, with a store of its own. */
export interface RunningApi {
  url: string;
  home: StoreHome;
  port: number;
  store: Store;
  polls: UpdatePolls;
  feedPolls: FeedPolls;
  secretBox: AppOptions["secretBox"];
  /** Every line logged so far, at all levels. */
  logLines: Record<string, unknown>[];
  /** An owner token that the service accepts. */
  ownerToken(userId: string, claims?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const CAPS = {
  botsPerOwner: 10_000,
  channelsPerOwner: 10_000,
  attaching: { perHolder: 10_000 },
  botLoopPosts: 0,
  connections: 20_000,
};

/** Settings that tests may change. */
export type ApiChanges = Partial<
  Pick<
    AppOptions,
    | "ownerTokens"
    | "heartbeatMs"
    | "reach"
    | "caps"
    | "maxPostCharacters"
    | "trustedProxies"
    | "rateLimit"
    | "platform"
    | "isReady"
    | "logger"
    | "metrics"
  > & {
    maxPollsPerBot: number;
    webhookTimeoutMs: number;
    /** Wraps the turns of owners. */
    turnsOf: (turns: OwnerTurns) => OwnerTurns;
  }
>;

export async function startApi(changes: ApiChanges = {}): Promise<RunningApi> {
  const home = await engine.createHome();
  const logLines: Record<string, unknown>[] = [];
  const logger = pino({ level: "trace" }, { write: (line) => logLines.push(JSON.parse(line)) });
  const secret = randomBytes(32);
  const secretBox = createSecretBox([randomBytes(32)]);
  const store = await home.open();
  const answerMemory = createAnswerMemory();
  const polls = createUpdatePolls(store, changes.maxPollsPerBot ?? 10_000);
  const feedPolls = createFeedPolls(store, changes.maxPollsPerBot ?? 10_000);
  const singleSender = createSingleSender(secretBox, logger, {
    reach: changes.reach ?? ANYWHERE,
    timeoutMs: changes.webhookTimeoutMs ?? 60_000,
    userAgent: "Botyard/test",
  });
  const consumerPolls = createConsumerPolls(store);
  const fairness = createFairness(store, Number.POSITIVE_INFINITY, () => {});
  const caps = changes.caps ?? CAPS;
  const app = await createApp({
    store,
    ...createOwnerLimits(store, caps),
    fairness: { ...fairness, turns: changes.turnsOf?.(fairness.turns) ?? fairness.turns },
    polls,
    consumerPolls,
    feedPolls,
    feedStore: store,
    answerMemory,
    secretBox,
    sendOnce: singleSender.send,
    deliveries: "on",
    logger,
    ownerTokens: await createOwnerTokenVerifier({ trust: { kind: "secret", secret }, logger }),
    reach: ANYWHERE,
    caps,
    maxPostCharacters: 4_096,
    trustedProxies: [],
    rateLimit: { burst: 100_000, perSecond: 100_000 },
    platform: { tokens: [], rateLimit: { burst: 100_000, perSecond: 100_000 } },
    tally: createHttpTally(),
    isReady: () => true,
    pagesFolder: join(repository, "server/pages"),
    version: "0.0.0-test",
    ...changes,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    home,
    store,
    polls,
    feedPolls,
    secretBox,
    logLines,
    ownerToken: (userId, claims = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256" })
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime((claims["exp"] as number | undefined) ?? "1h")
        .sign(secret),
    async close() {
      polls.close();
      feedPolls.close();
      app.server.closeAllConnections();
      await app.close();
      await singleSender.close();
      await consumerPolls.close();
      await store.close();
      await home.remove();
    },
  };
}
