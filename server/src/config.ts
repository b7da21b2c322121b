import { resolve } from "node:path";
import { type BackupSettings, backupSettings } from "./config/backups.js";
import { dnsServers, proxyUrl, webhookReach } from "./config/egress.js";
import { readEnvironment, unknownSettings, type Variables } from "./config/environment.js";
import { type MetricsSettings, metricsSettings } from "./config/metrics.js";
import type { Environment } from "./config/schema.js";
import { trustedProxies } from "./config/trusted-proxies.js";
import {
  drainDelayMs,
  ownerTrust,
  platformFeed,
  platformTokens,
  postRetentionDays,
  retrySchedule,
  secretKeys,
  sharedDatabase,
  unsharedKeys,
  unusedSchema,
} from "./config/values.js";
import type { AttachRules } from "./domain/bots/listing.js";
import type { OwnerTrust } from "./domain/bots/owner-trust.js";
import type { RetrySchedule } from "./domain/delivery/retry-schedule.js";
import type { WebhookReach } from "./domain/delivery/webhook-reach.js";

/** A PostgreSQL database that instances share. */
export interface SharedDatabase {
  /** With the password: never to be shown or logged. */
  readonly url: string;
  /** Which database it is, for people and logs: `name at host:port`. */
  readonly name: string;
  /** The schema of the tables; undefined when it is left to `search_path`. */
  readonly schema: string | undefined;
  /** Connections of this instance at most; with cells, for each of their servers. */
  readonly poolSize: number;
  /** The cells that this instance serves; all when left out. */
  readonly cells?: readonly string[] | undefined;
}

