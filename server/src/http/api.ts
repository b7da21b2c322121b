import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { Logger } from "pino";
import type { SecretBox } from "../domain/secret-box.js";
import type { SendTest } from "../domain/webhook.js";
import type { WebhookReach } from "../domain/webhook-reach.js";
import type { AnswerMemory } from "../operations/answer-memory.js";
import type { TooManyPosts } from "../operations/bound-posts.js";
import type { UpdatePolls } from "../polling/update-polls.js";
import type { Store } from "../store/store.js";
import type { OwnerTokenVerifier } from "./credentials/owner-tokens.js";
import type { BucketSize } from "./limits/token-buckets.js";
import type { MetricsAccess } from "./routes/metrics.js";
import type { HttpTally } from "./tally.js";

/** The Fastify instance that routes are added to: their schemas give the types of what handlers take and answer. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What the HTTP surface needs to be given. */
export interface AppOptions {
  store: Store;
  /** Why a post that comes now is refused, whatever it says; undefined when it is not. */
  postRefusal: () => TooManyPosts | undefined;
  polls: UpdatePolls;
  /** What answers that wait to be sent take. */
  answerMemory: AnswerMemory;
  ownerTokens: OwnerTokenVerifier;
  /** Seals the secret tokens of webhooks. */
  secretBox: SecretBox;
  sendTest: SendTest;
  /** How often a stream without updates says that it lives; 15 s when left out. */
  heartbeatMs?: number;
  /** Where webhooks may go. */
  reach: WebhookReach;
  /** The most that one owner and one bot may have, and the connections of clients at once. */
  caps: { botsPerOwner: number; channelsPerBot: number; connections: number };
  /** Addresses and networks whose `X-Forwarded-For` is believed; of anybody else, the address of the connection counts. */
  trustedProxies: readonly string[];
  /** The bucket of each credential, and of each address that sends failing ones. */
  rateLimit: BucketSize;
  /** What is counted of requests; read by whoever watches the service. */
  tally: HttpTally;
  /** Left out: there is no `/metrics` here. */
  metrics?: MetricsAccess;
  /** False while the service drains. */
  isReady: () => boolean;
  logger: Logger;
  /** The version of the service. */
  version: string;
}
