import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";

const key = createHash("sha256").update("one").digest();

describe("a bad value stops the start", () => {
  it.each([
    [
      { HOST: "127.0.0.1 8080" },
      'HOST must be a host name or an IP address, without a port, not "127.0.0.1 8080"',
    ],
    [{ HOST: "http://localhost" }, "HOST must be a host name"],
    [{ PORT: "65536" }, 'PORT must be a whole number from 0 to 65535, not "65536"'],
    [{ PORT: "-1" }, "PORT must be"],
    [{ PORT: "80.5" }, "PORT must be"],
    [{ PORT: "1e3" }, "PORT must be"],
    [{ PORT: "0x50" }, "PORT must be"],
    [{ PORT: " 80" }, "PORT must be"],
    [{ PORT: "http" }, "PORT must be"],
    [{ DATA_DIR: "a\0b" }, "DATA_DIR must be the path of a folder"],
    [{ DATABASE_URL: "mysql://db.example/yard" }, "DATABASE_URL must be a URL such as postgres://"],
    [{ DATABASE_URL: "db.example/yard" }, "DATABASE_URL must be a URL such as postgres://"],
    [{ DATABASE_URL: "postgres://db.example" }, "DATABASE_URL must be"],
    [{ DATABASE_URL: "postgres://db.example:port/yard" }, "DATABASE_URL must be"],
    [{ DATABASE_URL: "postgres://one,two:port/yard" }, "DATABASE_URL must be"],
    [{ DATABASE_URL: "postgres://one,/yard" }, "DATABASE_URL must be"],
    [{ DATABASE_URL: "postgres:///yard?host=one,two&port=1,2,3" }, "DATABASE_URL must be"],
    [{ DATABASE_URL: "postgres://one/yard?target_session_attrs=standby" }, "DATABASE_URL must be"],
    [{ DATABASE_URL: "postgres://bot:50%@db.example/yard" }, "DATABASE_URL must be"],
    [{ DATABASE_URL: "postgres://bot:hash#tag@db.example/yard" }, "DATABASE_URL must be"],
    [
      { DATABASE_SCHEMA: "Bots" },
      'DATABASE_SCHEMA must be 1 to 48 lower-case letters, digits and _, not beginning with a digit or pg_, not "Bots"',
    ],
    [{ DATABASE_SCHEMA: "pg_temp" }, "DATABASE_SCHEMA must be"],
    [{ DATABASE_SCHEMA: "a".repeat(49) }, "DATABASE_SCHEMA must be"],
    [{ DATABASE_POOL_SIZE: "1" }, "DATABASE_POOL_SIZE must be a whole number from 2 to 200"],
    [{ DATABASE_POOL_SIZE: "201" }, "DATABASE_POOL_SIZE must be"],
    [{ OWNER_JWT_SECRET: "x".repeat(31) }, "OWNER_JWT_SECRET must be at least 32 bytes long; it has 31"],
    [{ OWNER_JWT_PUBLIC_KEY: "ssh-ed25519 AAAA" }, "OWNER_JWT_PUBLIC_KEY must be a public key in PEM form"],
    [{ OWNER_JWT_PUBLIC_KEY: "-----BEGIN PRIVATE KEY-----" }, "OWNER_JWT_PUBLIC_KEY must be a public key"],
    [
      { OWNER_JWT_PUBLIC_KEY: "-----BEGIN PUBLIC KEY-----\nAAAA" },
      "OWNER_JWT_PUBLIC_KEY must be a public key",
    ],
    [{ OWNER_JWKS_URL: "id.example/jwks" }, "OWNER_JWKS_URL must be an http:// or https:// URL"],
    [{ OWNER_JWKS_URL: "https://" }, "OWNER_JWKS_URL must be"],
    [{ PLATFORM_TOKEN: "a".repeat(31) }, "PLATFORM_TOKEN must be 32 to 256 visible ASCII characters"],
    [{ PLATFORM_TOKEN: `${"a".repeat(32)},` }, "PLATFORM_TOKEN must be"],
    [{ PLATFORM_TOKEN: `bot_${"a".repeat(32)}` }, "PLATFORM_TOKEN must be"],
    [{ PLATFORM_RATE_LIMIT_BURST: "0" }, "PLATFORM_RATE_LIMIT_BURST must be"],
    [{ PLATFORM_RATE_LIMIT_PER_SECOND: "x" }, "PLATFORM_RATE_LIMIT_PER_SECOND must be"],
    [{ SECRET_KEY: "short" }, "SECRET_KEY must be 32 bytes written as base64 or hex"],
    [{ SECRET_KEY: "z".repeat(64) }, "SECRET_KEY must be"],
    [{ SECRET_KEY: `${key.toString("hex")},` }, "SECRET_KEY must be"],
    [{ WEBHOOK_ALLOW_PRIVATE: "yes" }, 'WEBHOOK_ALLOW_PRIVATE must be true or false, not "yes"'],
    [{ WEBHOOK_ALLOW_NETWORKS: "10.1.0.0" }, "WEBHOOK_ALLOW_NETWORKS must be networks such as 10.1.0.0/16"],
    [{ WEBHOOK_ALLOW_NETWORKS: "10.1.0.0/33" }, "WEBHOOK_ALLOW_NETWORKS must be"],
    [{ WEBHOOK_ALLOW_NETWORKS: "," }, "WEBHOOK_ALLOW_NETWORKS must be"],
    [{ WEBHOOK_ALLOW_HOSTS: "https://example.com" }, "WEBHOOK_ALLOW_HOSTS must be host names"],
    [{ WEBHOOK_ALLOW_HOSTS: "example.com:8080" }, "WEBHOOK_ALLOW_HOSTS must be host names"],
    [{ WEBHOOK_ALLOW_HOSTS: "*" }, "WEBHOOK_ALLOW_HOSTS must be host names"],
    [{ WEBHOOK_PROXY_URL: "socks5://proxy:1080" }, "WEBHOOK_PROXY_URL must be a URL such as http://"],
    [{ WEBHOOK_PROXY_URL: "http://proxy:3128/path" }, "WEBHOOK_PROXY_URL must be a URL such as http://"],
    [{ TRUSTED_PROXIES: "balancer.example" }, "TRUSTED_PROXIES must be addresses, or networks such as"],
    [{ TRUSTED_PROXIES: "10.1.2.3,loopback" }, "TRUSTED_PROXIES must be addresses"],
    [{ TRUSTED_PROXIES: "10.1.2.3/33" }, "TRUSTED_PROXIES must be addresses"],
    [{ TRUSTED_PROXIES: "0.0.0.0/0" }, "TRUSTED_PROXIES must be addresses"],
    [{ TRUSTED_PROXIES: "," }, "TRUSTED_PROXIES must be addresses"],
    [{ WEBHOOK_DNS_SERVERS: "dns.example" }, "WEBHOOK_DNS_SERVERS must be addresses of DNS servers"],
    [{ WEBHOOK_DNS_SERVERS: "9.9.9.9:0" }, "WEBHOOK_DNS_SERVERS must be addresses"],
    [
      { WEBHOOK_TIMEOUT_MS: "99" },
      "WEBHOOK_TIMEOUT_MS must be a whole number of milliseconds from 100 to 120000",
    ],
    [{ WEBHOOK_TIMEOUT_MS: "120001" }, "WEBHOOK_TIMEOUT_MS must be"],
    [{ WEBHOOK_TIMEOUT_MS: "10s" }, "WEBHOOK_TIMEOUT_MS must be"],
    [{ WEBHOOK_RETRY_SCHEDULE: "1s,,5s" }, "WEBHOOK_RETRY_SCHEDULE must be 1 to 50 waits of at most 7d each"],
    [{ WEBHOOK_RETRY_SCHEDULE: "1 s" }, "WEBHOOK_RETRY_SCHEDULE must be"],
    [{ WEBHOOK_RETRY_SCHEDULE: "8d" }, "WEBHOOK_RETRY_SCHEDULE must be"],
    [{ WEBHOOK_RETRY_SCHEDULE: Array(51).fill("1s").join(",") }, "WEBHOOK_RETRY_SCHEDULE must be"],
    [{ WEBHOOK_CONCURRENCY: "0" }, "WEBHOOK_CONCURRENCY must be a whole number from 1 to 10000"],
    [{ WEBHOOK_CONCURRENCY: "10001" }, "WEBHOOK_CONCURRENCY must be"],
    [{ MAX_BOTS_PER_OWNER: "0" }, "MAX_BOTS_PER_OWNER must be a whole number from 1 to 100000"],
    [{ MAX_CHANNELS_PER_OWNER: "0" }, "MAX_CHANNELS_PER_OWNER must be a whole number from 1 to 1000000"],
    [{ MAX_CHANNELS_PER_BOT: "many" }, "MAX_CHANNELS_PER_BOT must be"],
    [{ MAX_POLLS_PER_BOT: "0" }, "MAX_POLLS_PER_BOT must be"],
    [{ MAX_WAITING_POSTS: "0" }, "MAX_WAITING_POSTS must be"],
    [{ MAX_POST_CHARACTERS: "4095" }, "MAX_POST_CHARACTERS must be a whole number from 4096 to 32768"],
    [{ MAX_POST_CHARACTERS: "32769" }, "MAX_POST_CHARACTERS must be"],
    [{ MAX_BOT_LOOP_POSTS: "1001" }, "MAX_BOT_LOOP_POSTS must be"],
    [{ MAX_CONNECTIONS: "9" }, "MAX_CONNECTIONS must be"],
    [{ METRICS_TOKEN: "too short" }, "METRICS_TOKEN must be 16 to 256 visible ASCII characters"],
    [{ METRICS_TOKEN: "with a space in its midst" }, "METRICS_TOKEN must be 16 to 256 visible ASCII"],
    [
      { METRICS_TOKEN: "p".repeat(32), PLATFORM_TOKEN: `${"q".repeat(32)}, ${"p".repeat(32)}` },
      "METRICS_TOKEN is a token of PLATFORM_TOKEN",
    ],
    [{ METRICS_PORT: "65536" }, "METRICS_PORT must be a whole number from 0 to 65535"],
    [{ METRICS_HOST: "0.0.0.0" }, "METRICS_HOST needs METRICS_PORT"],
    [{ METRICS_PORT: "1", METRICS_HOST: "a b" }, "METRICS_HOST must be a host name or an IP address"],
    [{ RATE_LIMIT_BURST: "0" }, "RATE_LIMIT_BURST must be a whole number from 1"],
    [{ RATE_LIMIT_PER_SECOND: "0.5" }, "RATE_LIMIT_PER_SECOND must be a whole number from 1"],
    [{ RETENTION_DAYS: "0" }, "RETENTION_DAYS must be a whole number of days from 1 to 3650"],
    [{ RETENTION_DAYS: "3651" }, "RETENTION_DAYS must be"],
    [{ POST_RETENTION_DAYS: "0" }, "POST_RETENTION_DAYS must be a whole number of days from 1 to 36500"],
    [{ POST_RETENTION_DAYS: "29" }, "POST_RETENTION_DAYS (29) cannot be less than RETENTION_DAYS (30)"],
    [{ LOG_LEVEL: "loud" }, "LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent"],
    [{ LOG_FORMAT: "yaml" }, "LOG_FORMAT must be one of auto, json, pretty"],
  ])("%j", (env, message) => {
    expect(() => loadConfig(env)).toThrow(expect.objectContaining({ name: "ConfigError" }));
    expect(() => loadConfig(env)).toThrow(message);
  });

  it("without repeating a secret", () => {
    expect(messageFor({ SECRET_KEY: "hunter2" })).not.toContain("hunter2");
    expect(messageFor({ WEBHOOK_PROXY_URL: "http://me:hunter2@proxy/x" })).not.toContain("hunter2");
    expect(messageFor({ DATABASE_URL: "postgres://bot:hunter2#@db/yard" })).not.toContain("hunter2");
    expect(messageFor({ OWNER_JWT_SECRET: "hunter2" })).not.toContain("hunter2");
    expect(messageFor({ OWNER_JWT_PUBLIC_KEY: "hunter2" })).not.toContain("hunter2");
  });
});

function messageFor(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the configuration was accepted");
}