/** The settings of the service, checked. `config/schema.ts` describes the variable behind each. */
export interface Config {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Absolute. */
  readonly dataDir: string;
  /** Undefined when the database is the SQLite file in the data folder. */
  readonly database: SharedDatabase | undefined;
  readonly ownerTokens: {
    /** Undefined when the service keeps a secret of its own in the data folder. */
    readonly trust: OwnerTrust | undefined;
    readonly issuer: string | undefined;
    readonly audience: string | undefined;
  };
  /** 32 bytes each, the first encrypts; undefined when the service keeps a key of its own in the data folder. */
  readonly secretKeys: readonly Buffer[] | undefined;
  /** Off: nothing is sent to webhooks. */
  readonly deliveries: Environment["DELIVERIES"];
  readonly webhooks: {
    readonly reach: WebhookReach;
    /** May hold a password: never to be shown or logged. */
    readonly proxyUrl: string | undefined;
    /** Undefined when names are resolved as the system does. */
    readonly dnsServers: readonly string[] | undefined;
    readonly timeoutMs: number;
    readonly retrySchedule: RetrySchedule;
    /** Requests in progress at once in the whole process. */
    readonly concurrency: number;
  };
  /** Limits on what may exist or wait at once. */
  readonly caps: {
    readonly botsPerOwner: number;
    readonly channelsPerOwner: number;
    readonly bytesPerOwner: number | undefined;
    /** Of channels of one owner, and of all, that a bot may be attached to; and whether other owners' bots have to be approved. */
    readonly attaching: Readonly<Required<AttachRules>>;
    readonly pollsPerBot: number;
    /** Posts that wait to be stored. */
    readonly waitingPosts: number;
    /** Posts of bots that answer each other in a channel; 0 for no limit. */
    readonly botLoopPosts: number;
    /** Open connections of clients to this process. */
    readonly connections: number;
  };
  /** Of the text of a post, in code points. */
  readonly maxPostCharacters: number;
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly rateLimit: { readonly burst: number; readonly perSecond: number };
  readonly platform: {
    /** Each of them is accepted; empty when there is no platform. Never to be shown or logged. */
    readonly tokens: readonly string[];
    readonly rateLimit: { readonly burst: number; readonly perSecond: number };
    /** Whether the feed is on; undefined leaves it as it is in the database, and does not serve it. */
    readonly feed: { readonly isOn: boolean; readonly hasAudit: boolean } | undefined;
  };
  readonly retentionDays: number;
  /** Undefined when posts are kept. */
  readonly postRetentionDays: number | undefined;
  readonly auditRetentionDays: number;
  /** Undefined when none are made. */
  readonly backups: BackupSettings | undefined;
  /** Undefined when there is no `/metrics`. */
  readonly metrics: MetricsSettings | undefined;
  /** From the signal to the drain. */
  readonly drainDelayMs: number;
  readonly logLevel: Environment["LOG_LEVEL"];
  readonly logFormat: Environment["LOG_FORMAT"];
  /** Logged at the start, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * The configuration that environment variables describe.
 *
 * @throws ConfigError for the first variable that cannot be used
 */
export function loadConfig(env: Variables = process.env): Config {
  const environment = readEnvironment(env);
  return Object.freeze({
    host: environment.HOST,
    port: environment.PORT,
    dataDir: resolve(environment.DATA_DIR),
    database: sharedDatabase(environment),
    ownerTokens: Object.freeze({
      trust: ownerTrust(environment),
      issuer: environment.OWNER_JWT_ISSUER,
      audience: environment.OWNER_JWT_AUDIENCE,
    }),
    secretKeys: secretKeys(environment.SECRET_KEY),
    deliveries: environment.DELIVERIES,
    webhooks: Object.freeze({
      reach: webhookReach(environment),
      proxyUrl: proxyUrl(environment.WEBHOOK_PROXY_URL),
      dnsServers: dnsServers(environment.WEBHOOK_DNS_SERVERS),
      timeoutMs: environment.WEBHOOK_TIMEOUT_MS,
      retrySchedule: retrySchedule(environment.WEBHOOK_RETRY_SCHEDULE),
      concurrency: environment.WEBHOOK_CONCURRENCY,
    }),
    caps: Object.freeze({
      botsPerOwner: environment.MAX_BOTS_PER_OWNER,
      channelsPerOwner: environment.MAX_CHANNELS_PER_OWNER,
      bytesPerOwner: environment.MAX_BYTES_PER_OWNER,
      attaching: Object.freeze({
        perHolder: environment.MAX_CHANNELS_PER_BOT,
        perBot: environment.MAX_CHANNELS_PER_LISTED_BOT,
        review: environment.BOT_REVIEW,
      }),
      pollsPerBot: environment.MAX_POLLS_PER_BOT,
      waitingPosts: environment.MAX_WAITING_POSTS,
      botLoopPosts: environment.MAX_BOT_LOOP_POSTS,
      connections: environment.MAX_CONNECTIONS,
    }),
    maxPostCharacters: environment.MAX_POST_CHARACTERS,
    trustedProxies: trustedProxies(environment.TRUSTED_PROXIES),
    rateLimit: Object.freeze({
      burst: environment.RATE_LIMIT_BURST,
      perSecond: environment.RATE_LIMIT_PER_SECOND,
    }),
    platform: Object.freeze({
      tokens: platformTokens(environment.PLATFORM_TOKEN),
      rateLimit: Object.freeze({
        burst: environment.PLATFORM_RATE_LIMIT_BURST,
        perSecond: environment.PLATFORM_RATE_LIMIT_PER_SECOND,
      }),
      feed: platformFeed(environment),
    }),
    retentionDays: environment.RETENTION_DAYS,
    postRetentionDays: postRetentionDays(environment),
    auditRetentionDays: environment.AUDIT_RETENTION_DAYS,
    backups: backupSettings(environment),
    metrics: metricsSettings(environment),
    drainDelayMs: drainDelayMs(environment.DRAIN_DELAY),
    logLevel: environment.LOG_LEVEL,
    logFormat: environment.LOG_FORMAT,
    warnings: Object.freeze([
      ...unknownSettings(env),
      ...unsharedKeys(environment),
      ...unusedSchema(environment),
    ]),
  });
}

/** Where the `botyard` command finds the service, and its credential. */
export interface ClientSettings {
  url: string;
  token: string | undefined;
  /** With the platform's token: the owner to act as. */
  owner: string | undefined;
  /** The secret with which `botyard listen` signs. */
  secretToken: string | undefined;
}

/** The command's settings: `BOTYARD_URL`, `BOTYARD_TOKEN`, `BOTYARD_OWNER` and `BOTYARD_SECRET_TOKEN`. */
export function loadClientSettings(env: Variables = process.env): ClientSettings {
  return {
    url: env.BOTYARD_URL || "http://127.0.0.1:8080",
    token: env.BOTYARD_TOKEN || undefined,
    owner: env.BOTYARD_OWNER || undefined,
    secretToken: env.BOTYARD_SECRET_TOKEN || undefined,
  };
}

/** `'botyard'` of npx, or a script of a package; a `&` behind it leaves the command running on purpose. */
const SCRIPT_OF_NPM = /(?:^|[\s'/])botyard(?:'|\s|$)(?!.*[^&]&(?:[^&]|$))/;

/** Whether npm or npx runs the `botyard` command in a shell that waits for it. */
export function isRunByNpm(env: Variables = process.env): boolean {
  return SCRIPT_OF_NPM.test(env["npm_lifecycle_script"] ?? "");
}

/** `DATABASE_SCHEMA`, also for a database that is not given by `DATABASE_URL`. */
export function loadDatabaseSchema(env: Variables = process.env): string | undefined {
  return env.DATABASE_SCHEMA || undefined;
}

/**
 * `SOURCE_SECRET_KEY`: the keys of the webhook secrets in the source of `botyard copy`, when they are not those of
 * `SECRET_KEY`.
 *
 * @throws ConfigError when they are not keys
 */
export function loadSourceSecretKeys(env: Variables = process.env): readonly Buffer[] | undefined {
  return secretKeys(env.SOURCE_SECRET_KEY || undefined, "SOURCE_SECRET_KEY");
}
