import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { createDispatcher, type DeliverySettings, type Dispatcher } from "#botyard/delivery/dispatcher.js";
import type { DeliveryStats, TrackedUpdate } from "#botyard/domain/events/update.js";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { createFairness } from "#botyard/fairness/fairness.js";
import { createOwnerLimits } from "#botyard/http/limits/post-limit.js";
import { createResponseTaker } from "#botyard/http/requests/webhook-response.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { eventually } from "./eventually.js";
import { type Answer, type Receiver, startReceiver } from "./receiver.js";
import { ANYWHERE } from "./senders.js";
import { aPost, makeAttachedBot, OWNER } from "./store-fixtures.js";

/** A real store with bots, real receivers of their webhooks and real dispatchers. */
export interface DeliveryWorld {
  store: Store;
  /** Every line logged by dispatchers so far. */
  logLines: Record<string, unknown>[];
  /** Starts a dispatcher. The world stops it at the end if the test has not. */
  startDispatcher(settings?: Partial<DeliverySettings>, secretKey?: Buffer): Dispatcher;
  startReceiver(answer?: Answer): Promise<Receiver>;
  /** A bot attached to a channel of its own. */
  createBot(ownerUserId?: string): Promise<WorldBot>;
  close(): Promise<void>;
}

export interface WorldBot {
  ref: BotRef;
  botId: string;
  /** Publishes `count` posts in the bot's channel, in one call. */
  post(count?: number): Promise<void>;
  /** Publishes one post with this text. */
  postText(text: string): Promise<void>;
  putWebhook(url: string, secret?: string | null): Promise<void>;
  stats(): Promise<DeliveryStats>;
  update(updateId: number): Promise<TrackedUpdate>;
  /** Waits until `count` of the bot's updates are delivered. */
  delivered(count: number): Promise<void>;
}

/** A default that is too long to matter. */
const SETTINGS: DeliverySettings = {
  reach: ANYWHERE,
  timeoutMs: 60_000,
  retrySchedule: [60_000, 60_000],
  concurrency: 64,
};

/** @param store is closed with the world */
export function createDeliveryWorld(store: Store): DeliveryWorld {
  const key = randomBytes(32);
  const secretBox = createSecretBox([key]);
  const logLines: Record<string, unknown>[] = [];
  const logger = pino({ level: "trace" }, { write: (line) => logLines.push(JSON.parse(line)) });
  const dispatchers: Dispatcher[] = [];
  const receivers: Receiver[] = [];
  return {
    store,
    logLines,
    startDispatcher(settings = {}, secretKey = key) {
      const dispatcher = createDispatcher({
        secretBox: createSecretBox([secretKey]),
        settings: { ...SETTINGS, ...settings },
        logger,
        userAgent: "Botyard/test",
        takeResponse: createResponseTaker({
          store,
          fairness: createFairness(store, Number.POSITIVE_INFINITY, () => {}),
          logger,
          ...createOwnerLimits(store, { botsPerOwner: 10_000, channelsPerOwner: 10_000 }),
          maxPostCharacters: 4_096,
        }),
      });
      dispatcher.serve(store);
      dispatchers.push(dispatcher);
      dispatcher.start();
      return dispatcher;
    },
    async startReceiver(answer) {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      return receiver;
    },
    async createBot(ownerUserId = OWNER) {
      const { ref, botId, channelId } = await makeAttachedBot(store, ownerUserId);
      const stats = async (): Promise<DeliveryStats> => {
        const found = await store.readStats(ref);
        if (!found) throw new Error("the bot is gone");
        return found;
      };
      return {
        ref,
        botId,
        stats,
        async post(count = 1) {
          const author = { ownerUserId };
          const posts = Array.from({ length: count }, (_, i) =>
            aPost(channelId, `post ${i}`, author, Date.now()),
          );
          const stored = await store.appendPosts(posts);
          if (!stored.every(Boolean)) throw new Error("a post was not stored");
        },
        async postText(text) {
          await store.appendPosts([aPost(channelId, text, { ownerUserId }, Date.now())]);
        },
        async putWebhook(url, secret = null) {
          const sealedSecret = secret === null ? null : secretBox.seal(secret, botId);
          await store.putWebhook(ref, { url, sealedSecret }, Date.now());
        },
        async update(updateId) {
          const found = (await store.listRecentUpdates(botId, 100)).find(
            (update) => update.updateId === updateId,
          );
          if (!found) throw new Error(`there is no update ${updateId}`);
          return found;
        },
        async delivered(count) {
          await eventually(
            `${count} updates to be delivered`,
            async () => (await stats()).delivered === count,
          );
        },
      };
    },
    async close() {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(0)));
      for (const receiver of receivers) await receiver.close();
      await store.close();
    },
  };
}
