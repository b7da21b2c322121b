import { type Static, Type } from "typebox";
import { DEFAULT_RETRY_SCHEDULE } from "../domain/delivery/retry-schedule.js";
import { capRules } from "./cap-rules.js";
import { platformRules } from "./platform-rules.js";
import { retentionRules } from "./retention-rules.js";
import { optionalSecret, optionalText } from "./text-rules.js";

/** Names of schemas that need no quotes in SQL. With 48 characters, names made from them fit into PostgreSQL's 63. */
export const SCHEMA_NAME = /^(?!pg_)[a-z_][a-z0-9_]{0,47}$/;

/**
 * Every environment variable of the service. Validation, error messages and the table in the README come from here.
 * `expects` ends the sentence "NAME must be …"; the table shows `shownDefault` where the default is not a plain value.
 */
export const environmentSchema = Type.Object({
  HOST: Type.String({
    description:
      "Address to listen on. `0.0.0.0` or `::` opens the service to the network; `localhost` is `127.0.0.1`.",
    default: "127.0.0.1",
    pattern: "^[A-Za-z0-9.:%_-]+$",
    expects: "a host name or an IP address, without a port",
  }),
  PORT: Type.Integer({
    description: "Port to listen on; `0` picks a free one.",
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    expects: "a whole number from 0 to 65535",
  }),
  DATA_DIR: Type.String({
    description: "Folder of the SQLite database and of the keys that the service generates.",
    default: "./data",
    pattern: "^[^\\u0000]+$",
    expects: "the path of a folder",
  }),
  DATABASE_URL: optionalSecret({
    description:
      "PostgreSQL database (14 or newer) that any number of instances share: `postgres://user:password@host:5432/name`; with several servers `host1,host2:5433`, of which the one that can be written to is used.",
    shownDefault: "SQLite in `DATA_DIR`",
    pattern: "^postgres(ql)?://",
    expects:
      "a URL such as postgres://user:password@host:5432/name, special characters in it percent-encoded",
  }),
  DATABASE_SCHEMA: optionalText({
    description:
      "Schema of the PostgreSQL database that has Botyard's tables, such as `botyard`, to share the database with other applications; made if it does not exist.",
    shownDefault: "where the role's `search_path` leads",
    pattern: SCHEMA_NAME.source,
    expects: "1 to 48 lower-case letters, digits and _, not beginning with a digit or pg_",
  }),
  DATABASE_POOL_SIZE: Type.Integer({
    description:
      "Most PostgreSQL connections of this instance; one more listens for hints of the other instances.",
    default: 10,
    minimum: 2,
    maximum: 200,
    expects: "a whole number from 2 to 200",
  }),
  CELLS: optionalText({
    description:
      "Names of the cells that this instance serves, with commas between them; see [cells](cells.md). Set it only where instances are to serve different ones.",
    shownDefault: "all cells of `DATABASE_URL`, if it has any",
    pattern: "^ *[a-z][a-z0-9-]{0,31} *(, *[a-z][a-z0-9-]{0,31} *)*$",
    expects: "names of cells with commas between them, such as a,b",
  }),
  OWNER_JWT_SECRET: optionalSecret({
    description: "Shared secret that signs owner tokens (HS256).",
    expects: "at least 32 bytes long",
  }),
  OWNER_JWT_PUBLIC_KEY: optionalSecret({
    description: "Public key that verifies owner tokens, as PEM (RS256, ES256 or EdDSA).",
    pattern: "^-----BEGIN (?!.*PRIVATE)",
    isPublic: true,
    expects: "a public key in PEM form (-----BEGIN PUBLIC KEY-----)",
  }),
  OWNER_JWKS_URL: optionalText({
    description: "Address of the key set (JWKS) that verifies owner tokens.",
    pattern: "^https?://",
    expects: "an http:// or https:// URL",
  }),
  OWNER_JWT_ISSUER: optionalText({ description: "Issuer (`iss`) that owner tokens must carry." }),
  OWNER_JWT_AUDIENCE: optionalText({ description: "Audience (`aud`) that owner tokens must carry." }),
  SECRET_KEY: optionalSecret({
    description:
      "Key that encrypts webhook secrets: 32 bytes as base64 or hex. Several, separated by commas, to change keys: the first encrypts, all decrypt.",
    shownDefault: "generated once in `DATA_DIR`",
    expects:
      "32 bytes written as base64 or hex, several separated by commas (make one: openssl rand -base64 32)",
  }),
  DELIVERIES: Type.Enum(["on", "off"], {
    description:
      "`off`: this instance sends nothing to webhooks, for a drill on a copy of the database; all else goes on.",
    default: "on",
    expects: "one of on, off",
  }),
  WEBHOOK_ALLOW_PRIVATE: Type.Optional(
    Type.Boolean({
      description: "Whether webhooks may point at loopback, private and other non-public addresses.",
      shownDefault: "`true` while `HOST` is loopback, else `false`",
      expects: "true or false",
    }),
  ),
  WEBHOOK_ALLOW_NETWORKS: optionalText({
    description:
      "Networks that webhooks may reach although they are not public, such as `10.1.0.0/16, fd12::/48`; while set, `WEBHOOK_ALLOW_PRIVATE` is `false` unless you say otherwise.",
    expects: "networks such as 10.1.0.0/16, separated by commas",
  }),
  WEBHOOK_ALLOW_HOSTS: optionalText({
    description:
      "The only hosts that webhooks may go to, such as `hooks.example.com, *.example.org`. Their addresses are checked all the same.",
    shownDefault: "any",
    expects: "host names, *.names or addresses, without scheme or port, separated by commas",
  }),
  WEBHOOK_PROXY_URL: optionalSecret({
    description:
      "HTTP proxy that all webhook requests go through, `http://user:password@host:port`. It resolves the names, so it must itself refuse private addresses.",
    pattern: "^https?://",
    expects: "a URL such as http://proxy.example:3128, without a path",
  }),
  WEBHOOK_DNS_SERVERS: optionalText({
    description:
      "DNS servers that resolve the hosts of webhooks, such as `9.9.9.9, [2620:fe::fe]:53`; `/etc/hosts` is not read then.",
    shownDefault: "as the system does",
    expects: "addresses of DNS servers, each with or without a port, separated by commas",
  }),
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    description: "Time a receiver has to answer, body included, in milliseconds.",
    default: 10_000,
    minimum: 100,
    maximum: 120_000,
    expects: "a whole number of milliseconds from 100 to 120000",
  }),
  WEBHOOK_RETRY_SCHEDULE: Type.String({
    description:
      "Waits after each failed attempt (`ms`, `s`, `m`, `h`, `d`), each stretched or shortened by up to 20 %. After the last one the update has failed for good.",
    default: DEFAULT_RETRY_SCHEDULE,
    expects: "1 to 50 waits of at most 7d each, separated by commas, such as 1s,5s,30s",
  }),
  WEBHOOK_CONCURRENCY: Type.Integer({
    description: "Webhook requests in progress at once in the whole process.",
    default: 512,
    minimum: 1,
    maximum: 10_000,
    expects: "a whole number from 1 to 10000",
  }),
  RATE_LIMIT_BURST: Type.Integer({
    description: "Requests one credential may send at once.",
    default: 1000,
    minimum: 1,
    maximum: 1_000_000,
    expects: "a whole number from 1 to 1000000",
  }),
  RATE_LIMIT_PER_SECOND: Type.Integer({
    description: "Requests per second that one credential may sustain.",
    default: 100,
    minimum: 1,
    maximum: 1_000_000,
    expects: "a whole number from 1 to 1000000",
  }),
  ...platformRules,
  ...capRules,
  TRUSTED_PROXIES: optionalText({
    description:
      "Addresses or networks of the load balancers in front, such as `10.1.2.3, fd12::/48`; only their `X-Forwarded-For` is trusted, so that failed credentials count against the client and not the balancer.",
    shownDefault: "none",
    expects: "addresses, or networks such as 10.1.0.0/16, separated by commas",
  }),
  ...retentionRules,
  BACKUP_EVERY: optionalText({
    description:
      "How often the SQLite database and the keys are backed up while the service runs, such as `15m`. With `DATABASE_URL`, PostgreSQL has its own tools.",
    shownDefault: "never",
    expects: "a duration from 1s to 7d, such as 15m",
  }),
  BACKUP_KEEP: Type.Integer({
    description: "How many of these backups are kept; older ones are removed.",
    default: 24,
    minimum: 1,
    maximum: 10_000,
    expects: "a whole number from 1 to 10000",
  }),
  BACKUP_DIR: optionalText({
    description:
      "Folder of these backups and of nothing else, best on another disk than `DATA_DIR`. They hold the keys: nobody else may read it.",
    shownDefault: "`backups` in `DATA_DIR`",
    pattern: "^[^\\u0000]+$",
    expects: "the path of a folder",
  }),
  METRICS_TOKEN: optionalSecret({
    description:
      "Bearer token that `/metrics` takes. With neither this nor `METRICS_PORT` set there is no `/metrics`.",
    pattern: "^[\\x21-\\x7e]{16,256}$",
    expects: "16 to 256 visible ASCII characters (make one: openssl rand -hex 32)",
  }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      description:
        "Port that serves `/metrics` and nothing else, instead of `PORT`; without a token unless `METRICS_TOKEN` is set. `0` picks a free one.",
      minimum: 0,
      maximum: 65_535,
      expects: "a whole number from 0 to 65535",
    }),
  ),
  METRICS_HOST: optionalText({
    description: "Address that `METRICS_PORT` listens on.",
    shownDefault: "`127.0.0.1`",
    pattern: "^[A-Za-z0-9.:%_-]+$",
    expects: "a host name or an IP address, without a port",
  }),
  DRAIN_DELAY: Type.String({
    description:
      "How long the service goes on after SIGTERM, with `/readyz` already failing, so that load balancers send nothing more before it drains.",
    default: "0s",
    pattern: "^\\d+(ms|s|m)$",
    expects: "a duration of at most 5m, such as 5s",
  }),
  LOG_LEVEL: Type.Enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
    description:
      "Least severe level that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.",
    default: "info",
    expects: "one of fatal, error, warn, info, debug, trace, silent",
  }),
  LOG_FORMAT: Type.Enum(["auto", "json", "pretty"], {
    description:
      "`json`: a JSON object for each line. `pretty`: lines for people. `auto`: `pretty` on a terminal, else `json`.",
    default: "auto",
    expects: "one of auto, json, pretty",
  }),
});

/** The environment after checking: numbers and booleans in their types, defaults filled in. */
export type Environment = Static<typeof environmentSchema>;
export type VariableName = keyof Environment;

/** The schema of one variable, without the JSON Schema keywords that check it. */
export interface VariableRule {
  type?: string;
  description: string;
  default?: string | number;
  shownDefault?: string;
  expects: string;
  /** A secret may also be given as `NAME_FILE`, and its value is never repeated in a message. */
  secret?: boolean;
  /** Given like a secret, but public: everybody may read its file. */
  isPublic?: boolean;
}

/** The rules in the order of the table. */
export const variableRules = environmentSchema.properties as unknown as Record<VariableName, VariableRule>;
