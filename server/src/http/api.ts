import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { Logger } from "pino";
import type { AttachRules } from "../domain/bots/listing.js";
import type { SendOnce } from "../domain/delivery/webhook.js";
import type { WebhookReach } from "../domain/delivery/webhook-reach.js";
import type { SecretBox } from "../domain/secret-box.js";
import type { AnswerMemory } from "../fairness/answer-memory.js";
import type { Fairness } from "../fairness/fairness.js";
import type { ConsumerPolls } from "../polling/consumer-polls.js";
import type { FeedPolls } from "../polling/feed-polls.js";
import type { UpdatePolls } from "../polling/update-polls.js";
import type { Store } from "../store/store.js";
import type { OwnerTokenVerifier } from "./credentials/owner-tokens.js";
import type { OwnerLimits } from "./limits/post-limit.js";
import type { BucketSize } from "./limits/token-buckets.js";
import type { RequestSpans } from "./requests/request-span.js";
import type { MetricsAccess } from "./routes/metrics.js";
import type { HttpTally } from "./tally.js";

/** The Fastify instance that routes are added to; the routes' schemas give the types of requests and answers. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What the HTTP API is built from. */
export interface AppOptions extends OwnerLimits {
  store: Store;
  /** How owners share the service. */
  fairness: Fairness;
  polls: UpdatePolls;
  consumerPolls: ConsumerPolls;
  feedPolls: FeedPolls;
  /** The store for the feed's operations; on an instance that does not serve the feed, it behaves as if the feed were off. */
  feedStore: Store;
  /** Counts the memory of answers that are not sent yet. */
  answerMemory: AnswerMemory;
  ownerTokens: OwnerTokenVerifier;
  /** Off: nothing is sent to webhooks. */
  deliveries: "on" | "off";
  /** Seals the secret tokens of webhooks. */
  secretBox: SecretBox;
  /** Sends a test event, or an update again. */
  sendOnce: SendOnce;
  /** How often a stream without updates sends a heartbeat; 15 s when left out. */
  heartbeatMs?: number;
  /** Where webhooks may go. */
  reach: WebhookReach;
  /** Limits of each owner and each bot, of posts of bots in a loop, and of open client connections. */
  caps: {
    botsPerOwner: number;
    channelsPerOwner: number;
    bytesPerOwner?: number | undefined;
    attaching: AttachRules;
    botLoopPosts: number;
    connections: number;
  };
  /** Of the text of a post, in code points. */
  maxPostCharacters: number;
  /** Addresses and networks whose `X-Forwarded-For` is trusted; for all others, the address of the connection counts. */
  trustedProxies: readonly string[];
  /** The size of the bucket of each credential, and of each address that sends invalid ones. */
  rateLimit: BucketSize;
  /** The tokens of the platform, and the size of its bucket. */
  platform: { tokens: readonly string[]; rateLimit: BucketSize };
  /** Counters of requests, for the metrics. */
  tally: HttpTally;
  /** Left out when nothing is traced. */
  spans?: RequestSpans | undefined;
  /** Without it, the app has no `/metrics`. */
  metrics?: MetricsAccess;
  /** False while the service drains. */
  isReady: () => boolean;
  /** Names of cells whose owners cannot be served now, and whether their directory can be asked; left out without cells. */
  cells?: { away(): readonly string[]; isDirectoryAway(): boolean };
  logger: Logger;
  /** The folder with the files that browsers load: `console/` and `scalar.js`. */
  pagesFolder: string;
  /** The version of the service. */
  version: string;
}
